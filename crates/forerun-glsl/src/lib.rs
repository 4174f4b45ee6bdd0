//! GLSL to SPIR-V and its reflection archive
