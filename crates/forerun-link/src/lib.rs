//! Carries records between client and server: segments, ring, stage, doorbell, answers, events
