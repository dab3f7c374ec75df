//! Names and descriptions of all metrics, and the recorder that `/actuator/prometheus` renders. Names are kept once
//! released.

use std::sync::OnceLock;

use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

/// Bounds of the buckets of all times, in seconds.
const BUCKETS: [f64; 12] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// Counter of HTTP requests by route and status.
pub const HTTP_REQUESTS: &str = "http_requests_total";
/// Gauge of database connections by state.
pub const DB_POOL: &str = "xxl_db_pool";
/// Gauge of fires that wait.
pub const TRIGGER_QUEUE: &str = "xxl_trigger_queue";

/// The recorder of this process, installed with the first call.
pub fn recorder() -> &'static PrometheusHandle {
    static RECORDER: OnceLock<PrometheusHandle> = OnceLock::new();
    RECORDER.get_or_init(|| {
        let builder = PrometheusBuilder::new();
        // Fails only for an empty list of bounds.
        let builder = builder.set_buckets(&BUCKETS).unwrap_or_default();
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        if metrics::set_global_recorder(recorder).is_err() {
            tracing::warn!("metrics go to another recorder that was installed before");
        }
        describe();
        handle
    })
}

fn describe() {
    describe_histogram!("xxl_scan_seconds", Unit::Seconds, "Time of a schedule pass");
    describe_histogram!("xxl_scan_lock_wait_seconds", Unit::Seconds, "Wait of a schedule pass for the lock row");
    describe_histogram!("xxl_fire_delay_seconds", Unit::Seconds, "From the planned time of a fire to its call");
    describe_histogram!("xxl_executor_call_seconds", Unit::Seconds, "Time of a call to an executor, by api and result");
    describe_counter!("xxl_trigger_total", "Triggers by lane and result");
    describe_counter!("xxl_fires_lost_total", "Fires that could not be carried out, by reason");
    describe_counter!("xxl_misfires_total", "Fires that came more than five seconds late, by strategy");
    describe_counter!("xxl_callback_total", "Results of runs, by what became of them");
    describe_counter!("xxl_task_restarts_total", "Restarts of background tasks");
    describe_counter!(HTTP_REQUESTS, "HTTP requests by route and status");
    describe_counter!("xxl_audit_lines_lost_total", "Audit lines that could not be written to the audit file");
    describe_gauge!(TRIGGER_QUEUE, "Fires that are accepted and not called yet");
    describe_gauge!("xxl_ring_size", "Fires of the next seconds");
    describe_gauge!(DB_POOL, "Connections of the database pool by state");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_is_rendered() {
        recorder();
        metrics::counter!(HTTP_REQUESTS, "route" => "/test", "status" => "200").increment(2);
        let text = recorder().render();
        assert!(text.contains("http_requests_total{route=\"/test\",status=\"200\"} 2"), "{text}");
        assert!(text.contains("# HELP http_requests_total HTTP requests by route and status"), "{text}");
    }
}
