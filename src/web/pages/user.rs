//! Users, and one's own password (Java: `UserController`, from 3.3 also `LoginController`).
//!
//! Better on purpose: no answer holds a password hash or a login token; a changed password ends the user's logins, and the
//! rights of a changed user count at once.

use actix_web::web;

use super::{Mapping, page};
use crate::i18n::Key;
use crate::model::JobUser;
use crate::store::{Error as StoreError, UserEdit};
use crate::web::auth::{AdminUser, LoginUser, password};
use crate::web::dialect::Dialect;
use crate::web::envelope::Reply;
use crate::web::error::Error;
use crate::web::message::{Message, message};
use crate::web::params::{Params, is_blank, trim, utf16_len};
use crate::web::rows::Row;

pub(super) fn mappings() -> Vec<Mapping> {
    use Dialect as D;
    vec![
        Mapping::json("/user/pageList", D::ALL, web::to(page_list)).read(),
        Mapping::json("/user/add", D::TO_3_2, web::to(add)),
        Mapping::json("/user/insert", D::ONLY_3, web::to(add)),
        Mapping::json("/user/update", D::ALL, web::to(update)),
        Mapping::json("/user/remove", D::TO_3_2, web::to(remove)),
        Mapping::json("/user/delete", D::ONLY_3, web::to(remove)),
        Mapping::json("/user/updatePwd", D::TO_3_2, web::to(update_own_password)),
        Mapping::json("/auth/updatePwd", D::ONLY_3, web::to(update_own_password)),
    ]
}

/// The fields of the form. The password is as it was typed.
fn bind(params: &Params) -> Result<JobUser, Error> {
    Ok(JobUser {
        id: params.bound_int("id")?,
        username: params.text_or_empty("username"),
        password: params.text_or_empty("password"),
        role: params.bound_int("role")?,
        permission: params.text("permission"),
        token: None,
    })
}

/// A name or password without blanks around it, when its length is right.
fn trimmed(text: &str) -> Result<&str, Message> {
    let text = trim(text);
    if (4..=20).contains(&utf16_len(text)) {
        return Ok(text);
    }
    Err(message![Key::SystemLengthLimit, "[4-20]"])
}

/// The name and password of a new user.
fn check_new(user: &JobUser) -> Result<(&str, &str), Message> {
    if is_blank(Some(&user.username)) {
        return Err(message![Key::SystemPleaseInput, Key::UserUsername]);
    }
    let name = trimmed(&user.username)?;
    if is_blank(Some(&user.password)) {
        return Err(message![Key::SystemPleaseInput, Key::UserPassword]);
    }
    Ok((name, trimmed(&user.password)?))
}

fn hash(caller: &LoginUser, given: &str) -> String {
    password::hash(caller.state().core.store.schema().password_hash, given)
}

async fn page_list(caller: AdminUser, params: Params) -> Result<Reply, Error> {
    let (start, length) = page(&caller, &params)?;
    let name = params.required_text("username")?.unwrap_or_default();
    let role = params.int("role")?;
    let (users, total) = caller.state().core.store.page_users(&name, role, start, length).await?;
    let style = caller.style();
    let rows: Vec<Row> = users.into_iter().map(|user| style.user(user)).collect();
    Ok(Reply::list(&rows, total))
}

async fn add(caller: AdminUser, params: Params) -> Result<Reply, Error> {
    let form = bind(&params)?;
    let (name, given) = check_new(&form).map_err(Error::refused)?;
    let repeated = || Error::refused(message![Key::UserUsernameRepeat]);
    let store = &caller.state().core.store;
    if store.find_user_by_name(name).await?.is_some() {
        return Err(repeated());
    }
    let user = JobUser { username: name.to_owned(), password: hash(&caller, given), ..form.clone() };
    match store.insert_user(&user).await {
        // Somebody else was quicker.
        Err(StoreError::Conflict(_)) => return Err(repeated()),
        outcome => outcome?,
    }
    caller.audit("user add", &rights(&user.username, user.role, user.permission.as_deref()));
    Ok(Reply::done())
}

/// What is told of a user in the audit log.
fn rights(who: &str, role: i32, permission: Option<&str>) -> String {
    format!("{who}, role {role}, executor groups {}", permission.unwrap_or("none"))
}

async fn update(caller: AdminUser, params: Params) -> Result<Reply, Error> {
    let form = bind(&params)?;
    // The name alone is compared, as in Java; it is not written.
    if form.username == caller.user().username {
        return Err(Error::refused(message![Key::UserUpdateLoginuserLimit]));
    }
    let password = match form.password.as_str() {
        blank if is_blank(Some(blank)) => None,
        given => Some(hash(&caller, trimmed(given).map_err(Error::refused)?)),
    };
    let has_password = password.is_some();
    let edit = UserEdit { password, role: form.role, permission: form.permission };
    let state = caller.state();
    let found = state.core.store.update_user(form.id, &edit).await?;
    if has_password {
        state.sessions.end_all_of(form.id).await?;
    } else {
        state.sessions.forget_user(form.id);
    }
    let who = if found { format!("id {}", form.id) } else { format!("id {}, which is gone", form.id) };
    let mut told = rights(&who, edit.role, edit.permission.as_deref());
    if has_password {
        told.push_str(", new password");
    }
    caller.audit("user update", &told);
    Ok(Reply::done())
}

async fn remove(caller: AdminUser, params: Params) -> Result<Reply, Error> {
    let id = params.listed_id()?;
    if id == caller.user().id {
        return Err(Error::refused(message![Key::UserUpdateLoginuserLimit]));
    }
    let state = caller.state();
    let Some(user) = state.core.store.find_user(id).await? else { return Ok(Reply::done()) };
    state.core.store.remove_user(id).await?;
    state.sessions.end_all_of(id).await?;
    caller.audit("user remove", &format!("{id} {}", user.username));
    Ok(Reply::done())
}

async fn update_own_password(caller: LoginUser, params: Params) -> Result<Reply, Error> {
    let (old, new) = if caller.dialect() == Dialect::V3_2 {
        // In 3.2 alone both must be there.
        (params.required_text("oldPassword")?, params.required_text("password")?)
    } else {
        (params.text("oldPassword"), params.text("password"))
    };
    let old = old.unwrap_or_default();
    // The Java admins name the old password also when it is the new one that is missing.
    if is_blank(Some(&old)) || is_blank(new.as_deref()) {
        return Err(Error::refused(message![Key::SystemPleaseInput, Key::ChangePwdFieldOldpwd]));
    }
    let new = new.unwrap_or_default();
    let new = trimmed(&new).map_err(Error::refused)?;
    let state = caller.state();
    let store = &state.core.store;
    let id = caller.user().id;
    // As it is now: what the login knows may be some seconds old.
    let stored = store.find_user(id).await?;
    let stored = stored.as_ref().map(|user| user.password.as_str());
    if !password::verify(store.schema().password_hash, stored, &old) {
        caller.audit("refused", "own password: the old one is wrong");
        return Err(Error::refused(message![Key::ChangePwdFieldOldpwd, Key::SystemUnvalid]));
    }
    let hash = hash(&caller, new);
    store.save_password(id, &hash).await?;
    caller.password_changed(&hash).await?;
    caller.audit("user password", "own password changed");
    Ok(Reply::done())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::Locale;

    fn text(name: &str, password: &str) -> String {
        let user = JobUser { username: name.into(), password: password.into(), ..JobUser::default() };
        match check_new(&user) {
            Ok((name, password)) => format!("{name}/{password}"),
            Err(message) => message.render(Locale::ZhCn),
        }
    }

    #[test]
    fn names_and_passwords_are_checked_in_order_and_trimmed() {
        assert_eq!(text(" \u{1}", ""), "请输入账号");
        assert_eq!(text(" abc ", ""), "长度限制[4-20]");
        assert_eq!(text("abcd", " "), "请输入密码");
        assert_eq!(text("abcd", " abc "), "长度限制[4-20]");
        assert_eq!(text(" abcd ", " 1234 "), "abcd/1234");
        assert_eq!(text(&"a".repeat(21), "1234"), "长度限制[4-20]");
        // Java counts UTF-16 units.
        assert_eq!(text("😀😀", "1234"), "😀😀/1234");
    }
}
