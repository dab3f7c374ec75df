#!/usr/bin/env bash
# Installs what a fresh machine lacks; takes no time when everything is there.
#
#   scripts/setup.sh run     C compiler and Rust: enough to build and start the program
#   scripts/setup.sh assets  node and npm, for the third-party scripts of the console
#   scripts/setup.sh lint    what run needs, with rustfmt, clippy and shellcheck
#   scripts/setup.sh test    the same, with MariaDB, PostgreSQL, JDK, Maven, Go and Python for the tests
#
# Packages are installed with apt-get, as root only. Elsewhere it says what is missing and ends with 1. Rust itself comes
# from where you want it; it is checked, not installed.
set -euo pipefail
cd "$(dirname "$0")/.."

goal=${1:-test}
case $goal in
    run | assets | lint | test) ;;
    *) sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
PATH=$PATH:/usr/sbin:/usr/local/sbin:${CARGO_HOME:-${HOME:-}/.cargo}/bin

has() { type -P "$1" >/dev/null; }

# A compiler that finds the headers of the C library: gcc alone does not bring them.
compiles_c() { has cc && echo '#include <stdio.h>' | cc -fsyntax-only -x c - 2>/dev/null; }

has_postgres() { has postgres || [ -n "$(find /usr/lib/postgresql /usr/pgsql-* -path '*/bin/postgres' 2>/dev/null)" ]; }

has_jdk() {
    local version
    has javac || return 1
    version=$(javac -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p')
    [ "${version:-0}" -ge 17 ]
}

has_node() { has node && [ "$(node -p 'process.versions.node.split(".")[0] >= 18')" = true ]; }

has_venv() { has python3 && python3 -c 'import ensurepip, venv' 2>/dev/null; }

# Names of the packages that are missing, as Debian and Ubuntu call them.
missing() {
    if [ "$goal" = assets ]; then
        has_node || echo nodejs
        has npm || echo npm
        return
    fi
    compiles_c || echo gcc libc6-dev
    has make || echo make
    [ "$goal" = run ] && return
    has shellcheck || echo shellcheck
    [ "$goal" = lint ] && return
    { has mariadbd && has mariadb-install-db; } || echo mariadb-server
    has_postgres || echo postgresql
    has_jdk || echo default-jdk-headless
    has mvn || echo maven
    has go || echo golang-go
    has_venv || echo python3-venv
}

install_packages() {
    local packages
    packages=$(missing)
    if [ -z "$packages" ]; then return; fi
    if [ "$(id -u)" -ne 0 ] || ! has apt-get; then
        # shellcheck disable=SC2086 # one name a word
        echo "setup: missing, please install (names of Debian):" $packages >&2
        exit 1
    fi
    # shellcheck disable=SC2086 # one name a word
    echo "setup: installing" $packages
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -q </dev/null
    # shellcheck disable=SC2086 # one name a word
    apt-get install -q -y --no-install-recommends $packages </dev/null
    packages=$(missing)
    if [ -n "$packages" ]; then
        # shellcheck disable=SC2086 # one name a word
        echo "setup: still missing after the installation:" $packages >&2
        exit 1
    fi
}

check_rust() {
    local wanted found
    wanted=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
    if ! has cargo; then
        echo "setup: Rust $wanted or later is missing; https://rustup.rs installs it" >&2
        exit 1
    fi
    found=$(rustc --version | cut -d' ' -f2)
    if [ "$(printf '%s\n' "$wanted" "$found" | sort -V | head -1)" != "$wanted" ]; then
        echo "setup: Rust $wanted or later is needed, this is $found (rustup update stable)" >&2
        exit 1
    fi
    [ "$goal" = run ] && return
    if ! { has cargo-fmt && has cargo-clippy && cargo fmt --version && cargo clippy --version; } >/dev/null 2>&1; then
        if ! has rustup; then
            echo "setup: rustfmt and clippy are missing" >&2
            exit 1
        fi
        rustup component add rustfmt clippy
    fi
}

install_packages
if [ "$goal" = assets ]; then exit 0; fi
check_rust
