//! Carts of a shop.
use std::fmt;

/// A cart.
#[derive(Debug)]
pub struct Cart {
    pub size: usize,
}

impl Cart {
    /// Adds an item.
    pub fn add(&mut self, item: &str) -> usize {
        self.size += item.len();
        self.size
    }
}

macro_rules! price {
    ($x:expr) => { $x * 2 };
}

#[cfg(test)]
mod tests {
    #[test]
    fn adds() {}
}
