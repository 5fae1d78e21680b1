#!/usr/bin/env bash
# Run PostgreSQL in a container; on the first start, create the cluster and, in it, database bkpriv
# with the extension.
#
# Rules: POSTGRES_PASSWORD is the superuser's password and needed on the first start only. A first
# start that is interrupted leaves nothing behind, the next begins anew. Connections from outside
# need a password. Arguments are handed to the server.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/messages.sh

readonly DATA=/var/lib/bkpriv/data
bindir=$("$(scripts/find_server.sh)" --bindir)

if [[ ! -d $DATA ]]; then
    [[ ${POSTGRES_PASSWORD:-} ]] || die "set POSTGRES_PASSWORD: the superuser's password to be"
    say "creating the database cluster"
    rm -rf "$DATA.new"
    "$bindir/initdb" -D "$DATA.new" -U postgres -E UTF8 --locale=C.UTF-8 --no-instructions \
        --auth-local=peer --auth-host=scram-sha-256 --pwfile=<(echo "$POSTGRES_PASSWORD") >/dev/null
    echo 'host all all all scram-sha-256' >>"$DATA.new/pg_hba.conf"
    "$bindir/pg_ctl" start -D "$DATA.new" -s -w -o "-c listen_addresses='' -k /tmp"
    "$bindir/psql" -Xq -v ON_ERROR_STOP=1 -h /tmp -d postgres -c 'CREATE DATABASE bkpriv'
    "$bindir/psql" -Xq -v ON_ERROR_STOP=1 -h /tmp -d bkpriv -c 'CREATE EXTENSION bkpriv CASCADE'
    "$bindir/pg_ctl" stop -D "$DATA.new" -s -w -m fast
    mv "$DATA.new" "$DATA"
fi

unset POSTGRES_PASSWORD
exec "$bindir/postgres" -D "$DATA" -c listen_addresses='*' -c jit=off "$@"
