//! `SHARDING_BROADCAST`: every address, each with its number. Not a choice but one run a part.

use crate::config::number::NumberRule;
use crate::model::Shard;

/// The address of a part; the first when the list has become shorter than the number of parts.
pub(super) fn choose(addresses: &[String], shard: Shard) -> Option<&str> {
    let at = usize::try_from(shard.index).ok().and_then(|index| addresses.get(index));
    at.or_else(|| addresses.first()).map(String::as_str)
}

/// The part that a sharding parameter `index/total` names; none when it is not of that form. Trailing slashes are ignored.
pub fn parse_shard(param: &str, rule: NumberRule) -> Option<Shard> {
    let (index, total) = param.trim_end_matches('/').split_once('/')?;
    Some(Shard { index: rule.parse(index)?, total: rule.parse(total)? })
}

/// The parts to run, in order: all of them, or the single one that the caller named (a retry runs its own part again).
/// A group without addresses has one part, so that there is a run to tell so.
pub fn shards(addresses: usize, named: Option<Shard>) -> Vec<Shard> {
    match (named, i32::try_from(addresses).unwrap_or(i32::MAX)) {
        (Some(shard), _) => vec![shard],
        (None, 0) => vec![Shard::SINGLE],
        (None, total) => (0..total).map(|index| Shard { index, total }).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sharding_parameters_are_read_by_the_rule_of_the_release() {
        let shard = |index, total| Some(Shard { index, total });
        for (param, signed, digits) in [
            ("1/3", shard(1, 3), shard(1, 3)),
            ("1/3/", shard(1, 3), shard(1, 3)),
            ("+1/3", shard(1, 3), None),
            ("-1/3", shard(-1, 3), None),
            (" 1/3", None, None),
            ("1", None, None),
            ("1/2/3", None, None),
            ("/", None, None),
            ("/2", None, None),
            ("", None, None),
            ("99999999999/2", None, None),
        ] {
            assert_eq!(parse_shard(param, NumberRule::Signed), signed, "{param}");
            assert_eq!(parse_shard(param, NumberRule::Digits), digits, "{param}");
        }
    }

    #[test]
    fn a_broadcast_has_one_part_an_address() {
        assert_eq!(shards(2, None), [Shard { index: 0, total: 2 }, Shard { index: 1, total: 2 }]);
        assert_eq!(shards(0, None), [Shard::SINGLE]);
        assert_eq!(shards(2, Some(Shard { index: 4, total: 5 })), [Shard { index: 4, total: 5 }]);
    }

    #[test]
    fn a_part_beyond_the_list_goes_to_the_first_address() {
        let addresses = ["a".to_owned(), "b".to_owned()];
        for (index, address) in [(0, "a"), (1, "b"), (2, "a"), (-1, "a")] {
            assert_eq!(choose(&addresses, Shard { index, total: 3 }), Some(address));
        }
        assert_eq!(choose(&[], Shard::SINGLE), None);
    }
}
