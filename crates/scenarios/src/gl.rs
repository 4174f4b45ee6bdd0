//! The functions of OpenGL and OpenGL ES, typed, from wherever they are loaded: ours or the host's.

#![allow(non_snake_case, reason = "the functions have the names that the specifications give them")]

use std::ffi::c_void;

macro_rules! commands {
    ($( $name:ident ( $($arg:ident : $ty:ty),* ) -> $ret:ty; )*) => {
        /// A table of GL functions. A method is the function of that name with `gl` before it, called on what is current on this
        /// thread. Pointers must be valid for what the specification says is read or written through them.
        pub struct Gl { $( $name: *const (), )* }

        #[allow(clippy::too_many_arguments, clippy::not_unsafe_ptr_arg_deref, reason = "a test answers for its pointers")]
        impl Gl {
            /// Loads the table. A function that is not there fails when it is called.
            pub fn load(address: &dyn Fn(&str) -> *const ()) -> Gl {
                Gl { $( $name: address(concat!("gl", stringify!($name))), )* }
            }

            $(
                #[doc = concat!("`gl", stringify!($name), "`.")]
                pub fn $name(&self, $($arg: $ty),*) -> $ret {
                    assert!(!self.$name.is_null(), concat!("no gl", stringify!($name)));
                    // SAFETY: the address is of the function of that name, whose type this is by Khronos' registry.
                    unsafe {
                        let function: unsafe extern "C" fn($($ty),*) -> $ret = std::mem::transmute(self.$name);
                        function($($arg),*)
                    }
                }
            )*
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/commands.rs"));
