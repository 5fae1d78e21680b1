#!/usr/bin/env bash
# server.sh up | down | clean | with COUNT COMMAND...
# Run a private PostgreSQL server with the extension in database bkpriv; `up` prints its URI.
# `with` runs a command with servers that live as long as it does; BKPRIV_TEST_URI has a URI a line.
#
# Rules
# - Everything lies in one directory, reached as .pg: `server/`, a copy of the installed server's
#   programs and libraries that keeps their relative layout and so finds its own files; `data/`,
#   the cluster; `run/`, the socket and the log. No system directory, service or port is used.
# - The directory is .pg itself, unless that cannot work: PostgreSQL refuses to run as root, so
#   root's server runs as another user, who need not be able to enter the checkout; the path of a
#   socket is limited; PGXS and URIs dislike odd characters. Then it is a directory made under
#   /var/tmp, and .pg is a link to it.
# - `checkout` in it names the checkout it serves, so that copies and moves are noticed.
# - Data is never dropped to follow a change of the extension's script.
# - The servers of `with` run the same programs, each in a directory `with.PROCESS.NUMBER` of its own
#   beside `data`. What an interrupted command left is removed by the next one, by `down` and `clean`.
set -euo pipefail
cd -P "$(dirname "$0")/.."
source scripts/messages.sh
umask 022

readonly CHECKOUT=$PWD
readonly SOCKET_LIMIT=107 # bytes
readonly SETTINGS="
    listen_addresses = ''
    max_connections = 50
    max_prepared_transactions = 5
    shared_buffers = 128MB"
# What is lost with the machine is not missed, so nothing waits for the disk.
readonly THROWAWAY="
    fsync = off
    full_page_writes = off
    synchronous_commit = off"

# Print who runs the server of `cluster`: whoever owns its data, once there are some.
server_user() {
    if ((EUID != 0)); then
        id -un
    elif [[ -d $cluster/data ]]; then
        stat -c %U "$cluster/data"
    elif id postgres >/dev/null 2>&1; then
        echo postgres
    else
        echo nobody
    fi
}

# Run one of the private server's programs as the server's user. Nothing of the caller's
# environment reaches it: PYTHONPATH would change which code the server runs, and a descriptor that
# the server keeps open would make whoever reads its other end wait for ever.
run() { # program, arguments
    local become=() user descriptor
    if ((EUID == 0)); then
        user=$(server_user)
        become=(setpriv "--reuid=$user" "--regid=$(id -g "$user")" --init-groups)
    fi
    (
        cd "$base"
        for descriptor in "/proc/$BASHPID/fd/"*; do
            descriptor=${descriptor##*/}
            ((descriptor <= 2)) || exec {descriptor}>&-
        done
        exec "${become[@]}" env -i PATH=/usr/bin:/bin LC_ALL=C.UTF-8 HOME="$base" \
            "$base/bin/$1" "${@:2}"
    )
}

sql() { # database, statement
    run psql -XqAt -v ON_ERROR_STOP=1 -h "$cluster/run" -p 5432 -U postgres -d "$1" -c "$2"
}

stop() { # directories of clusters
    local cluster
    for cluster; do
        if run pg_ctl status -D "$cluster/data" >/dev/null 2>&1; then
            say "stopping the server"
            run pg_ctl stop -D "$cluster/data" -m fast -s >&2
        fi
    done
}

stop_all() {
    stop "$base" "$base"/with.*
}

# --- the directory ------------------------------------------------------------------------------

# Set `base` to this checkout's directory, or to nothing.
find_base() {
    local served other
    base=
    if [[ -e .pg/checkout ]]; then
        [[ -O .pg/ ]] || die "$CHECKOUT/.pg belongs to another user, who may run: make clean"
        served=$(<.pg/checkout)
        if [[ $served == "$CHECKOUT" || ! -e $served/.pg ]]; then
            base=$(realpath .pg)
            [[ $served == "$CHECKOUT" ]] || adopt_base
            return
        fi
        say "this checkout is a copy of $served; it gets a server of its own"
    fi
    rm -rf .pg # a copy, an unfinished one or a dangling link

    # Left by a checkout at this place that is gone.
    for other in /var/tmp/bkpriv.*; do
        if [[ -O $other && $(cat "$other/checkout" 2>/dev/null) == "$CHECKOUT" ]]; then
            base=$other
            stop_all
            rm -rf "$base"
            base=
        fi
    done
}

# The checkout was moved. A server still running has its socket at the old place, and what is
# installed was compiled for it.
adopt_base() {
    say "this checkout was moved here; its server follows"
    stop_all
    rm -f "$base/server/installed"
    echo "$CHECKOUT" >"$base/checkout"
}

make_base() {
    local socket=$CHECKOUT/.pg/with.4194304.999/run/.s.PGSQL.5432 # the longest
    if ((EUID != 0 && ${#socket} <= SOCKET_LIMIT)) && [[ $CHECKOUT =~ ^[A-Za-z0-9/._-]+$ ]]; then
        base=$CHECKOUT/.pg
        mkdir .pg
    else
        base=$(mktemp -d /var/tmp/bkpriv.XXXXXX)
        ((EUID != 0)) || chmod 755 "$base"
        ln -s "$base" .pg
    fi
    echo "$CHECKOUT" >"$base/checkout"
}

# --- the server ---------------------------------------------------------------------------------

# Copy the installed server, if it is not the one that was copied before.
copy_server() {
    local bindir major origin program programs=()
    bindir=$("$pg_config" --bindir)
    major=$("$pg_config" --version | sed -E 's/^[^0-9]*([0-9]+).*/\1/')
    origin="$pg_config $(stat -c '%s %Y' "$bindir/postgres" "$pkglibdir/plpython3.so" "$pkglibdir" \
        "$sharedir/extension" | tr '\n' ' ')"
    [[ $(cat "$base/server/origin" 2>/dev/null) != "$origin" ]] || return 0

    if [[ -d $base/data && $(<"$base/data/PG_VERSION") != "$major" ]]; then
        die "the data under .pg is of PostgreSQL $(<"$base/data/PG_VERSION"), the server chosen is" \
            "$major. Choose the former with PG_CONFIG, or run \`make clean\` to start anew"
    fi
    say "copying PostgreSQL $major to $base/server"
    stop_all
    rm -rf "$base/server"
    mkdir "$base/server"
    for program in initdb pg_ctl pg_dump pg_dumpall pg_restore postgres psql; do
        programs+=("${bindir#/}/$program")
    done
    tar -C / -c --exclude=bitcode "${programs[@]}" "${pkglibdir#/}" "${sharedir#/}" |
        tar -C "$base/server" -x --no-same-owner
    ln -sfn "server$bindir" "$base/bin"
    echo "$pg_config" >"$base/pg_config"
    echo "$origin" >"$base/server/origin"
}

# Install the extension, if its sources are not those that were installed before.
install_extension() {
    local sources
    sources=$(find bkpriv.control Makefile requirements/server.lock scripts sql plpython bkpriv_core \
        -name __pycache__ -prune -o -type f -print0 |
        sort -z | xargs -0 sha256sum | sha256sum)
    [[ $(cat "$base/server/installed" 2>/dev/null) != "$sources" ]] || return 0
    say "installing the extension"
    # Into the copy: the directories override what pg_config says.
    env -u MAKEFLAGS -u MAKELEVEL -u DESTDIR make -s --no-print-directory install \
        "PG_CONFIG=$pg_config" "pkglibdir=$base/server$pkglibdir" "datadir=$base/server$sharedir" >&2
    echo "$sources" >"$base/server/installed"
}

make_cluster() { # settings, options of initdb
    local user
    [[ ! -d $cluster/data ]] || return 0
    say "creating a database cluster"
    user=$(server_user)
    rm -rf "$cluster/data.new" "$cluster/run"
    install -d -m 700 -o "$user" -g "$(id -g "$user")" "$cluster/data.new" "$cluster/run"
    run initdb -D "$cluster/data.new" -U postgres -A trust -E UTF8 --locale=C.UTF-8 \
        --no-instructions "${@:2}" >/dev/null
    echo "$1" >>"$cluster/data.new/postgresql.conf"
    mv "$cluster/data.new" "$cluster/data"
}

start() {
    ! sql postgres 'SELECT' >/dev/null 2>&1 || return 0
    say "starting the server"
    if ! run pg_ctl start -D "$cluster/data" -l "$cluster/run/log" -s -w \
        -o "-p 5432 -c unix_socket_directories=$cluster/run" </dev/null >&2; then
        tail -n 20 "$cluster/run/log" >&2
        die "the server did not start; its log is $cluster/run/log"
    fi
}

# --- the database -------------------------------------------------------------------------------

# Print t if a table that the extension registers for dumps holds anything that a user put there.
holds_data() {
    local query
    query=$(sql bkpriv "
        SELECT string_agg(format('EXISTS (SELECT FROM %s %s)', t.id::regclass, t.condition), ' OR ')
        FROM pg_extension e, unnest(e.extconfig, e.extcondition) t (id, condition)
             JOIN pg_class c ON c.oid = t.id
        WHERE e.extname = 'bkpriv' AND c.relkind IN ('r', 'p')")
    [[ -z $query ]] || sql bkpriv "SELECT $query"
}

create_extension() {
    local version script created
    version=$(sed -n "s/^default_version = '\(.*\)'$/\1/p" bkpriv.control)
    script=$(sha256sum <"$base/server$sharedir/extension/bkpriv--$version.sql")

    if [[ $(sql postgres "SELECT count(*) FROM pg_database WHERE datname = 'bkpriv'") == 0 ]]; then
        sql postgres 'CREATE DATABASE bkpriv'
    fi
    created=$(sql bkpriv "SELECT extversion FROM pg_extension WHERE extname = 'bkpriv'")
    if [[ -z $created ]]; then
        sql bkpriv 'CREATE EXTENSION bkpriv CASCADE'
    elif [[ $created == "$version" && $(cat "$base/script" 2>/dev/null) == "$script" ]]; then
        return
    elif [[ $created != "$version" ]] && sql bkpriv 'ALTER EXTENSION bkpriv UPDATE'; then
        :
    elif [[ $(holds_data) == t ]] ||
        ! sql bkpriv 'DROP EXTENSION bkpriv; CREATE EXTENSION bkpriv CASCADE'; then
        say "NOTE: the extension's script has changed, but database bkpriv keeps the extension as it" \
            "was, because it is in use. To renew it, losing what was declared and released there:" \
            ".pg/bin/psql '$(uri postgres)' -c 'DROP DATABASE bkpriv' && make up"
        return
    fi
    echo "$script" >"$base/script"
}

uri() { # database
    echo "postgresql:///$1?host=$cluster/run&port=5432&user=postgres"
}

# --- the commands -------------------------------------------------------------------------------

# Make the directory, and what every server runs, as the checkout is now.
prepare() {
    find_base
    pg_config=$(scripts/packages.sh)
    pkglibdir=$("$pg_config" --pkglibdir)
    sharedir=$("$pg_config" --sharedir)
    [[ $base ]] || make_base
    copy_server
    install_extension
}

up() {
    local cluster
    prepare
    cluster=$base
    make_cluster "$SETTINGS"
    start
    create_extension
    uri bkpriv
}

with() { # count, command
    local count=$1 cluster process uris=()
    shift
    prepare
    for cluster in "$base"/with.*; do
        process=${cluster##*/with.}
        [[ -e /proc/${process%.*} ]] || drop "$cluster"
    done
    trap 'drop "$base/with.$$".*' EXIT
    for cluster in $(seq -f "$base/with.$$.%g" "$count"); do
        mkdir "$cluster"
        make_cluster "$SETTINGS$THROWAWAY" --no-sync
        start
        uris+=("$(uri postgres)")
    done
    exec 9>&- # others need not wait for the command
    BKPRIV_TEST_URI=$(printf '%s\n' "${uris[@]}") "$@"
}

drop() { # directories of clusters
    stop "$@"
    rm -rf "$@"
}

down() {
    find_base
    [[ -z $base ]] || stop_all
}

clean() {
    find_base
    if [[ $base ]]; then
        stop_all
        rm -rf "$base" .pg
    fi
}

# One at a time for one checkout.
mkdir -p .build
exec 9>.build/lock
flock 9

case ${1:-} in
    up | down | clean | with) "$@" ;;
    *) die "usage: server.sh up | down | clean | with COUNT COMMAND..." ;;
esac
