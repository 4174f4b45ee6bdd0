//! SPIR-V
