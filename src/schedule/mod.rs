//! Which jobs are due, and when next. Ports `JobScheduleHelper`.

pub mod decide;
pub mod next_time;
pub mod ring;
pub mod scan;
pub mod tick;
