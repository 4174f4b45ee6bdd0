//! SPIR-V validation, specialisation and translation to ESSL and GLSL
