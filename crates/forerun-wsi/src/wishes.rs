//! What a program asks of configs, as eglChooseConfig and glXChooseFBConfig compare it (EGL 1.5, table 3.4; GLX 1.4, table 3.4).

use std::ffi::c_int;

/// EGL_DONT_CARE and GLX_DONT_CARE.
const DONT_CARE: c_int = -1;

/// How a request is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// The config has as much or more.
    AtLeast,
    /// The config has just that.
    Exact,
    /// The config has all these bits.
    Mask,
    /// Whatever is asked.
    Ignored,
}

/// An attribute, how it is compared, and what is asked when it is left out.
pub type Row = (c_int, Match, c_int);

/// What is asked of each attribute of a table.
#[derive(Clone, Debug)]
pub struct Wishes {
    rows: &'static [Row],
    values: Vec<c_int>,
}

impl Wishes {
    /// What is asked by default.
    pub fn new(rows: &'static [Row]) -> Wishes {
        Wishes { rows, values: rows.iter().map(|row| row.2).collect() }
    }

    /// An attribute's row and what is asked of it; `None` for what is no attribute.
    pub fn slot(&mut self, name: c_int) -> Option<(&'static Row, &mut c_int)> {
        let index = self.rows.iter().position(|row| row.0 == name)?;
        Some((self.rows.get(index)?, self.values.get_mut(index)?))
    }

    /// What is asked of an attribute.
    pub fn asked(&self, name: c_int) -> c_int {
        let index = self.rows.iter().position(|row| row.0 == name);
        index.and_then(|i| self.values.get(i)).copied().unwrap_or(DONT_CARE)
    }

    /// Whether more of an attribute is better: some of it is asked for.
    pub fn wants(&self, name: c_int) -> bool {
        !matches!(self.asked(name), 0 | DONT_CARE)
    }

    /// Whether a config whose attributes `get` gives is what was asked for. The one named `id` overrides all others.
    pub fn admits(&self, id: c_int, get: impl Fn(c_int) -> Option<c_int>) -> bool {
        let number = self.asked(id);
        if number != DONT_CARE {
            return get(id) == Some(number);
        }
        self.rows.iter().zip(&self.values).all(|(row, &asked)| {
            if asked == DONT_CARE || row.1 == Match::Ignored {
                return true;
            }
            let Some(has) = get(row.0) else { return false };
            match row.1 {
                Match::AtLeast => has >= asked,
                Match::Exact => has == asked,
                Match::Mask => has & asked == asked,
                Match::Ignored => true,
            }
        })
    }

    /// Bits of the channels that were asked for; more are better, and those that were not asked for do not count.
    pub fn bits(&self, channels: [(c_int, c_int); 4]) -> c_int {
        channels.iter().filter(|(name, _)| self.wants(*name)).map(|(_, bits)| bits).sum()
    }
}
