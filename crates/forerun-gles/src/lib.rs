//! The backend on the host's OpenGL: ES 3.2 and desktop core dialects
