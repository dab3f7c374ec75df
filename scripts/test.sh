#!/usr/bin/env bash
# Runs stages of the test suite and prints a summary: what took part, and "N passed, N failed" as the last line.
#
#   scripts/test.sh [unit] [db] [compat]
#
# unit     unit tests and the examples in the documentation; no server
# db       integration tests on SQLite, MariaDB and PostgreSQL
# compat   real executors (Java, Go, Python) and console clients (Python, Java) against the built program on MariaDB;
#          RELEASE=1 takes the release binary
#
# MariaDB and PostgreSQL are started for the run and stopped after it, unless TEST_MYSQL_URL and TEST_POSTGRES_URL name
# servers. With CI=true a command that takes longer than TEST_TIMEOUT seconds is ended. A stage that fails does not keep
# the next one from running; the exit code is 1 then.
set -euo pipefail
cd "$(dirname "$0")/.."

export CARGO_INCREMENTAL=${CARGO_INCREMENTAL:-0} RUST_BACKTRACE=${RUST_BACKTRACE:-1}
PATH=$PATH:${CARGO_HOME:-${HOME:-}/.cargo}/bin
target=${CARGO_TARGET_DIR:-target}
work=$(mktemp -d "${TMPDIR:-/tmp}/xxl-test.XXXXXX")
log=$work/log
export TEST_PARTICIPANTS=$work/participants
: >"$log"
: >"$TEST_PARTICIPANTS"
broken=()
times=()

finish() {
    DATABASES_STATE=$work/databases scripts/databases.sh down
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# A test that hangs must not hang CI: 25 minutes a command are far more than any needs. By hand there is Ctrl-C, which
# would not reach what runs under `timeout`.
limit=()
if [ "${CI:-}" = true ]; then limit=(timeout -k 20 "${TEST_TIMEOUT:-1500}"); fi

# run COMMAND…: shows and logs its output.
run() {
    echo "+ $*" | tee -a "$log"
    "${limit[@]}" "$@" 2>&1 </dev/null | tee -a "$log"
}

start_databases() {
    # Where a server is missing, a test that needs it fails.
    export REQUIRE_DATABASES=1
    if [ -n "${TEST_MYSQL_URL:-}" ] && [ -n "${TEST_POSTGRES_URL:-}" ]; then return; fi
    DATABASES_STATE=$work/databases scripts/databases.sh up
    eval "$(DATABASES_STATE=$work/databases scripts/databases.sh env)"
}

# took_part KIND: the names, sorted, in one line.
took_part() { sed -n "s/^$1\t//p" "$TEST_PARTICIPANTS" | sort -u -V | paste -sd, - | sed 's/,/, /g'; }

unit() {
    run cargo test --locked --workspace --exclude compat-tests --lib --bins --no-fail-fast &&
        run cargo test --locked --doc --no-fail-fast
}

db() {
    local name ok=0
    start_databases || return 1
    # The tests of the whole program mostly wait for the next second.
    RUST_TEST_THREADS=${RUST_TEST_THREADS:-12} \
        run cargo test --locked --workspace --exclude compat-tests --test '*' --no-fail-fast || ok=1
    for name in SQLite MariaDB PostgreSQL; do
        grep -q "^database	$name " "$TEST_PARTICIPANTS" || { echo "db: no test used $name" | tee -a "$log"; ok=1; }
    done
    return $ok
}

compat() {
    local profile=debug flags=() kind ok=0
    if [ "${RELEASE:-0}" = 1 ]; then profile=release flags=(--release); fi
    start_databases || return 1
    run compat-tests/build-executors.sh &&
        run cargo build --locked --bin xxl-job-admin "${flags[@]}" || return 1
    XXL_JOB_ADMIN_BIN=$(realpath "$target")/$profile/xxl-job-admin
    export XXL_JOB_ADMIN_BIN
    run cargo test --locked -p compat-tests --no-fail-fast || ok=1
    for kind in executor client; do
        grep -q "^$kind	" "$TEST_PARTICIPANTS" || { echo "compat: no $kind took part" | tee -a "$log"; ok=1; }
    done
    return $ok
}

[ $# -gt 0 ] || set -- unit db compat
for stage; do
    case $stage in
        unit | db | compat) ;;
        *) sed -n '2,13s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    esac
done
for stage; do
    echo "== $stage"
    started=$SECONDS
    failed_before=$(scripts/count-tests.sh "$log" | cut -d' ' -f3)
    if ! "$stage"; then
        # Named beside the counted failures, and counted where no test did: a build that breaks has no test result.
        broken+=("$stage")
        if [ "$(scripts/count-tests.sh "$log" | cut -d' ' -f3)" = "$failed_before" ]; then
            echo "test result: FAILED. 0 passed; 1 failed (the stage $stage itself)" | tee -a "$log"
        fi
    fi
    times+=("$stage $((SECONDS - started)) s")
done

echo
echo "== summary"
printf -v stages '%s, ' "${times[@]}"
echo "stages:    ${stages%, }"
echo "databases: $(took_part database)"
case " $* " in *" compat "*) echo "executors: $(took_part executor)"; echo "clients:   $(took_part client)" ;; esac
[ ${#broken[@]} -eq 0 ] || echo "failed:    ${broken[*]}"
scripts/count-tests.sh "$log"
[ ${#broken[@]} -eq 0 ]
