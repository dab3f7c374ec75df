//! FAILOVER: the first address that answers a beat.

use super::{Prober, RouteOutcome};
use crate::i18n::{Key, Locale, text};
use crate::protocol::CallResult;
use crate::trigger::message::call_block;

/// Mirrors `ExecutorRouteFailover`.
pub(super) async fn choose(addresses: &[String], locale: Locale, prober: &dyn Prober) -> RouteOutcome {
    let mut probes = Probes::new(text(locale, Key::JobconfBeat));
    for address in addresses {
        let call = prober.beat(address).await;
        if probes.tell(address, &call) {
            return probes.reached(address);
        }
    }
    probes.failed()
}

/// The probes of one route, as the trigger message tells them.
pub(super) struct Probes {
    label: &'static str,
    told: Vec<String>,
}

impl Probes {
    pub(super) const fn new(label: &'static str) -> Self {
        Self { label, told: Vec::new() }
    }

    /// Notes a probe and says whether the address can be taken.
    pub(super) fn tell(&mut self, address: &str, call: &CallResult) -> bool {
        self.told.push(call_block(self.label, address, call));
        call.is_success()
    }

    pub(super) fn reached(self, address: &str) -> RouteOutcome {
        RouteOutcome { msg: Some(self.told.join("<br><br>")), ..RouteOutcome::to(address) }
    }

    pub(super) fn failed(self) -> RouteOutcome {
        RouteOutcome::failed(self.told.join("<br><br>"))
    }
}
