//! Maps by numbers that are counted up here: nobody can choose them so that they collide, which is what the standard
//! hash takes its time to prevent.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map by such numbers.
pub type ByNumber<T> = HashMap<u32, T, BuildHasherDefault<Spread>>;

/// 2^64 divided by the golden ratio: its multiples lie far apart, in their high bits too.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// Spreads numbers that follow each other.
#[derive(Debug, Default)]
pub struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = u64::from(number).wrapping_mul(GOLDEN);
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(GOLDEN);
        }
    }
}
