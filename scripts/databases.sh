#!/usr/bin/env bash
# Private MariaDB and PostgreSQL servers for tests and benches, on free ports of 127.0.0.1, in a temporary folder.
#
#   scripts/databases.sh up     start both (nothing when they run already)
#   scripts/databases.sh env    print what tests need: export TEST_MYSQL_URL=… TEST_POSTGRES_URL=… and more
#   scripts/databases.sh down   stop both and delete their folder
#
# DATABASES_STATE    where is noted what runs (default target/databases); another folder is another pair of servers
# DATABASES_DURABLE  1 = flush to the disk at each commit, as in production (for benches); default 0, which is quick
set -euo pipefail
cd "$(dirname "$0")/.."

state=${DATABASES_STATE:-target/databases}
durable=${DATABASES_DURABLE:-0}
login=xxl password=xxl

fail() { echo "databases.sh: $*" >&2; exit 1; }

# as USER COMMAND…: neither server is at ease as root; without root everything runs as who we are.
as() {
    local user=$1
    shift
    if [ "$(id -u)" -ne 0 ]; then "$@"; else runuser -u "$user" -- "$@"; fi
}

# The first of these accounts that exists.
account() {
    local name
    for name in "$@"; do
        if id "$name" >/dev/null 2>&1; then echo "$name"; return; fi
    done
    fail "none of the accounts $* exists"
}

# A port that nobody listens on, below the range from which the kernel serves outgoing connections.
free_port() {
    local port
    for _ in $(seq 100); do
        port=$((20000 + RANDOM % 12000))
        if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then echo "$port"; return; fi
    done
    fail "no free port"
}

# program NAME: where it is; PostgreSQL hides its programs in a folder of its release.
program() {
    local found
    found=$(PATH=$PATH:/usr/sbin:/usr/local/sbin type -P "$1") && { echo "$found"; return; }
    found=$(find /usr/lib/postgresql /usr/pgsql-* -path "*/bin/$1" 2>/dev/null | sort -V | tail -1)
    [ -n "$found" ] || fail "$1 is missing: scripts/setup.sh test installs it"
    echo "$found"
}

start_mariadb() { # FOLDER PORT
    local folder=$1/mariadb port=$2 user flush=0 method="innodb-flush-method = nosync"
    user=$(account mysql mariadb nobody)
    if [ "$durable" = 1 ]; then flush=1 method=""; fi
    mkdir -m 755 "$folder"
    if [ "$(id -u)" -eq 0 ]; then chown "$user" "$folder"; fi
    as "$user" "$(program mariadb-install-db)" --no-defaults --datadir="$folder/data" --skip-test-db \
        --auth-root-authentication-method=normal >"$folder/install.log" 2>&1 </dev/null ||
        { cat "$folder/install.log" >&2; fail "mariadb-install-db failed"; }
    cat >"$folder/init.sql" <<SQL
CREATE USER IF NOT EXISTS '$login'@'%' IDENTIFIED BY '$password';
GRANT ALL ON *.* TO '$login'@'%' WITH GRANT OPTION;
SQL
    cat >"$folder/my.cnf" <<CNF
[mariadbd]
datadir = $folder/data
socket = $folder/mariadb.sock
pid-file = $folder/mariadb.pid
log-error = $folder/mariadb.log
init-file = $folder/init.sql
bind-address = 127.0.0.1
port = $port
skip-name-resolve
character-set-server = utf8mb4
max-connections = 500
innodb-buffer-pool-size = 256M
innodb-log-file-size = 128M
innodb-flush-log-at-trx-commit = $flush
$method
CNF
    # A session of its own: a Ctrl-C for the tests is not meant for the server, who is stopped after them.
    as "$user" setsid "$(program mariadbd)" --defaults-file="$folder/my.cnf" >>"$folder/mariadb.out" 2>&1 </dev/null &
    for _ in $(seq 300); do
        if [ -s "$folder/mariadb.pid" ] && (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then return; fi
        sleep 0.1
    done
    tail -20 "$folder/mariadb.log" >&2
    fail "MariaDB did not start"
}

start_postgres() { # FOLDER PORT
    local folder=$1/postgres port=$2 user sync=off
    user=$(account postgres nobody)
    if [ "$durable" = 1 ]; then sync=on; fi
    mkdir -m 755 "$folder"
    if [ "$(id -u)" -eq 0 ]; then chown "$user" "$folder"; fi
    as "$user" "$(program initdb)" -D "$folder/data" -U "$login" -A trust -E UTF8 --locale=C --no-sync \
        >"$folder/install.log" 2>&1 </dev/null || { cat "$folder/install.log" >&2; fail "initdb failed"; }
    cat >>"$folder/data/postgresql.conf" <<CONF
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = '$folder'
max_connections = 300
shared_buffers = 128MB
fsync = $sync
synchronous_commit = $sync
full_page_writes = $sync
CONF
    as "$user" setsid "$(program pg_ctl)" -D "$folder/data" -l "$folder/postgres.log" -w -t 30 start \
        >>"$folder/postgres.out" 2>&1 </dev/null || { tail -20 "$folder/postgres.log" >&2; fail "PostgreSQL did not start"; }
}

alive() { # PID-FILE
    [ -s "$1" ] && kill -0 "$(head -1 "$1")" 2>/dev/null
}

# stop PID-FILE SIGNAL: asks, waits 20 s, then insists.
stop() {
    local pid
    alive "$1" || return 0
    pid=$(head -1 "$1")
    kill -s "$2" "$pid"
    for _ in $(seq 200); do
        kill -0 "$pid" 2>/dev/null || return 0
        sleep 0.1
    done
    kill -s KILL "$pid" 2>/dev/null || true
}

running() {
    [ -f "$state/env" ] || return 1
    # shellcheck source=/dev/null
    . "$state/env"
    alive "$TEST_DATABASES_FOLDER/mariadb/mariadb.pid" && alive "$TEST_DATABASES_FOLDER/postgres/data/postmaster.pid"
}

up() {
    local folder mysql_port postgres_port
    if running; then return; fi
    down
    mkdir -p "$state"
    folder=$(mktemp -d "${TMPDIR:-/tmp}/xxl-databases.XXXXXX")
    # Each server runs as an account of its own and has to reach its part.
    chmod 755 "$folder"
    mysql_port=$(free_port)
    postgres_port=$(free_port)
    # Noted before the start, so that `down` cleans up what a failed start leaves.
    cat >"$state/env" <<ENV
export TEST_MYSQL_URL=mysql://$login:$password@127.0.0.1:$mysql_port
export TEST_POSTGRES_URL=postgres://$login:$password@127.0.0.1:$postgres_port
export TEST_DATABASES_FOLDER=$folder
export TEST_MARIADB_PID_FILE=$folder/mariadb/mariadb.pid
ENV
    start_mariadb "$folder" "$mysql_port"
    start_postgres "$folder" "$postgres_port"
}

down() {
    [ -f "$state/env" ] || return 0
    # shellcheck source=/dev/null
    . "$state/env"
    stop "$TEST_DATABASES_FOLDER/mariadb/mariadb.pid" TERM
    # INT: cut the connections and end in order; TERM would wait for clients to leave.
    stop "$TEST_DATABASES_FOLDER/postgres/data/postmaster.pid" INT
    rm -rf "$TEST_DATABASES_FOLDER" "$state"
}

case ${1:-} in
    up) up ;;
    down) down ;;
    env)
        running || fail "the databases do not run: scripts/databases.sh up"
        cat "$state/env"
        ;;
    *) sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
