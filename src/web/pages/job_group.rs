//! Executor groups (Java: `JobGroupController`).

use actix_web::web;

use super::{Mapping, markup, page};
use crate::config::Release;
use crate::i18n::Key;
use crate::model::{AddressType, EXECUTOR_GROUP, JobGroup, split_addresses};
use crate::web::auth::AdminUser;
use crate::web::envelope::Reply;
use crate::web::error::Error;
use crate::web::message::{Message, message};
use crate::web::params::{Params, is_blank, utf16_len};
use crate::web::rows::GroupRow;

pub(super) fn mappings() -> Vec<Mapping> {
    vec![
        Mapping::any("/jobgroup/pageList", web::to(page_list)),
        Mapping::any("/jobgroup/save", web::to(save)),
        Mapping::any("/jobgroup/update", web::to(update)),
        Mapping::any("/jobgroup/remove", web::to(remove)),
        Mapping::any("/jobgroup/loadById", web::to(load_by_id)),
    ]
}

fn bind(params: &Params) -> Result<JobGroup, Error> {
    Ok(JobGroup {
        id: params.bound_int("id")?,
        app_name: params.text_or_empty("appname"),
        title: params.text_or_empty("title"),
        address_type: params.bound_int("addressType")?,
        address_list: params.text("addressList"),
        update_time: None,
    })
}

fn check_names(group: &JobGroup, is_refused: impl Fn(&str) -> bool) -> Result<(), Message> {
    if is_blank(Some(&group.app_name)) {
        return Err(message![Key::SystemPleaseInput, "AppName"]);
    }
    if !(4..=64).contains(&utf16_len(&group.app_name)) {
        return Err(message![Key::JobgroupFieldAppnameLength]);
    }
    if is_refused(&group.app_name) {
        return Err(message!["AppName", Key::SystemUnvalid]);
    }
    if is_blank(Some(&group.title)) {
        return Err(message![Key::SystemPleaseInput, Key::JobgroupFieldTitle]);
    }
    if is_refused(&group.title) {
        return Err(message![Key::JobgroupFieldTitle, Key::SystemUnvalid]);
    }
    Ok(())
}

fn check_addresses(group: &JobGroup, is_refused: impl Fn(&str) -> bool) -> Result<(), Message> {
    let list = group.address_list.as_deref();
    if is_blank(list) {
        return Err(message![Key::JobgroupFieldAddressTypeLimit]);
    }
    if list.is_some_and(is_refused) {
        return Err(message![Key::JobgroupFieldRegistryList, Key::SystemUnvalid]);
    }
    if split_addresses(list).iter().any(|item| is_blank(Some(item))) {
        return Err(message![Key::JobgroupFieldRegistryListUnvalid]);
    }
    Ok(())
}

async fn save(user: AdminUser, params: Params) -> Result<Reply, Error> {
    let group = bind(&params)?;
    let core = &user.state().core;
    let is_refused = |text: &str| markup::is_refused(core.profile.release, text);
    check_names(&group, is_refused).map_err(Error::refused)?;
    if group.address_type() == AddressType::Manual {
        check_addresses(&group, is_refused).map_err(Error::refused)?;
    }
    core.store.insert_group(&group, user.state().now()).await?;
    // Executors that registered before their group was made are in it from now on.
    if group.address_type() == AddressType::Automatic
        && let Err(error) = core.registry.fill(&group.app_name).await
    {
        tracing::warn!(app = group.app_name, "the addresses of a new group come with the next sweep: {error}");
    }
    user.audit("jobgroup add", &group.app_name);
    Ok(Reply::done())
}

async fn update(user: AdminUser, params: Params) -> Result<Reply, Error> {
    let mut group = bind(&params)?;
    let core = &user.state().core;
    let is_refused = |text: &str| markup::is_refused_in_edit(core.profile.release, text);
    check_names(&group, is_refused).map_err(Error::refused)?;
    match group.address_type() {
        AddressType::Automatic => group.address_list = core.registry.address_list(&group.app_name).await?,
        AddressType::Manual => check_addresses(&group, is_refused).map_err(Error::refused)?,
    }
    if !core.store.update_group(&group, user.state().now()).await? {
        return Err(Error::Refused(None));
    }
    user.audit("jobgroup update", &format!("{} {}", group.id, group.app_name));
    Ok(Reply::done())
}

async fn remove(user: AdminUser, params: Params) -> Result<Reply, Error> {
    let id = params.id()?;
    let core = &user.state().core;
    if core.store.is_group_used(id).await? {
        return Err(Error::refused(message![Key::JobgroupDelLimit0]));
    }
    if core.store.count_groups().await? == 1 {
        return Err(Error::refused(message![Key::JobgroupDelLimit1]));
    }
    let Some(group) = core.store.find_group(id).await? else { return Err(Error::Refused(None)) };
    if !core.store.remove_group(id).await? {
        // A job came in between, or somebody else was quicker.
        let used = core.store.is_group_used(id).await?;
        return Err(Error::Refused(used.then(|| message![Key::JobgroupDelLimit0])));
    }
    if core.profile.release >= Release::V3_3 {
        core.store.remove_entries_of(EXECUTOR_GROUP, &group.app_name).await?;
    }
    user.audit("jobgroup remove", &format!("{id} {}", group.app_name));
    Ok(Reply::done())
}

async fn load_by_id(user: AdminUser, params: Params) -> Result<Reply, Error> {
    match user.state().core.store.find_group(params.id()?).await? {
        Some(group) => Ok(Reply::content(&GroupRow::new(user.dialect(), group))),
        None => Err(Error::Refused(None)),
    }
}

async fn page_list(user: AdminUser, params: Params) -> Result<Reply, Error> {
    let (start, length) = page(&user, &params)?;
    let (app_name, title) = (params.text_or_empty("appname"), params.text_or_empty("title"));
    let (groups, total) = user.state().core.store.page_groups(&app_name, &title, start, length).await?;
    let rows: Vec<GroupRow> = groups.into_iter().map(|group| GroupRow::new(user.dialect(), group)).collect();
    Ok(Reply::list(&rows, total))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::Locale;

    fn group(app_name: &str, title: &str, addresses: &str) -> JobGroup {
        JobGroup {
            app_name: app_name.into(),
            title: title.into(),
            address_type: 1,
            address_list: Some(addresses.into()),
            ..JobGroup::default()
        }
    }

    fn text(result: Result<(), Message>) -> String {
        result.err().map(|message| message.render(Locale::ZhCn)).unwrap_or_default()
    }

    #[test]
    fn names_are_checked_in_order() {
        let check =
            |app_name: &str, title: &str| text(check_names(&group(app_name, title, ""), |text| text.contains('<')));
        assert_eq!(check(" ", ""), "请输入AppName");
        assert_eq!(check("abc", ""), "AppName长度限制为4~64");
        assert_eq!(check("ab< ", ""), "AppName非法");
        assert_eq!(check("abc ", ""), "请输入名称");
        assert_eq!(check("abcd", "<"), "名称非法");
        assert_eq!(check(&"a".repeat(64), "t"), "");
        assert_eq!(check(&"a".repeat(65), "t"), "AppName长度限制为4~64");
    }

    #[test]
    fn trailing_commas_of_addresses_pass() {
        let check = |addresses: &str| text(check_addresses(&group("", "", addresses), |text| text.contains('<')));
        assert_eq!(check(" "), "手动录入注册方式，机器地址不可为空");
        assert_eq!(check("http://a<b"), "机器地址非法");
        assert_eq!(check("http://a:1,,http://b:2"), "机器地址格式非法");
        for good in ["http://a:1,", ",", "127.0.0.1:9999"] {
            assert_eq!(check(good), "", "{good}");
        }
    }
}
