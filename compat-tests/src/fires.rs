//! Was every occurrence of a job fired exactly once?
use std::collections::BTreeSet;
use std::ops::Range;

/// Compares the seconds at which a job was due with those of its log rows; gives what is wrong in words.
///
/// `exact` are the rows that name the second that was due. `real` are, in order, the rows that tell when they were fired:
/// they are matched in order with the seconds that `exact` left, must be as many, and none early or more than `latest_s`
/// seconds late.
pub fn faults(due: Range<i64>, exact: &[i64], real: &[i64], latest_s: i64) -> Vec<String> {
    let mut faults = Vec::new();
    let begin = due.start;
    let mut left: BTreeSet<i64> = due.collect();
    for second in exact {
        if !left.remove(second) {
            faults.push(format!("second {}: not due, or twice by the other", second - begin));
        }
    }
    if left.len() != real.len() {
        let left: Vec<i64> = left.iter().map(|second| second - begin).collect();
        let real: Vec<i64> = real.iter().map(|second| second - begin).collect();
        faults.push(format!("the other left seconds {left:?}, but fired were {real:?}"));
    }
    for (due, fired) in left.iter().zip(real) {
        if !(0..=latest_s).contains(&(fired - due)) {
            faults.push(format!("second {}: fired {} s after it", due - begin, fired - due));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::faults;

    fn count(exact: &[i64], real: &[i64]) -> usize {
        faults(10..14, exact, real, 2).len()
    }

    #[test]
    fn each_second_once_is_right_whoever_fired_it() {
        assert_eq!(count(&[], &[10, 11, 12, 13]), 0);
        assert_eq!(count(&[10, 12], &[11, 13]), 0);
        assert_eq!(count(&[10, 12], &[12, 14]), 0, "a little late");
    }

    #[test]
    fn a_second_fired_by_both_is_a_fault() {
        assert!(count(&[10, 11, 12, 13], &[13]) > 0);
        assert!(count(&[10, 11], &[11, 12, 13]) > 0);
    }

    #[test]
    fn a_second_fired_twice_by_one_is_a_fault() {
        assert!(count(&[10, 10, 12], &[11, 13]) > 0);
        assert!(count(&[], &[10, 11, 11, 12, 13]) > 0);
    }

    #[test]
    fn a_second_that_nobody_fired_is_a_fault() {
        assert!(count(&[10, 11], &[13]) > 0);
        assert!(count(&[], &[]) > 0);
    }

    #[test]
    fn a_fire_before_its_time_or_much_too_late_is_a_fault() {
        assert!(count(&[10, 11, 12], &[12]) > 0);
        assert!(count(&[10, 11, 12], &[16]) > 0);
    }
}
