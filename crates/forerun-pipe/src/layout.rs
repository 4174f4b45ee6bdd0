//! Flat, fixed-width payloads that describe their own layout, so that the fingerprint can cover it.

/// One member of a payload, as the fingerprint and the protocol page see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The member's name.
    pub name: &'static str,
    /// Bytes from the start of the payload.
    pub offset: usize,
    /// Bytes that the member takes.
    pub size: usize,
    /// The member's Rust type, for the protocol page only.
    pub ty: &'static str,
}

/// A plain-old-data type that may cross: no pointer, no implicit padding, every bit pattern valid.
pub trait Layout:
    zerocopy::FromBytes + zerocopy::IntoBytes + zerocopy::Immutable + zerocopy::KnownLayout + Copy
{
    /// The type's name.
    const NAME: &'static str;
    /// The members in order.
    const FIELDS: &'static [Field];
}

impl Layout for u8 {
    const NAME: &'static str = "u8";
    const FIELDS: &'static [Field] = &[];
}

impl Layout for u32 {
    const NAME: &'static str = "u32";
    const FIELDS: &'static [Field] = &[];
}

/// Declares flat payload structs: `#[repr(C)]`, all bit patterns valid, no implicit padding (the derive of
/// `IntoBytes` refuses it), with their layout readable at compile time.
#[macro_export]
macro_rules! flat {
    ($( $(#[$meta:meta])* pub struct $name:ident { $( $(#[$fmeta:meta])* pub $field:ident : $ty:ty, )* } )*) => { $(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::Immutable, zerocopy::KnownLayout)]
        #[repr(C)]
        pub struct $name { $( $(#[$fmeta])* pub $field: $ty, )* }

        impl $crate::layout::Layout for $name {
            const NAME: &'static str = stringify!($name);
            const FIELDS: &'static [$crate::layout::Field] = &[ $( $crate::layout::Field {
                name: stringify!($field),
                offset: core::mem::offset_of!($name, $field),
                size: core::mem::size_of::<$ty>(),
                ty: stringify!($ty),
            }, )* ];
        }

        impl Default for $name {
            fn default() -> Self { zerocopy::FromZeros::new_zeroed() }
        }
    )* };
}
