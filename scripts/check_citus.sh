#!/usr/bin/env bash
# check_citus.sh URI
# Check bkpriv on a distributed table of Citus, where that is installed; URI is a coordinator's.
#
# Rules: a superuser's connection, to a database that has the extensions citus and bkpriv and at least
# one active worker. Everything made carries the name below, and is dropped again, also after a
# failure; the history of the releases stays, as it always does. Every check is made even if an
# earlier one fails, so that one run shows everything; the exit status says whether all held.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/messages.sh

(($# == 1)) || die "usage: check_citus.sh URI"
readonly URI=$1 NAME=bkpriv_citus_check
readonly COLUMNS="age, sex, district" SENSITIVE=disease
readonly COUNT="SELECT $COLUMNS, $SENSITIVE, count(*) FROM $NAME.visit GROUP BY $COLUMNS, $SENSITIVE"

psql=.pg/bin/psql
[[ -x $psql ]] || psql=$(command -v psql) || die "no psql found; start the private server with: make up"
failed=()

sql() { # statement
    # Nothing that others have made in the superuser's search_path is called.
    PGOPTIONS="${PGOPTIONS-} -c search_path=pg_catalog,pg_temp" "$psql" -XqAt -v ON_ERROR_STOP=1 -d "$URI" -c "$1"
}

check() { # what, expected, found
    if [[ $2 == "$3" ]]; then
        say "ok: $1"
    else
        say "NOT OK: $1: expected $2, found $3"
        failed+=("$1")
    fi
}

clean() {
    sql "SET client_min_messages = warning;
         SELECT bkpriv.withdraw(release, 'check of Citus') FROM bkpriv.releases
         WHERE dataset = '$NAME' AND status <> 'withdrawn';
         SELECT bkpriv.drop_dataset(name) FROM bkpriv.dataset WHERE name = '$NAME';
         DELETE FROM bkpriv.policy WHERE name = '$NAME';
         DROP SCHEMA IF EXISTS $NAME CASCADE" >/dev/null
}

sql SELECT >/dev/null || die "no connection to $URI"
for extension in citus bkpriv; do
    [[ $(sql "SELECT count(*) FROM pg_extension WHERE extname = '$extension'") == 1 ]] ||
        die "extension $extension is not installed in that database, so there is nothing to check"
done
workers=$(sql "SELECT count(*) FROM pg_catalog.pg_dist_node
               WHERE isactive AND noderole = 'primary' AND shouldhaveshards")
((workers > 0)) || die "Citus has no active node for shards: see citus_set_coordinator_host, citus_add_node"
[[ $(sql "SELECT count(*) FROM pg_namespace WHERE nspname = '$NAME'") == 0 ]] ||
    die "schema $NAME is there already; drop it if it is left from an interrupted check"
trap clean EXIT

say "distributing a table over $workers nodes"
sql "SET client_min_messages = warning;
     CREATE SCHEMA $NAME;
     CREATE TABLE $NAME.visit (id int, age int, sex text, district text, disease text);
     SELECT create_distributed_table('$NAME.visit', 'id');
     INSERT INTO $NAME.visit
     SELECT i, 20 + i * 7 % 60, CASE i % 2 WHEN 0 THEN 'f' ELSE 'm' END, 'district ' || i % 5,
         'disease ' || i * i % 11
     FROM generate_series(1, 20000) AS i" >/dev/null

say "registering and publishing"
sql "SET client_min_messages = warning;
     SELECT bkpriv.register_dataset('$NAME', '$NAME.visit', '{age,sex,district}', 'disease');
     SELECT bkpriv.set_policy('$NAME', '{\"k_anonymity\": {\"k\": 5}, \"l_diversity\": {\"l\": 3}}')" \
    >/dev/null
release=$(sql "SET client_min_messages = warning; SELECT bkpriv.publish('$NAME', '$NAME', '$NAME.shown')")

check "its staleness is unknown" t \
    "$(sql "SELECT stale IS NULL FROM bkpriv.releases WHERE release = $release")"
check "every record is counted" 20000 \
    "$(sql "SELECT records FROM bkpriv.releases WHERE release = $release")"
check "every record that is not suppressed is published" t \
    "$(sql "SELECT (SELECT count(*) FROM $NAME.shown) = records - suppressed
            FROM bkpriv.releases WHERE release = $release")"
check "cells and counts are those of GROUP BY" 0 \
    "$(sql "WITH cell AS (
                SELECT qi, sum(records) AS n FROM bkpriv.disclosure($release, '1') GROUP BY qi
            ), plain AS (
                SELECT jsonb_build_object('age', age, 'sex', sex, 'district', district) AS qi, n
                FROM (SELECT $COLUMNS, count(*) AS n FROM $NAME.visit GROUP BY $COLUMNS) AS x
            )
            SELECT count(*) FROM cell LEFT JOIN plain USING (qi) WHERE cell.n IS DISTINCT FROM plain.n")"
check "an audit finds what was certified" t \
    "$(sql "SELECT bool_and(satisfied) FROM bkpriv.audit($release)")"
check "an attack finds who is in the release" t \
    "$(sql "SELECT count(*) > 0 FROM bkpriv.attack($release, 'majority')")"
check "columns are inspected" 3 \
    "$(sql "SET client_min_messages = warning;
            SELECT count(*) FROM bkpriv.inspect_columns('$NAME.visit')
            WHERE columns <@ '{age,sex,district}' AND cardinality(columns) = 1")"

recount() { sql "SET client_min_messages = warning; SELECT bkpriv.recount($release)"; }
check "a recount finds the cells that were published" t "$(recount)"
check "a release of these cells stands" "$release" \
    "$(sql "SET client_min_messages = warning;
            SELECT bkpriv.publish('$NAME', '$NAME', '$NAME.shown', options => '{\"if_stale\": true}')")"
sql "UPDATE $NAME.visit SET district = district WHERE id = 7"
check "a recount finds the cells after a write that changes none" t "$(recount)"
sql "UPDATE $NAME.visit SET age = age + 1 WHERE id = 7"
check "a recount finds that one record has changed" f "$(recount)"
sql "UPDATE $NAME.visit SET age = age - 1 WHERE id = 7"
check "a recount finds the cells again" t "$(recount)"
exchange="UPDATE $NAME.visit SET disease = 'disease ' || CASE WHEN id = "
sql "${exchange}3 THEN 5 ELSE 9 END WHERE id IN (3, 7)"
check "a recount finds that two people have exchanged a value" f "$(recount)"
sql "${exchange}3 THEN 9 ELSE 5 END WHERE id IN (3, 7)"
check "a recount finds that they have exchanged it back" t "$(recount)"

plan=$(sql "EXPLAIN (VERBOSE, COSTS OFF) $COUNT")
check "the counting is spread over the shards" t \
    "$([[ $plan == *'Custom Scan (Citus Adaptive)'* && $plan == *'Query: '*'GROUP BY'* ]] && echo t || echo f)"
printf '%s\n' "$plan"

lacking=$(sql "SELECT count(*) FROM pg_catalog.run_command_on_workers(
                   'SELECT count(*) FROM pg_available_extensions WHERE name = ''bkpriv''')
               WHERE result <> '1'")
if ((lacking > 0)); then
    say "not checked: releases that are distributed, since $lacking workers lack the files of bkpriv"
else
    say "publishing over the nodes"
    spread=$(sql "SET client_min_messages = error;
                  SELECT bkpriv.publish('$NAME', '$NAME', '$NAME.spread',
                                        options => '{\"distribute_by\": \"district\"}')")
    check "the release is distributed" h \
        "$(sql "SELECT partmethod FROM pg_catalog.pg_dist_partition
                WHERE logicalrelid = 'bkpriv_release.release_$spread'::regclass")"
    check "every record that is not suppressed is on a shard" t \
        "$(sql "SELECT (SELECT count(*) FROM $NAME.spread) = records - suppressed
                FROM bkpriv.releases WHERE release = $spread")"
    plan=$(sql "EXPLAIN (COSTS OFF) SELECT district, count(*) FROM $NAME.spread GROUP BY district")
    check "a query of its view runs on the shards" t \
        "$([[ $plan == *'Custom Scan (Citus Adaptive)'* ]] && echo t || echo f)"
    for change in "DELETE FROM" TRUNCATE; do
        said=$(sql "$change bkpriv_release.release_$spread" 2>&1 || true)
        check "$change is refused" t "$([[ $said == *'is refused'* ]] && echo t || echo f)"
    done
fi
check "the doctor has nothing against the nodes" t \
    "$(sql "SELECT ok FROM bkpriv.doctor() WHERE check_name = 'nodes'")"

((${#failed[@]} == 0)) || die "failed: $(printf '%s; ' "${failed[@]}")"
