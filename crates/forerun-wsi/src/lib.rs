//! EGL and surfaces: the library that programs load
