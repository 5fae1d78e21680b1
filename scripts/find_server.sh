#!/usr/bin/env bash
# Print the pg_config of the PostgreSQL server to build for; print nothing if there is none.
#
# Rules: PG_CONFIG wins. Then the server that .pg was made from, so that a choice once made
# holds. Then the newest Debian-style server that has PL/Python or can get it from apt, then the
# pg_config on PATH if a server lies beside it.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/messages.sh

readonly OLDEST=14

has_server() { # pg_config
    local bindir
    bindir=$("$1" --bindir 2>/dev/null) && [[ -x $bindir/postgres ]]
}

can_have_plpython() { # pg_config, major version
    [[ -e $("$1" --pkglibdir)/plpython3.so ]] ||
        apt-cache show --no-all-versions "postgresql-plpython3-$2" >/dev/null 2>&1
}

if [[ ${PG_CONFIG:-} ]]; then
    found=$(command -v "$PG_CONFIG") || die "PG_CONFIG=$PG_CONFIG is not a program"
    has_server "$found" || die "PG_CONFIG=$PG_CONFIG: no server in '$("$found" --bindir)'"
    realpath "$found"
    exit
fi

if [[ -r .pg/pg_config ]] && has_server "$(<.pg/pg_config)"; then
    cat .pg/pg_config
    exit
fi

while read -r found; do
    IFS=/ read -r _ _ _ _ major _ <<<"$found"
    if [[ $major != '*' ]] && ((major >= OLDEST)) && has_server "$found" && can_have_plpython "$found" "$major"; then
        echo "$found"
        exit
    fi
done < <(printf '%s\n' /usr/lib/postgresql/*/bin/pg_config | sort -Vr)

if has_server pg_config; then
    realpath "$(command -v pg_config)"
fi
