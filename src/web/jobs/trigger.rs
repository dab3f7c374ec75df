//! A run by hand.

use super::{Caller, Refusal, is_blank, no_job, require_group_of};
use crate::config::settings::TriggerAddresses;
use crate::i18n::Key;
use crate::model::{JobInfo, split_addresses};
use crate::web::Core;
use crate::web::message::message;

/// Runs a job now. An absent parameter is an empty one, and replaces the job's; addresses replace those of its group.
///
/// # Errors
/// When there is no such job, it is a foreign one, an address is not known, or too much waits already.
pub async fn trigger(
    core: &Core,
    caller: &impl Caller,
    id: i32,
    param: Option<String>,
    addresses: Option<String>,
) -> Result<(), Refusal> {
    let job = core.store.find_job(id).await?.ok_or_else(|| Refusal::Refused(no_job()))?;
    require_group_of(caller, &job)?;
    let addresses = addresses.filter(|list| !is_blank(Some(list)));
    if let Some(list) = &addresses {
        require_known(core, caller, &job, list).await?;
    }
    core.triggers
        .trigger_by_hand(id, param.unwrap_or_default(), addresses.clone())
        .await
        .map_err(|refused| Refusal::Refused(message![refused.tell(core.settings.job.locale)]))?;
    caller
        .audit("jobinfo trigger", &format!("{id} {} on {}", job.job_desc, addresses.as_deref().unwrap_or("its group")));
    Ok(())
}

/// Refuses addresses that neither stand in the group's list nor are registered for it, unless
/// `security.trigger-addresses` allows others.
async fn require_known(core: &Core, caller: &impl Caller, job: &JobInfo, list: &str) -> Result<(), Refusal> {
    match core.settings.security.trigger_addresses {
        TriggerAddresses::Any => return Ok(()),
        TriggerAddresses::Admin if caller.is_admin() => return Ok(()),
        TriggerAddresses::Admin | TriggerAddresses::Known => {}
    }
    let mut known = Vec::new();
    if let Some(group) = core.store.find_group(job.job_group).await? {
        known = group.addresses();
        known.extend(split_addresses(core.registry.address_list(&group.app_name).await?.as_deref()));
    }
    if is_known(list, &known) {
        return Ok(());
    }
    caller.audit("refused", &format!("job {} on the addresses {list}", job.id));
    Err(Refusal::Refused(message![Key::JobgroupFieldRegistryList, Key::SystemUnvalid]))
}

fn is_known(list: &str, known: &[String]) -> bool {
    let plain = |address: &str| {
        let address = address.trim();
        address.strip_suffix('/').unwrap_or(address).to_owned()
    };
    let known: Vec<String> = known.iter().map(|address| plain(address)).collect();
    split_addresses(Some(list)).iter().all(|address| known.contains(&plain(address)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_known_whatever_their_last_slash() {
        let known = ["http://a:1/".to_owned(), " http://b:2".to_owned()];
        for list in ["http://a:1", "http://a:1/", " http://b:2/ ,http://a:1", "http://a:1,"] {
            assert!(is_known(list, &known), "{list}");
        }
        for list in ["http://c:3/", "http://a:1,http://c:3", "http://a:1//", "http://a:1,,http://b:2"] {
            assert!(!is_known(list, &known), "{list}");
        }
    }
}
