//! Users, scripts, the chart and pages in the dialects from 3.2 on, where they differ from the one before; and the language
//! of answers.

use crate::support::app::{TestApp, spawn_app, spawn_app_with};
use crate::support::html::Page;

/// Status and text of an answer; of a page that says what is wrong what it says.
async fn answer(app: &TestApp, dialect: &str, path: &str, form: &[(&str, &str)], cookie: &str) -> String {
    let answer = app.post_in(dialect, path, form, cookie).await;
    let status = answer.status().as_u16();
    let is_page = answer.headers()["content-type"].to_str().expect("text").starts_with("text/html");
    let body = answer.text().await.expect("a body");
    let body = if is_page { Page::read(&body).text } else { body };
    format!("{status} {}", body.trim_end())
}

fn refused(msg: &str) -> String {
    format!(r#"200 {{"code":500,"data":null,"msg":"{msg}","success":false}}"#)
}

const DONE: &str = r#"200 {"code":200,"data":null,"msg":"Success","success":true}"#;

#[tokio::test]
async fn users_of_3_3_and_later() {
    let app = spawn_app().await;
    let admin = app.admin().await;
    let call = async |path: &str, form: &[(&str, &str)]| answer(&app, "3", path, form, &admin).await;
    let new = [("username", "eve1"), ("password", "secret"), ("role", "0"), ("permission", "1"), ("permission", "2")];
    assert_eq!(call("/user/insert", &new).await, DONE);
    assert_eq!(call("/user/insert", &new).await, refused("账号重复"));
    assert_eq!(call("/user/insert", &[]).await, refused("请输入账号"));
    let id = app.core.store.find_user_by_name("eve1").await.expect("read").expect("the user").id;
    assert_eq!(
        call("/user/pageList", &[("username", "EVE"), ("role", "0"), ("offset", "0"), ("pagesize", "5")]).await,
        format!(
            r#"200 {{"code":200,"data":{{"data":[{{"id":{id},"password":null,"permission":"1,2","role":0,"token":null,"username":"eve1"}}],"offset":0,"pagesize":0,"total":1}},"msg":"Success","success":true}}"#
        )
    );
    for form in [&[("role", "-1")][..], &[("username", "")]] {
        assert!(call("/user/pageList", form).await.starts_with("400 System Error HTTP Status Code: 400"));
    }
    assert_eq!(call("/user/delete", &[("ids[]", "1")]).await, refused("禁止操作当前登录账号"));
    assert_eq!(call("/user/delete", &[("ids[]", "1"), ("ids[]", "2")]).await, refused("请选择一条数据"));
    let (eve, second) = (app.log_in("eve1", "secret").await, app.log_in("eve1", "secret").await);
    let own = [("oldPassword", "wrong"), ("password", "another")];
    assert_eq!(answer(&app, "3", "/auth/updatePwd", &own, &eve).await, refused("旧密码非法"));
    assert_eq!(answer(&app, "3", "/auth/updatePwd", &[], &eve).await, refused("请输入旧密码"));
    assert!(answer(&app, "3.2", "/user/updatePwd", &[("oldPassword", "secret")], &eve).await.starts_with("400 "));
    let own = [("oldPassword", "secret"), ("password", " another ")];
    assert_eq!(answer(&app, "3", "/auth/updatePwd", &own, &eve).await, DONE);
    // The login that asked for it goes on, the others end.
    assert_eq!(app.post_in("3", "/help", &[], &eve).await.status(), 200);
    assert_eq!(app.post_in("3", "/help", &[], &second).await.status(), 302);
    app.log_in("eve1", "another").await;
    assert_eq!(call("/user/delete", &[("ids[]", &id.to_string())]).await, DONE);
    assert_eq!(call("/user/delete", &[("ids[]", &id.to_string())]).await, DONE, "gone as wished");
}

#[tokio::test]
async fn scripts_and_the_chart_of_3_2_and_later() {
    let app = spawn_app().await;
    let admin = app.admin().await;
    let call = async |dialect: &str, path: &str, form: &[(&str, &str)]| answer(&app, dialect, path, form, &admin).await;
    let save = [("id", "1"), ("glueSource", " "), ("glueRemark", "abc")];
    assert_eq!(call("3", "/jobcode/save", &save).await, refused("请输入GLUE源码"));
    assert_eq!(
        call("3.2", "/jobcode/save", &save).await,
        r#"200 {"code":500,"msg":"源码备注长度限制为4~100","content":null,"success":false}"#
    );
    let evil = [("id", "1"), ("glueSource", "x"), ("glueRemark", "javascript:x")];
    assert_eq!(call("3", "/jobcode/save", &evil).await, refused("源码备注非法"));
    for lacking in [&[("id", "1"), ("glueSource", "x")][..], &[("id", "1"), ("glueRemark", "first")]] {
        assert!(call("3.2", "/jobcode/save", lacking).await.starts_with("400 "), "{lacking:?}");
        assert!(call("3", "/jobcode/save", lacking).await.starts_with("400 "), "{lacking:?}");
    }
    let span = [("startDate", "2020-01-01 00:00:00"), ("endDate", "2020-01-07 23:59:59")];
    let chart = call("3", "/chartInfo", &span).await;
    assert!(chart.starts_with(r#"200 {"code":200,"data":{"triggerCountFailTotal":0,"triggerDayList":["#), "{chart}");
    assert!(chart.contains(r#""triggerDayCountSucList":[0,0,0,0,0,0,0]},"msg":"Success""#), "{chart}");
    for bad in [&[][..], &[("startDate", " "), ("endDate", "")], &[("startDate", "2020-01-01"), span[1]]] {
        assert!(call("3", "/chartInfo", bad).await.starts_with("400 "), "{bad:?}");
    }
}

#[tokio::test]
async fn pages_have_the_title_of_their_dialect() {
    let app = spawn_app().await;
    let admin = app.admin().await;
    for (dialect, title) in [("2", "任务调度中心"), ("3.2", "任务调度中心"), ("3", "分布式任务调度平台｜XXL-JOB")]
    {
        for path in ["/", "/jobinfo", "/joblog", "/jobgroup", "/user", "/help"] {
            let html = app.post_in(dialect, path, &[], &admin).await.text().await.expect("a body");
            assert_eq!(Page::read(&html).product(), title, "{dialect} {path}");
        }
    }
    assert_eq!(answer(&app, "3", "/errorpage", &[], "").await, "200 System Error Back");
    let page = app.post_in("3", "/dashboard", &[], &admin).await.text().await.expect("a body");
    assert!(["filterTime", "lineChart", "pieChart"].iter().all(|id| page.contains(&format!("id=\"{id}\""))));
    // A foreign job is as none from 3.3 on, and refused before.
    app.add_user("nogroup", "7").await;
    let low = app.log_in("nogroup", "secret").await;
    assert!(answer(&app, "3", "/joblog", &[("jobId", "1")], &low).await.contains("不存在有效执行器"));
}

#[tokio::test]
async fn json_follows_a_header_and_pages_the_menu() {
    let app = spawn_app_with(|settings| settings.job.is_locale_set = true).await;
    let call = |name: &'static str, value: &'static str| {
        let request = app.client.get(format!("{}/toLogin", app.base_url)).header(name, value);
        async move {
            let html = request.send().await.expect("an answer").text().await.expect("a body");
            Page::read(&html).product().to_owned()
        }
    };
    assert_eq!(call("Accept-Language", "en").await, "任务调度中心");
    assert_eq!(call("Cookie", "xxl_lang=zh_TC").await, "任務調度中心");
    assert_eq!(call("Cookie", "xxl_lang=en").await, "Scheduling Center");
    let login = async |name: &'static str, value: &'static str| {
        let request = app.client.post(format!("{}/login", app.base_url)).header(name, value);
        request.send().await.expect("an answer").text().await.expect("a body")
    };
    assert!(login("Cookie", "xxl_lang=en").await.contains("账号或密码为空"), "a script meets no other language");
    assert!(login("X-XXL-Lang", "en").await.contains("Username or password is empty"));
}
