//! The little codec under the archive: fields in declaration order, little-endian, counts first.
//!
//! Decoding is for hostile bytes. Every count is checked against the bytes that are left before
//! anything is allocated, so memory stays within a small multiple of the input's length.

use super::ArchiveError;

/// A cursor over undecoded archive bytes.
pub struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Starts at the first of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// Bytes not consumed so far.
    pub fn remaining(&self) -> usize {
        self.bytes.len()
    }

    /// Consumes `count` bytes.
    ///
    /// # Errors
    /// [`ArchiveError::Truncated`] when fewer are left.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], ArchiveError> {
        let (head, tail) = self.bytes.split_at_checked(count).ok_or(ArchiveError::Truncated)?;
        self.bytes = tail;
        Ok(head)
    }

    /// Reads an element count and refuses one that the bytes left could not hold.
    ///
    /// # Errors
    /// [`ArchiveError::Truncated`], [`ArchiveError::Count`].
    pub fn count(&mut self, min_element: usize) -> Result<usize, ArchiveError> {
        let count = u32::get(self)? as usize;
        match count.checked_mul(min_element.max(1)) {
            Some(bytes) if bytes <= self.remaining() => Ok(count),
            _ => Err(ArchiveError::Count),
        }
    }
}

/// A value with an archive form.
pub trait Wire: Sized {
    /// Fewest bytes that any value of the type takes.
    const MIN: usize;
    /// Folds the shape of the type into a schema hash.
    fn schema(hash: u64) -> u64;
    /// Appends the value.
    fn put(&self, out: &mut Vec<u8>);
    /// Reads one value.
    ///
    /// # Errors
    /// Any [`ArchiveError`] that the bytes deserve.
    fn get(reader: &mut Reader<'_>) -> Result<Self, ArchiveError>;
}

/// FNV-1a over text: one step of the schema hash.
pub fn fold(mut hash: u64, text: &str) -> u64 {
    for byte in text.bytes().chain([0]) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash
}

macro_rules! number {
    ($($ty:ident)*) => {$(
        impl Wire for $ty {
            const MIN: usize = size_of::<$ty>();
            fn schema(hash: u64) -> u64 {
                fold(hash, stringify!($ty))
            }
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn get(reader: &mut Reader<'_>) -> Result<Self, ArchiveError> {
                let mut raw = [0; size_of::<$ty>()];
                raw.copy_from_slice(reader.take(size_of::<$ty>())?);
                Ok($ty::from_le_bytes(raw))
            }
        }
    )*};
}
number!(u8 u32 i32 u64);

impl Wire for bool {
    const MIN: usize = 1;
    fn schema(hash: u64) -> u64 {
        fold(hash, "bool")
    }
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }
    fn get(reader: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        match u8::get(reader)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(ArchiveError::Value("bool")),
        }
    }
}

impl Wire for String {
    const MIN: usize = 4;
    fn schema(hash: u64) -> u64 {
        fold(hash, "string")
    }
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u32).put(out);
        out.extend_from_slice(self.as_bytes());
    }
    fn get(reader: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let count = reader.count(1)?;
        let bytes = reader.take(count)?;
        let text = std::str::from_utf8(bytes).map_err(|_| ArchiveError::Value("string"))?;
        Ok(text.to_owned())
    }
}

impl<T: Wire> Wire for Vec<T> {
    const MIN: usize = 4;
    fn schema(hash: u64) -> u64 {
        T::schema(fold(hash, "list"))
    }
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u32).put(out);
        for item in self {
            item.put(out);
        }
    }
    fn get(reader: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let count = reader.count(T::MIN)?;
        let mut list = Vec::with_capacity(count);
        for _ in 0..count {
            list.push(T::get(reader)?);
        }
        Ok(list)
    }
}

impl<T: Wire, const N: usize> Wire for [T; N]
where
    [T; N]: Default,
{
    const MIN: usize = N * T::MIN;
    fn schema(hash: u64) -> u64 {
        T::schema(fold(hash, "array"))
    }
    fn put(&self, out: &mut Vec<u8>) {
        for item in self {
            item.put(out);
        }
    }
    fn get(reader: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let mut array = <[T; N]>::default();
        for item in &mut array {
            *item = T::get(reader)?;
        }
        Ok(array)
    }
}

impl<T: Wire> Wire for Option<T> {
    const MIN: usize = 1;
    fn schema(hash: u64) -> u64 {
        T::schema(fold(hash, "option"))
    }
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }
    fn get(reader: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        Ok(if bool::get(reader)? { Some(T::get(reader)?) } else { None })
    }
}

/// Declares a structure together with its archive form, field by field in order.
macro_rules! wire_struct {
    ($(#[$meta:meta])* pub struct $name:ident {
        $($(#[$fmeta:meta])* pub $field:ident: $ty:ty,)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name {
            $($(#[$fmeta])* pub $field: $ty,)*
        }

        impl $crate::archive::wire::Wire for $name {
            const MIN: usize = 0 $(+ <$ty as $crate::archive::wire::Wire>::MIN)*;
            fn schema(hash: u64) -> u64 {
                let hash = $crate::archive::wire::fold(hash, stringify!($name));
                $(let hash = <$ty as $crate::archive::wire::Wire>::schema(
                    $crate::archive::wire::fold(hash, stringify!($field)),
                );)*
                hash
            }
            fn put(&self, out: &mut Vec<u8>) {
                $(self.$field.put(out);)*
            }
            fn get(
                reader: &mut $crate::archive::wire::Reader<'_>,
            ) -> Result<Self, $crate::archive::ArchiveError> {
                Ok(Self { $($field: <$ty as $crate::archive::wire::Wire>::get(reader)?,)* })
            }
        }
    };
}
pub(crate) use wire_struct;

/// Declares a field-less enumeration whose archive form is one `u32`.
macro_rules! wire_enum {
    ($(#[$meta:meta])* pub enum $name:ident {
        $($(#[$vmeta:meta])* $variant:ident = $value:literal,)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u32)]
        pub enum $name {
            $($(#[$vmeta])* $variant = $value,)*
        }

        impl $name {
            /// Every value, in numeric order.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];
        }

        impl $crate::archive::wire::Wire for $name {
            const MIN: usize = 4;
            fn schema(hash: u64) -> u64 {
                let hash = $crate::archive::wire::fold(hash, stringify!($name));
                $(let hash = $crate::archive::wire::fold(hash, stringify!($variant = $value));)*
                hash
            }
            fn put(&self, out: &mut Vec<u8>) {
                (*self as u32).put(out);
            }
            fn get(
                reader: &mut $crate::archive::wire::Reader<'_>,
            ) -> Result<Self, $crate::archive::ArchiveError> {
                match u32::get(reader)? {
                    $($value => Ok($name::$variant),)*
                    _ => Err($crate::archive::ArchiveError::Value(stringify!($name))),
                }
            }
        }
    };
}
pub(crate) use wire_enum;
