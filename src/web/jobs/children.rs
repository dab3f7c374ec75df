//! The children that a job names: each must be there, be permitted, and not lead back to the job.

use std::collections::{HashMap, HashSet};

use super::{Caller, Refusal};
use crate::config::Release;
use crate::config::number::NumberRule;
use crate::i18n::Key;
use crate::model::JobInfo;
use crate::store::{Result as StoreResult, Store};
use crate::web::Core;
use crate::web::dialect::Dialect;
use crate::web::message::{Message, message};
use crate::web::params::is_blank;

/// The number rule of a dialect: signs are allowed to 3.2.
const fn numbers(dialect: Dialect) -> NumberRule {
    match dialect {
        Dialect::V2 | Dialect::V3_2 => NumberRule::Signed,
        Dialect::V3 => NumberRule::Digits,
    }
}

/// Items of a list as Java splits it: trailing empty ones fall away.
fn items(list: &str) -> Vec<&str> {
    let mut items: Vec<&str> = list.split(',').collect();
    while items.last().is_some_and(|item| item.is_empty()) {
        items.pop();
    }
    items
}

fn fault(item: &str, key: Key) -> Message {
    message![Key::JobinfoFieldChildJobId, format!("({item})"), key]
}

fn is_digits(item: &str) -> bool {
    !item.is_empty() && item.bytes().all(|byte| byte.is_ascii_digit())
}

/// What Java says from 3.3 on of digits that 32 bits cannot hold.
fn too_large(item: &str) -> Refusal {
    Refusal::Exception(message![format!("java.lang.NumberFormatException: For input string: \"{item}\"")])
}

/// Checks the children, item by item, and writes the list as it is stored. `own_id` is 0 for a new job.
///
/// # Errors
/// The first item that cannot be a child.
pub async fn check(core: &Core, caller: &impl Caller, job: &mut JobInfo, own_id: i32) -> Result<(), Refusal> {
    let Some(list) = job.child_jobid.clone().filter(|list| !is_blank(Some(list))) else { return Ok(()) };
    let items = items(&list);
    let numbers = numbers(caller.dialect());
    let mut ids = Vec::with_capacity(items.len());
    for item in &items {
        let refused = |key| Refusal::Refused(fault(item, key));
        let id = numbers.parse(item).ok_or_else(|| {
            let is_too_large = numbers == NumberRule::Digits && is_digits(item);
            if is_too_large { too_large(item) } else { refused(Key::SystemUnvalid) }
        })?;
        let is_own = own_id != 0 && id == own_id;
        if is_own && core.profile.release >= Release::V2_5 {
            return Err(refused(Key::SystemUnvalid));
        }
        let child = core.store.find_job(id).await?.ok_or_else(|| refused(Key::SystemNotFound))?;
        if !caller.may_use_group(child.job_group) {
            return Err(refused(Key::SystemPermissionLimit));
        }
        if !is_own {
            ids.push((id, *item));
        }
    }
    // A job that is its own child is left out when children start; longer ways back would run for ever.
    if own_id != 0 {
        for (id, item) in ids {
            if leads_to(&core.store, id, own_id).await? {
                return Err(Refusal::Refused(fault(item, Key::SystemUnvalid)));
            }
        }
    }
    job.child_jobid = Some(items.join(","));
    Ok(())
}

/// Whether the children of a job, and theirs, lead to another job.
async fn leads_to(store: &Store, from: i32, to: i32) -> StoreResult<bool> {
    let mut seen = HashSet::from([from]);
    let mut front = vec![from];
    while !front.is_empty() {
        let lists: HashMap<i32, String> = store.children_of(&front).await?.into_iter().collect();
        let next: HashSet<i32> =
            lists.values().flat_map(|list| list.split(',')).filter_map(|id| NumberRule::Signed.parse(id)).collect();
        if next.contains(&to) {
            return Ok(true);
        }
        front = next.into_iter().filter(|id| seen.insert(*id)).collect();
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::Locale;

    #[test]
    fn lists_split_as_in_java() {
        assert_eq!(items("1,2,,"), ["1", "2"]);
        assert_eq!(items(",1"), ["", "1"]);
        assert_eq!(items(","), [""; 0]);
        assert_eq!(fault(" 2", Key::SystemUnvalid).render(Locale::ZhCn), "子任务ID( 2)非法");
    }
}
