//! BUSYOVER: the first address on which the job is idle.

use super::failover::Probes;
use super::{Prober, RouteOutcome};
use crate::i18n::{Key, Locale, text};

/// Mirrors `ExecutorRouteBusyover`.
pub(super) async fn choose(job_id: i32, addresses: &[String], locale: Locale, prober: &dyn Prober) -> RouteOutcome {
    let mut probes = Probes::new(text(locale, Key::JobconfIdleBeat));
    for address in addresses {
        let call = prober.idle_beat(address, job_id).await;
        if probes.tell(address, &call) {
            return probes.reached(address);
        }
    }
    probes.failed()
}
