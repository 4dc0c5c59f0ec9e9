//! Numbers by value, without rounding: `1e2` is `100`, `-0` is `0`, and a 40-digit integer is itself.

use std::cmp::Ordering;

/// A decimal number: `digits × 10^exponent`, with no leading or trailing zero digit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Number {
    negative: bool,
    /// ASCII digits, empty for zero.
    digits: String,
    exponent: i64,
}

/// Digits of an exponent that are read: JSON allows any, no real value needs more.
const EXPONENT_DIGITS_MAX: usize = 9;

impl Number {
    /// Reads a JSON number (RFC 8259, section 6). `None` where the text is none, or where its
    /// exponent has more than nine digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
            None => (rest, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all_digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
        if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) {
            return None;
        }
        let mut digits: String = whole.chars().chain(fraction.chars()).skip_while(|c| *c == '0').collect();
        let mut exponent = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?;
        while digits.ends_with('0') {
            digits.pop();
            exponent = exponent.checked_add(1)?;
        }
        if digits.is_empty() {
            return Some(Self { negative: false, digits, exponent: 0 });
        }
        Some(Self { negative, digits, exponent })
    }

    /// A whole number.
    #[must_use]
    pub fn from_u64(value: u64) -> Self {
        Self::parse(&value.to_string()).unwrap_or(Self {
            negative: false,
            digits: String::new(),
            exponent: 0,
        })
    }

    /// Whether it has no fraction.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.exponent >= 0
    }

    /// Position of the first digit: the number is `0.d… × 10^magnitude`.
    fn magnitude(&self) -> i64 {
        self.exponent.saturating_add(i64::try_from(self.digits.len()).unwrap_or(i64::MAX))
    }

    fn cmp_absolute(&self, other: &Self) -> Ordering {
        match (self.digits.is_empty(), other.digits.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            // Without trailing zeros, the longer of two equal beginnings is the larger one.
            (false, false) => {
                self.magnitude().cmp(&other.magnitude()).then_with(|| self.digits.cmp(&other.digits))
            }
        }
    }
}

fn parse_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || digits.len() > EXPONENT_DIGITS_MAX || !digits.bytes().all(|b| b.is_ascii_digit())
    {
        return None;
    }
    let value: i64 = digits.parse().ok()?;
    Some(if text.starts_with('-') { -value } else { value })
}

impl std::fmt::Display for Number {
    /// As a JSON number, with an exponent where that is shorter than zeros.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const ZEROS_MAX: i64 = 20;
        if self.negative {
            f.write_str("-")?;
        }
        let digits = self.digits.as_str();
        match usize::try_from(self.exponent.unsigned_abs()) {
            _ if digits.is_empty() => f.write_str("0"),
            Ok(zeros) if (0..=ZEROS_MAX).contains(&self.exponent) => {
                write!(f, "{digits}{}", "0".repeat(zeros))
            }
            Ok(places) if self.exponent < 0 && self.exponent > -ZEROS_MAX => {
                let padded = format!("{}{digits}", "0".repeat((places + 1).saturating_sub(digits.len())));
                let (whole, fraction) = padded.split_at(padded.len() - places);
                write!(f, "{whole}.{fraction}")
            }
            _ => write!(f, "{digits}e{}", self.exponent),
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => self.cmp_absolute(other),
            (true, true) => other.cmp_absolute(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Number;

    fn n(text: &str) -> Number {
        Number::parse(text).expect(text)
    }

    #[test]
    fn equal_by_value() {
        for (a, b) in [("1e2", "100"), ("-0", "0"), ("1.50", "1.5"), ("0.001", "1e-3"), ("0e9", "0.0")] {
            assert_eq!(n(a), n(b), "{a} {b}");
        }
    }

    #[test]
    fn ordered_by_value() {
        let rising =
            ["-1e3", "-12.5", "-12", "-0.1", "0", "0.09", "0.1", "9", "10", "10.01", "9007199254740993"];
        for pair in rising.windows(2) {
            assert!(n(pair[0]) < n(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn shown_as_json() {
        for (text, shown) in
            [("1e2", "100"), ("-0.05", "-0.05"), ("12.50", "12.5"), ("0", "0"), ("7e40", "7e40")]
        {
            assert_eq!(n(text).to_string(), shown);
            assert_eq!(n(shown), n(text));
        }
    }

    #[test]
    fn refuses_what_is_no_number() {
        for text in ["", "-", ".5", "1e", "1e9999999999", "0x1", "1 ", "+1"] {
            assert_eq!(Number::parse(text), None, "{text}");
        }
    }
}
