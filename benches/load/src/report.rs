//! What a run found: figures by name, and demands with whether they were met; as JSON and as a plain table.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

/// The report of one scenario on one database.
#[derive(Debug, Serialize)]
pub struct Report {
    scenario: String,
    database: String,
    figures: Map<String, Value>,
    demands: Vec<Demand>,
}

/// Something that was asked for.
#[derive(Debug, Serialize)]
struct Demand {
    demand: String,
    met: bool,
}

impl Report {
    /// An empty report.
    pub fn new(scenario: &str, database: &str) -> Self {
        Self { scenario: scenario.into(), database: database.into(), figures: Map::new(), demands: Vec::new() }
    }

    /// Adds a figure; its unit is the end of its name.
    pub fn figure(&mut self, name: &str, value: impl Into<Value>) {
        self.figures.insert(name.into(), value.into());
    }

    /// Adds a figure with as many decimals as it deserves; none = there was nothing to measure.
    pub fn measure(&mut self, name: &str, value: impl Into<Option<f64>>) {
        let rounded = value.into().map(|value| {
            let scale = if value.abs() >= 100.0 { 10.0 } else { 1_000.0 };
            (value * scale).round() / scale
        });
        self.figure(name, rounded);
    }

    /// Adds a demand.
    pub fn demand(&mut self, demand: &str, met: bool) {
        self.demands.push(Demand { demand: demand.into(), met });
    }

    /// Whether all demands were met.
    pub fn all_met(&self) -> bool {
        self.demands.iter().all(|demand| demand.met)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} on {}", self.scenario, self.database)?;
        let width = self.figures.keys().map(String::len).max().unwrap_or(0);
        for (name, value) in &self.figures {
            match value {
                Value::String(text) => writeln!(f, "  {name:width$}  {text}")?,
                value => writeln!(f, "  {name:width$}  {value:>12}", value = value.to_string())?,
            }
        }
        for Demand { demand, met } in &self.demands {
            writeln!(f, "  {} {demand}", if *met { "met   " } else { "MISSED" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_and_json_say_the_same() {
        let mut report = Report::new("steady", "sqlite");
        report.figure("fired", 2_000);
        report.measure("late_p99_ms", 12.345_678);
        report.measure("rate", 2_000.04);
        report.measure("idle", None);
        report.demand("nothing doubled", true);
        assert!(report.all_met());
        report.demand("p99 ≤ 1 ms", false);
        assert!(!report.all_met());
        assert_eq!(
            report.to_string(),
            "steady on sqlite\n  fired                2000\n  late_p99_ms        12.346\n  rate               2000.0\n  \
             idle                 null\n  \
             met    nothing doubled\n  MISSED p99 ≤ 1 ms\n"
        );
        let json = serde_json::to_value(&report).unwrap();
        assert_eq!(json["figures"]["late_p99_ms"], 12.346);
        assert_eq!(json["demands"][1]["met"], false);
    }
}
