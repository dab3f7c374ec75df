//! Executor groups (Java: `JobGroupController`).

use actix_web::web;

use super::{Mapping, markup, page};
use crate::config::Release;
use crate::i18n::Key;
use crate::model::{AddressType, EXECUTOR_GROUP, JobGroup, split_addresses};
use crate::web::auth::{AdminUser, LoginUser};
use crate::web::dialect::Dialect;
use crate::web::envelope::Reply;
use crate::web::error::Error;
use crate::web::message::{Message, message};
use crate::web::params::{Params, is_blank, utf16_len};
use crate::web::rows::Row;

pub(super) fn mappings() -> Vec<Mapping> {
    use Dialect as D;
    vec![
        Mapping::json("/jobgroup/pageList", D::ALL, web::to(page_list)).read(),
        Mapping::json("/jobgroup/save", D::TO_3_2, web::to(save)),
        Mapping::json("/jobgroup/add", D::TO_3_2, web::to(save)).extra(),
        Mapping::json("/jobgroup/insert", D::ONLY_3, web::to(save)),
        Mapping::json("/jobgroup/update", D::ALL, web::to(update)),
        Mapping::json("/jobgroup/remove", D::TO_3_2, web::to(remove)),
        Mapping::json("/jobgroup/delete", D::ONLY_3, web::to(remove)),
        Mapping::json("/jobgroup/loadById", D::ALL, web::to(load_by_id)).read(),
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

fn check_addresses(group: &JobGroup, dialect: Dialect, is_refused: impl Fn(&str) -> bool) -> Result<(), Message> {
    let list = group.address_list.as_deref();
    if is_blank(list) {
        return Err(message![Key::JobgroupFieldAddressTypeLimit]);
    }
    if list.is_some_and(is_refused) {
        return Err(message![Key::JobgroupFieldRegistryList, Key::SystemUnvalid]);
    }
    for item in split_addresses(list) {
        if is_blank(Some(&item)) {
            return Err(message![Key::JobgroupFieldRegistryListUnvalid]);
        }
        if dialect == Dialect::V3 && !is_http(&item) {
            return Err(message![Key::JobgroupFieldRegistryListUnvalid, "[2]"]);
        }
    }
    Ok(())
}

/// Whether an address starts with `http:` or `https:`, as it must from 3.3 on.
fn is_http(address: &str) -> bool {
    let has = |scheme: &str| address.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    has("http:") || has("https:")
}

async fn save(user: AdminUser, params: Params) -> Result<Reply, Error> {
    let group = bind(&params)?;
    let core = &user.state().core;
    let is_refused = |text: &str| markup::is_refused(core.profile.release, text);
    check_names(&group, is_refused).map_err(Error::refused)?;
    if group.address_type() == AddressType::Manual {
        check_addresses(&group, user.dialect(), is_refused).map_err(Error::refused)?;
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
        AddressType::Manual => check_addresses(&group, user.dialect(), is_refused).map_err(Error::refused)?,
    }
    if !core.store.update_group(&group, user.state().now()).await? {
        return Err(Error::Refused(None));
    }
    user.audit("jobgroup update", &format!("{} {}", group.id, group.app_name));
    Ok(Reply::done())
}

async fn remove(user: AdminUser, params: Params) -> Result<Reply, Error> {
    let id = params.listed_id()?;
    let core = &user.state().core;
    let is_3 = user.dialect().is_3();
    let group = core.store.find_group(id).await?;
    // To 3.1 a group that is gone is told of last.
    if is_3 && group.is_none() {
        return gone(&user);
    }
    if core.store.is_group_used(id).await? {
        return Err(Error::refused(message![Key::JobgroupDelLimit0]));
    }
    if core.store.count_groups().await? == 1 {
        return Err(Error::refused(message![Key::JobgroupDelLimit1]));
    }
    let Some(group) = group else { return gone(&user) };
    if !core.store.remove_group(id).await? {
        // A job came in between, or somebody else was quicker.
        let used = core.store.is_group_used(id).await?;
        return Err(Error::Refused(used.then(|| message![Key::JobgroupDelLimit0])));
    }
    if core.profile.release >= Release::V3_3 || user.dialect() == Dialect::V3 {
        core.store.remove_entries_of(EXECUTOR_GROUP, &group.app_name).await?;
    }
    user.audit("jobgroup remove", &format!("{id} {}", group.app_name));
    Ok(Reply::done())
}

/// What is said of a group that is not there: from 3.3.1 on that it is gone as wished.
fn gone(user: &AdminUser) -> Result<Reply, Error> {
    if user.dialect() == Dialect::V3 { Ok(Reply::done()) } else { Err(Error::Refused(None)) }
}

async fn load_by_id(user: LoginUser, params: Params) -> Result<Reply, Error> {
    let id = params.id()?;
    // From 3.3.2 on not for administrators alone.
    if user.dialect() == Dialect::V3 && !user.user().is_admin() {
        if !user.may_use_group(id) {
            return Err(Error::NotAdmin);
        }
    } else if user.listed_groups()?.is_some_and(|groups| !groups.contains(&id)) {
        return Err(Error::NotAdmin);
    }
    match user.state().core.store.find_group(id).await? {
        Some(group) => Ok(Reply::content(&user.style().group(group))),
        None => Err(Error::Refused(None)),
    }
}

async fn page_list(user: LoginUser, params: Params) -> Result<Reply, Error> {
    let own = user.listed_groups()?;
    let (start, length) = page(&user, &params)?;
    let (app_name, title) = (params.text_or_empty("appname"), params.text_or_empty("title"));
    let store = &user.state().core.store;
    let (groups, total) = match own {
        None => store.page_groups(&app_name, &title, start, length).await?,
        Some(ids) => page_among(store.find_groups(&ids).await?, &app_name, &title, start, length),
    };
    let style = user.style();
    let rows: Vec<Row> = groups.into_iter().map(|group| style.group(group)).collect();
    Ok(Reply::list(&rows, total))
}

/// A page of these few groups: those whose app name and title contain the texts, whatever their case, in the usual order.
fn page_among(mut groups: Vec<JobGroup>, app_name: &str, title: &str, start: i64, length: i64) -> (Vec<JobGroup>, i64) {
    let contains = |text: &str, part: &str| text.to_lowercase().contains(&part.to_lowercase());
    groups.retain(|group| contains(&group.app_name, app_name) && contains(&group.title, title));
    groups.sort_by(|a, b| (&a.app_name, &a.title, a.id).cmp(&(&b.app_name, &b.title, b.id)));
    let total = groups.len() as i64;
    let (start, length) = (usize::try_from(start).unwrap_or(0), usize::try_from(length).unwrap_or(0));
    (groups.into_iter().skip(start).take(length).collect(), total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::Locale;

    #[test]
    fn few_groups_are_paged_as_many_are() {
        let groups = || vec![group("b-app", "T", ""), group("a-app", "x", ""), group("a-app", "t", "")];
        let names = |page: (Vec<JobGroup>, i64)| {
            let names: Vec<String> = page.0.iter().map(|group| format!("{} {}", group.app_name, group.title)).collect();
            (names.join(","), page.1)
        };
        assert_eq!(names(page_among(groups(), "", "", 0, 10)), ("a-app t,a-app x,b-app T".into(), 3));
        assert_eq!(names(page_among(groups(), "APP", "t", 1, 10)), ("b-app T".into(), 2));
        assert_eq!(names(page_among(groups(), "A-", "", 0, 1)), ("a-app t".into(), 2));
    }

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
        let check =
            |addresses: &str| text(check_addresses(&group("", "", addresses), Dialect::V2, |text| text.contains('<')));
        assert_eq!(check(" "), "手动录入注册方式，机器地址不可为空");
        assert_eq!(check("http://a<b"), "机器地址非法");
        assert_eq!(check("http://a:1,,http://b:2"), "机器地址格式非法");
        for good in ["http://a:1,", ",", "127.0.0.1:9999"] {
            assert_eq!(check(good), "", "{good}");
        }
    }

    #[test]
    fn addresses_need_a_scheme_from_3_3() {
        let check = |addresses: &str| text(check_addresses(&group("", "", addresses), Dialect::V3, |_| false));
        assert_eq!(check("HTTPS://a:1/,http:b"), "");
        assert_eq!(check("127.0.0.1:9999, "), "机器地址格式非法[2]");
        assert_eq!(check("http://a:1/, ,ftp:x"), "机器地址格式非法");
    }
}
