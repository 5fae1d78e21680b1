"""Attacks on who runs what `rewrite_query` writes, by functions and operators in their search path.

PostgreSQL prefers one that is made for just the types in question, whosever it is, to its own that
takes any type, or one that these can be cast to.
"""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest

from tests.conftest import Connection, Database
from tests.db.clinic import one, publish, state_policy

TRAPS = """
DO $traps$
DECLARE
    trap text := $trap$LANGUAGE plpgsql
        AS 'BEGIN RAISE EXCEPTION ''run as %'', current_user; END'$trap$;
    types regtype[] := '{integer,bigint,float8,numeric,text,varchar,bpchar,date,timestamp,
        timestamptz,boolean,jsonb,cidr,int4range,int8range,numrange,daterange,tsrange,tstzrange,text[]}';
    made record;
BEGIN
    FOR made IN SELECT l, r FROM unnest(types) AS l, unnest(types) AS r LOOP
        EXECUTE format('CREATE FUNCTION public.trap(%s, %s) RETURNS boolean %s',
            made.l, made.r, trap);
    END LOOP;
    FOR made IN
        SELECT sign, l, r FROM unnest(types) AS l, unnest(types) AS r,
            unnest('{+,-,*,/,=,<>,<,<=,>,>=,<<,>>,||}'::text[]) AS sign
        WHERE NOT EXISTS (SELECT FROM pg_operator
                          WHERE oprname = sign AND oprleft = l AND oprright = r)
    LOOP
        EXECUTE format('CREATE OPERATOR public.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = %s)',
            made.sign, made.l, made.r, 'public.trap');
    END LOOP;
    FOR made IN
        SELECT name, t
        FROM unnest(types || '{int8[],float8[]}'::regtype[]) AS t, unnest('{
            lower,upper,count,sum,array_agg,unnest,generate_series,width_bucket,lead,sqrt,ceil,
            floor,jsonb_array_elements,jsonb_build_object,split_part}'::text[]) AS name
        WHERE NOT EXISTS (SELECT FROM pg_proc
                          WHERE proname = name AND proargtypes::text = t::oid::text)
    LOOP
        EXECUTE format('CREATE FUNCTION public.%I(%s) RETURNS %s %s',
            made.name, made.t, made.t, trap);
    END LOOP;
    FOR made IN
        SELECT name, l, r
        FROM unnest(types) AS l, unnest(types || 'float8[]'::regtype) AS r, unnest('{
            generate_series,width_bucket,jsonb_build_object,
            int4range,int8range,numrange,daterange,tsrange,tstzrange}'::text[]) AS name
        WHERE NOT EXISTS (SELECT FROM pg_proc WHERE proname = name
                          AND proargtypes::text = l::oid || ' ' || r::oid)
    LOOP
        EXECUTE format('CREATE FUNCTION public.%I(%s, %s) RETURNS boolean %s',
            made.name, made.l, made.r, trap);
        EXECUTE format('CREATE FUNCTION public.%I(%s, %s, text) RETURNS boolean %s',
            made.name, made.l, made.r, trap);
    END LOOP;
END $traps$
"""

FORMS = {
    "ranges": ("mondrian", {}),
    "bounds": ("mondrian", {"ranges": "bounds"}),
    "text": ("mondrian", {"ranges": "text"}),
    "bucketize": ("bucketize", {}),
    "anatomy": ("anatomy", {}),
    "randomize": ("randomize", {"scheme": "rr-both"}),
}

QUERIES = (
    "true",
    "n < 3 AND w = 1.5 OR v = 'v1'",
    "x > 1.5 AND NOT (d < '2024-01-05' OR s IN ('s1', 's2'))",
    "at < '2024-01-04' AND c = 'c2' AND big > 9007199254740993",
    "on_ = true AND zone >= '2024-01-02' OR s <> 's0'",
    "tags <> '{t1}' AND span IN ('[0,5)', '[1,5)') OR span = '[7,8)'",
)
FEW = ("true", "n < 3 OR v = 'v1'", "NOT d < '2024-01-05' OR s IN ('s1', 's2')")
"""Conditions on all columns; and on few, of which there are not too many values to draw from."""


Rows = list[tuple[object, ...]]


@pytest.fixture(scope="module")
def rewritten(
    shared_database: Database, shared_db: Connection, make_role: Callable[..., str]
) -> dict[str, list[tuple[str, Rows]]]:
    """Queries of releases of each form, rewritten, and their rows before an outsider set traps."""
    db = shared_db
    db.execute(
        "CREATE TABLE people AS SELECT i % 7 AS n, (i % 5 * .5)::numeric AS w, i % 6 * .75::float8 "
        "AS x, 9007199254740990 + i % 9 AS big, date '2024-01-01' + i % 8 AS d, "
        "timestamp '2024-01-01' + i % 4 * interval '36 hours' AS at, "
        "timestamptz '2024-01-01' + i % 3 * interval '1 day' AS zone, i % 2 = 0 AS on_, "
        "('v' || i % 3)::varchar(9) AS v, ('c' || i % 3)::char(4) AS c, 's' || i * i % 5 AS s, "
        "ARRAY['t' || i % 2] AS tags, numrange(i % 3, 5) AS span "
        "FROM generate_series(1, 240) AS i"
    )
    found = {form: _rewrite(db, form) for form in FORMS}
    db.execute("GRANT CREATE ON SCHEMA public TO PUBLIC")
    outsider = shared_database.connect(make_role("outsider"))
    outsider.execute("SET search_path TO pg_catalog")
    outsider.execute(TRAPS)
    return found


def _rewrite(db: Connection, form: str) -> list[tuple[str, Rows]]:
    """Publish in a form, and rewrite queries of it."""
    method, options = FORMS[form]
    few = form == "randomize"
    columns = "n,d,v" if few else "n,w,x,big,d,at,zone,on_,v,c,tags,span"
    groupings = ["", " GROUP BY ROLLUP (n, d)", " GROUP BY v, s"]
    if not few:
        groupings += [" GROUP BY x, tags", " GROUP BY w, at, s"]
    register = "SELECT bkpriv.register_dataset(%s, 'people', %s, 's')"
    db.execute(register, [f"as_{form}", f"{{{columns}}}"])
    bound = {"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}
    state_policy(db, form, {"max_disclosure": {"tau": 0.5}} if few else bound)
    release = publish(db, f"as_{form}", form, f"shown_{form}", options=options, method=method)
    texts = [
        one(
            db,
            "SELECT bkpriv.rewrite_query(%s, %s)",
            [release, f"SELECT count(*) FROM as_{form} WHERE {condition}{grouping}"],
        )
        for condition in (FEW if few else QUERIES)
        for grouping in groupings
    ]
    return [(text, db.execute(text.encode()).fetchall()) for text in texts]


@pytest.mark.parametrize("form", FORMS)
def test_a_reader_runs_no_code_of_others(
    rewritten: dict[str, list[tuple[str, Rows]]], shared_db: Connection, form: str
) -> None:
    assert any(rows and rows[0][-1] for _, rows in rewritten[form])
    with pytest.raises(psycopg.errors.RaiseException, match="run as postgres"):
        shared_db.execute("SELECT 1 * float8 '2'")
    for text, rows in rewritten[form]:
        try:
            found = shared_db.execute(text.encode()).fetchall()
        except psycopg.Error as error:
            pytest.fail(f"{error.diag.context}\n{text}")
        assert sorted(map(repr, found)) == sorted(map(repr, rows))
