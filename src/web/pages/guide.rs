//! What an executor needs to register here: lines to copy, in the languages that executors are written in.
//!
//! The address is that of the request; the page's script puts in the one that the browser sees. The token itself is never
//! shown, unless it is the default that everybody knows.

use actix_web::HttpRequest;
use actix_web::http::header::HOST;
use secrecy::ExposeSecret as _;
use serde::Serialize;

use crate::web::auth::LoginUser;

/// Stands for the token; whoever sets up an executor puts in the real one.
const TOKEN: &str = "ACCESS_TOKEN";
const DEFAULT_TOKEN: &str = "default_token";

/// The lines, by what they are for.
#[derive(Debug, Serialize)]
pub(super) struct Guide {
    /// Address of this console, as the lines name it.
    address: String,
    /// Whether the lines hold a word in the place of the token.
    has_secret_token: bool,
    java_properties: String,
    java_bean: String,
    java_job: String,
    python: String,
    go: String,
}

impl Guide {
    /// The lines for executors of this server.
    pub(super) fn new(user: &LoginUser, request: &HttpRequest) -> Self {
        let settings = &user.state().core.settings;
        let host = request.headers().get(HOST).and_then(|host| host.to_str().ok());
        let host = host.filter(|host| !host.is_empty()).unwrap_or("127.0.0.1:8080");
        let address = format!("http://{host}{}", user.state().context_path());
        let token = match settings.job.access_token.expose_secret() {
            known @ ("" | DEFAULT_TOKEN) => known,
            _ => TOKEN,
        };
        Self::with(address, token)
    }

    fn with(address: String, token: &str) -> Self {
        let fill = |lines: &str| lines.trim_start().replace("{address}", &address).replace("{token}", token);
        Self {
            has_secret_token: token == TOKEN,
            java_properties: fill(JAVA_PROPERTIES),
            java_bean: fill(JAVA_BEAN),
            java_job: fill(JAVA_JOB),
            python: fill(PYTHON),
            go: fill(GO),
            address,
        }
    }
}

const JAVA_PROPERTIES: &str = r"
xxl.job.admin.addresses={address}
xxl.job.accessToken={token}
xxl.job.executor.appname=my-executor
xxl.job.executor.port=9999
xxl.job.executor.logpath=./logs/xxl-job
xxl.job.executor.logretentiondays=30";

const JAVA_BEAN: &str = r#"
@Bean
public XxlJobSpringExecutor xxlJobExecutor(Environment env) {
    XxlJobSpringExecutor executor = new XxlJobSpringExecutor();
    executor.setAdminAddresses(env.getProperty("xxl.job.admin.addresses"));
    executor.setAccessToken(env.getProperty("xxl.job.accessToken"));
    executor.setAppname(env.getProperty("xxl.job.executor.appname"));
    executor.setPort(env.getProperty("xxl.job.executor.port", Integer.class));
    executor.setLogPath(env.getProperty("xxl.job.executor.logpath"));
    executor.setLogRetentionDays(env.getProperty("xxl.job.executor.logretentiondays", Integer.class));
    return executor;
}"#;

const JAVA_JOB: &str = r#"
@Component
public class DemoJobs {
    @XxlJob("demoJobHandler")
    public void demo() {
        XxlJobHelper.log("param: {}", XxlJobHelper.getJobParam());
    }
}"#;

const PYTHON: &str = r#"
# pip install pyxxl
from pyxxl import ExecutorConfig, PyxxlRunner

app = PyxxlRunner(ExecutorConfig(
    xxl_admin_baseurl="{address}/api/",
    executor_app_name="my-executor",
    access_token="{token}",
    executor_listen_port=9999,
))

@app.register(name="demoJobHandler")
async def demo():
    return "done"

app.run_executor()"#;

const GO: &str = r#"
// go get github.com/xxl-job/xxl-job-executor-go@v1.2.0
package main

import (
	"context"
	"log"

	xxl "github.com/xxl-job/xxl-job-executor-go"
)

func main() {
	exec := xxl.NewExecutor(
		xxl.ServerAddr("{address}"),
		xxl.AccessToken("{token}"),
		xxl.ExecutorPort("9999"),
		xxl.RegistryKey("my-executor"),
	)
	exec.Init()
	exec.RegTask("demoJobHandler", func(ctx context.Context, param *xxl.RunReq) string {
		return "done"
	})
	log.Fatal(exec.Run())
}"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_gets_the_address_the_token_and_one_app_name() {
        let guide = Guide::with("http://10.0.0.1:8080/xxl-job-admin".into(), "default_token");
        for lines in [&guide.java_properties, &guide.python, &guide.go] {
            assert!(lines.contains("http://10.0.0.1:8080/xxl-job-admin"), "{lines}");
            assert!(lines.contains("default_token"), "{lines}");
            assert!(lines.contains("my-executor"), "{lines}");
            assert!(!lines.contains("{address}") && !lines.contains("{token}"), "{lines}");
        }
        assert!(guide.python.contains("/xxl-job-admin/api/\""), "pyxxl takes the address of the calls");
        assert!(!guide.has_secret_token);
        assert!(Guide::with(String::new(), TOKEN).has_secret_token);
    }

    #[test]
    fn the_bean_reads_the_properties_that_are_named() {
        let guide = Guide::with("http://a".into(), "");
        for line in guide.java_properties.lines() {
            let (key, _) = line.split_once('=').unwrap();
            assert!(guide.java_bean.contains(&format!("\"{key}\"")), "{key}");
        }
    }
}
