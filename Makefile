# Goals for people and for CI. What is longer than a line lives in scripts/.

export CARGO_INCREMENTAL ?= 0
export RUST_BACKTRACE ?= 1
export PATH := $(PATH):$(if $(CARGO_HOME),$(CARGO_HOME),$(HOME)/.cargo)/bin

TARGET := $(if $(CARGO_TARGET_DIR),$(CARGO_TARGET_DIR),target)
SOAK_SECONDS ?= 3600
FUZZ_SECONDS ?= 600
VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
SHELL_SCRIPTS = $(shell git ls-files -co --exclude-standard '*.sh') .ci/run

.DEFAULT_GOAL := help
.PHONY: help setup assets run dev build test test-unit test-db compat fuzz lint audit db-up db-down bench soak coverage dist clean

help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install what is missing for all goals (as root with apt-get; else say what)
	@scripts/setup.sh test

run: ## Build and start the admin on the embedded database, on 127.0.0.1 (ARGS="--key=value …")
	@scripts/setup.sh run
	cargo run --locked --bin xxl-job-admin -- $(ARGS)

dev: ## Like run, with its data in target/dev and debug lines in the log
	@scripts/setup.sh run
	cargo run --locked --bin xxl-job-admin -- --data.dir=$(TARGET)/dev --logging.level.root=DEBUG $(ARGS)

assets: static/vendor/manifest.json ## Third-party scripts of the console: the editor (needs node 18 and npm)

static/vendor/manifest.json: package.json package-lock.json assets/editor.js assets/build.mjs
	@scripts/setup.sh assets
	npm ci --ignore-scripts --no-audit --no-fund
	node assets/build.mjs

build: assets ## Release binary: target/release/xxl-job-admin
	@scripts/setup.sh run
	REQUIRE_ASSETS=1 cargo build --locked --release --bin xxl-job-admin

test: ## All tests: unit, databases, real executors
	@scripts/setup.sh test
	@scripts/test.sh unit db compat

test-unit: ## Unit tests alone; no server
	@scripts/setup.sh run
	@scripts/test.sh unit

test-db: ## Integration tests on SQLite, MariaDB and PostgreSQL
	@scripts/setup.sh test
	@scripts/test.sh db

compat: ## Real executors against the built program (RELEASE=1: the release binary)
	@scripts/setup.sh test
	@RELEASE=$(RELEASE) scripts/test.sh compat

fuzz: ## Made-up calls, cookies, bodies and cron expressions for ten minutes (FUZZ_SECONDS=600)
	FUZZ_SECONDS=$(FUZZ_SECONDS) cargo test --locked -p xxl-job-admin --test it fuzz:: -- --nocapture

lint: ## Format, clippy, rustdoc, shell scripts; warnings are errors
	@scripts/setup.sh lint
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps --document-private-items
	shellcheck $(SHELL_SCRIPTS)
	@if command -v cargo-deny >/dev/null; then cargo deny --workspace --locked check bans licenses sources; else echo "cargo-deny is not here: skipped"; fi
	@if command -v cargo-machete >/dev/null; then cargo machete; else echo "cargo-machete is not here: skipped"; fi

audit: ## Known weaknesses of the dependencies (needs cargo-deny and the network)
	@command -v cargo-deny >/dev/null || { echo "missing: cargo install --locked cargo-deny"; exit 1; }
	cargo deny --workspace --locked check advisories

db-up: ## Start a private MariaDB and PostgreSQL and print their URLs
	@scripts/setup.sh test
	@scripts/databases.sh up
	@scripts/databases.sh env

db-down: ## Stop them and delete their data
	@scripts/databases.sh down

bench: ## Micro-benches, then the load bench on SQLite and MariaDB (LOAD="steady --jobs 2000 …")
	@scripts/setup.sh test
	cargo bench --locked
	cargo build --locked --release --bin xxl-job-admin
	cargo run --locked --release -p load -- drive --bin $(TARGET)/release/xxl-job-admin $(LOAD)

soak: ## The load bench for an hour on MariaDB (SOAK_SECONDS=3600)
	@scripts/setup.sh test
	cargo build --locked --release --bin xxl-job-admin
	cargo run --locked --release -p load -- drive --bin $(TARGET)/release/xxl-job-admin --database mariadb --seconds $(SOAK_SECONDS)

coverage: ## Line coverage as HTML in target/llvm-cov (needs cargo-llvm-cov)
	@command -v cargo-llvm-cov >/dev/null || { echo "missing: cargo install --locked cargo-llvm-cov"; exit 1; }
	cargo llvm-cov --locked --html

dist: assets ## Stripped binary with tables and documents as target/dist/xxl-job-admin-VERSION-TARGET.tar.gz
	@scripts/setup.sh run
	@scripts/dist.sh $(VERSION)

clean: ## Delete all that was built
	@scripts/databases.sh down
	cargo clean
