//! The system's clock, and names for calls.

#![expect(clippy::disallowed_methods, reason = "this is the clock behind the port")]

use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::gate::ports::{Clock, Ids};
use crate::syntax::ast::Date;

/// The system's clock.
#[derive(Debug)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// Begins to count.
    #[must_use]
    pub fn new() -> Self {
        Self { start: Instant::now() }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// The day in UTC: the same for everybody who shares a policy, wherever they sit.
    fn today(&self) -> Option<Date> {
        let date = TimeZone::UTC.to_datetime(self.now()).date();
        Some(Date {
            year: u16::try_from(date.year()).ok()?,
            month: u8::try_from(date.month()).ok()?,
            day: u8::try_from(date.day()).ok()?,
        })
    }
}

/// Names that sort by the time at which they were made (UUID version 7).
#[derive(Debug, Default)]
pub struct UniqueIds;

impl Ids for UniqueIds {
    fn call_id(&self) -> String {
        uuid::Uuid::now_v7().to_string()
    }
}
