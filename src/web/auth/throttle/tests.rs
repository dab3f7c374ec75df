use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use super::*;
use crate::clock::ManualClock;

struct Fixture {
    clock: ManualClock,
    throttle: Throttle,
}

fn fixture() -> Fixture {
    Fixture { clock: ManualClock::at(1_796_071_183_000), throttle: Throttle::new() }
}

fn at(name: &str, address: &str) -> Subject {
    Subject::new(name, Some(address.parse().unwrap()))
}

/// What a login meets at once.
#[derive(Debug, PartialEq, Eq)]
enum Met {
    Nothing,
    Wait,
    Refusal,
}

impl Fixture {
    /// Begins a login and looks what it meets; what would have to wait is given up, which counts as failed.
    fn try_once(&self, subject: &Subject) -> (Met, Option<Attempt>) {
        let admission = pin!(self.throttle.admit(subject, &self.clock));
        match admission.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Pending => (Met::Wait, None),
            Poll::Ready(None) => (Met::Refusal, None),
            Poll::Ready(Some(attempt)) => (Met::Nothing, Some(attempt)),
        }
    }

    fn fail(&self, subject: &Subject, times: usize) {
        for _ in 0..times {
            assert_ne!(self.try_once(subject).0, Met::Refusal);
        }
    }

    fn meets(&self, subject: &Subject) -> Met {
        let (met, attempt) = self.try_once(subject);
        attempt.into_iter().for_each(Attempt::void);
        met
    }

    fn succeed(&self, subject: &Subject) {
        self.try_once(subject).1.expect("let in").succeed();
    }

    /// How long a login waits, in milliseconds.
    async fn waits(&self, subject: &Subject) -> i64 {
        let mut admission = pin!(self.throttle.admit(subject, &self.clock));
        let mut waited = 0;
        loop {
            if let Poll::Ready(attempt) = futures_util::poll!(admission.as_mut()) {
                drop(attempt.expect("let in"));
                return waited;
            }
            self.clock.advance(100);
            waited += 100;
        }
    }
}

#[tokio::test]
async fn ten_failures_are_free_and_then_each_answer_waits_longer() {
    let f = fixture();
    let mallory = at("admin", "192.0.2.1");
    let mut waits = Vec::new();
    for _ in 0..16 {
        waits.push(f.waits(&mallory).await);
    }
    assert_eq!(waits[..10], [0; 10]);
    assert_eq!(waits[10..], [500, 1_000, 2_000, 4_000, 8_000, 8_000]);
}

#[test]
fn fifty_failures_are_the_end_until_a_quarter_of_an_hour_has_passed() {
    let f = fixture();
    let mallory = at("admin", "192.0.2.1");
    f.fail(&mallory, 50);
    assert_eq!(f.meets(&mallory), Met::Refusal);
    f.clock.advance(WINDOW_MS - 1);
    assert_eq!(f.meets(&mallory), Met::Refusal);
    f.clock.advance(1);
    assert_eq!(f.meets(&mallory), Met::Nothing);
}

#[test]
fn failures_are_forgotten_with_their_window() {
    let f = fixture();
    let forgetful = at("admin", "192.0.2.1");
    f.fail(&forgetful, 10);
    assert_eq!(f.meets(&forgetful), Met::Wait);
    f.clock.advance(WINDOW_MS);
    assert_eq!(f.meets(&forgetful), Met::Nothing);
}

#[test]
fn other_addresses_and_other_users_are_not_slowed() {
    let f = fixture();
    f.fail(&at("admin", "192.0.2.1"), 50);
    assert_eq!(f.meets(&at("admin", "192.0.2.2")), Met::Nothing);
    assert_eq!(f.meets(&at("eve", "192.0.2.1")), Met::Nothing);
}

#[test]
fn names_are_those_of_the_collation_and_addresses_those_of_a_network() {
    let f = fixture();
    f.fail(&at("admin", "2001:db8::1"), 5);
    f.fail(&at("ADMIN  ", "2001:db8::ffff"), 5);
    assert_eq!(f.meets(&at("Admin", "2001:db8::2")), Met::Wait);
    assert_eq!(f.meets(&at(" admin", "2001:db8::2")), Met::Nothing);
    assert_eq!(f.meets(&at("admin", "2001:db8:0:1::1")), Met::Nothing);
    assert!(at("a", "::ffff:192.0.2.1").is_counted_with(&at("A ", "192.0.2.1")));
    assert!(!at("a", "192.0.2.1").is_counted_with(&at("a", "192.0.2.2")));
}

#[test]
fn a_success_forgets_the_failures_of_its_address() {
    let f = fixture();
    let owner = at("admin", "192.0.2.1");
    f.fail(&owner, 9);
    f.succeed(&owner);
    f.fail(&owner, 9);
    assert_eq!(f.meets(&owner), Met::Nothing);
}

#[test]
fn many_addresses_are_stopped_but_for_those_that_the_user_has_logged_in_from() {
    let f = fixture();
    let home = at("admin", "198.51.100.1");
    f.succeed(&home);
    for n in 1..=40 {
        f.fail(&at("admin", &format!("192.0.2.{n}")), 5);
    }
    assert_eq!(f.meets(&at("admin", "192.0.2.200")), Met::Refusal);
    assert_eq!(f.meets(&at("admin", "192.0.2.1")), Met::Refusal);
    assert_eq!(f.meets(&at("eve", "192.0.2.200")), Met::Nothing);
    f.fail(&home, 3);
    assert_eq!(f.meets(&home), Met::Nothing);
    f.clock.advance(WINDOW_MS);
    assert_eq!(f.meets(&at("admin", "192.0.2.200")), Met::Nothing);
}

#[test]
fn guesses_side_by_side_gain_nothing() {
    let f = fixture();
    let mallory = at("admin", "192.0.2.1");
    let open: Vec<Attempt> = (0..50).map(|_| f.try_once(&mallory).1.expect("let in")).collect();
    assert_eq!(f.meets(&mallory), Met::Wait, "fifty are open");
    drop(open);
    assert_eq!(f.meets(&mallory), Met::Refusal, "fifty have failed");
}

#[test]
fn logins_side_by_side_with_the_right_password_are_let_in() {
    let f = fixture();
    let nodes = at("deploy", "192.0.2.1");
    for attempt in (0..20).map(|_| f.try_once(&nodes).1.expect("let in")).collect::<Vec<_>>() {
        attempt.succeed();
    }
    f.fail(&nodes, 3);
    for attempt in (0..40).map(|_| f.try_once(&nodes).1.expect("let in")).collect::<Vec<_>>() {
        attempt.succeed();
    }
    assert_eq!(f.meets(&nodes), Met::Nothing);
}

#[test]
fn a_fault_is_no_failure() {
    let f = fixture();
    let user = at("admin", "192.0.2.1");
    for _ in 0..100 {
        f.try_once(&user).1.expect("let in").void();
    }
    assert_eq!(f.meets(&user), Met::Nothing);
}

#[test]
fn no_more_than_two_hundred_answers_wait() {
    let f = fixture();
    let subjects: Vec<Subject> = (0..=20).map(|n| at(&format!("user{n}"), "192.0.2.1")).collect();
    for subject in &subjects {
        f.fail(subject, 10);
    }
    let mut waiting = Vec::new();
    for subject in &subjects[..20] {
        for _ in 0..10 {
            let mut admission = Box::pin(f.throttle.admit(subject, &f.clock));
            assert!(admission.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            waiting.push(admission);
        }
    }
    assert_eq!(f.meets(&subjects[20]), Met::Refusal);
    waiting.pop();
    assert_eq!(f.meets(&subjects[20]), Met::Wait);
    assert_eq!(f.meets(&at("somebody", "192.0.2.1")), Met::Nothing, "who need not wait needs no seat");
}

#[test]
fn made_up_names_do_not_flood_a_count_away() {
    let f = fixture();
    let mallory = at("admin", "192.0.2.1");
    f.fail(&mallory, 50);
    for n in 0..CAPACITY + CAPACITY / 2 {
        f.fail(&at(&format!("name{n}"), "192.0.2.1"), 1);
    }
    assert_eq!(f.meets(&mallory), Met::Refusal);
    let counts = f.throttle.lock();
    assert!(counts.places.len() <= CAPACITY && counts.users.len() <= CAPACITY, "{}", counts.places.len());
}

#[test]
fn earlier_successes_are_bounded_and_the_latest_are_kept() {
    let f = fixture();
    for n in 0..=CAPACITY {
        f.clock.advance(1);
        f.throttle.lock().succeed(&at(&format!("name{n}"), "192.0.2.1"), f.clock.now_ms());
    }
    let counts = f.throttle.lock();
    assert!(counts.successes.len() <= CAPACITY);
    assert!(counts.successes.contains_key(&at(&format!("name{CAPACITY}"), "192.0.2.1").place));
    assert!(!counts.successes.contains_key(&at("name0", "192.0.2.1").place));
}
