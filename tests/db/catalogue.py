"""Full description of the extension's objects by the catalogue, to compare two databases."""

from __future__ import annotations

from tests.conftest import Connection

__all__ = ["catalogue"]

_OURS = "'bkpriv', 'bkpriv_internal', 'bkpriv_release'"

_QUERIES = {
    "member": """
        SELECT i.type || ' ' || i.identity, obj_description(d.objid, d.classid::regclass::text)
        FROM pg_depend d CROSS JOIN LATERAL pg_identify_object(d.classid, d.objid, d.objsubid) AS i
        WHERE d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass
            AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'bkpriv')
        """,
    "extension": """
        SELECT extname, extversion, extrelocatable, extnamespace::regnamespace, obj_description(oid)
        FROM pg_extension WHERE extname = 'bkpriv'
        """,
    "dumped": """
        SELECT t.id::regclass, t.condition
        FROM pg_extension e, unnest(e.extconfig, e.extcondition) AS t (id, condition)
        WHERE e.extname = 'bkpriv'
        """,
    "schema": """
        SELECT nspname, nspowner::regrole, obj_description(oid) FROM pg_namespace
        WHERE nspname IN ({ours})
        """,
    "relation": """
        SELECT oid::regclass, relkind, relowner::regrole, reloptions, relpersistence, relreplident,
            relrowsecurity, relforcerowsecurity, reltablespace, relhastriggers,
            (SELECT amname FROM pg_am WHERE pg_am.oid = relam), obj_description(oid),
            CASE relkind WHEN 'v' THEN pg_get_viewdef(oid) WHEN 'i' THEN pg_get_indexdef(oid) END
        FROM pg_class WHERE relnamespace::regnamespace::text IN ({ours})
        """,
    "column": """
        SELECT a.attrelid::regclass, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod),
            a.attnotnull, a.attisdropped, a.attstorage, a.attcompression,
            -- Only those that users set; a server may keep notes of its own there.
            ARRAY(SELECT o FROM unnest(a.attoptions) AS o WHERE o LIKE 'n_distinct%'),
            nullif(a.attstattarget, -1), a.attcollation::regcollation, a.attidentity,
            a.attgenerated, pg_get_expr(d.adbin, d.adrelid), col_description(a.attrelid, a.attnum)
        FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE c.relnamespace::regnamespace::text IN ({ours})
        """,
    "constraint": """
        SELECT conrelid::regclass, conname, contype, condeferrable, condeferred, convalidated,
            connoinherit, conindid::regclass, pg_get_constraintdef(oid), obj_description(oid)
        FROM pg_constraint WHERE connamespace::regnamespace::text IN ({ours})
        """,
    "sequence": """
        SELECT seqrelid::regclass, seqtypid::regtype, seqstart, seqincrement, seqmax, seqmin,
            seqcache, seqcycle
        FROM pg_sequence JOIN pg_class c ON c.oid = seqrelid
        WHERE c.relnamespace::regnamespace::text IN ({ours})
        """,
    "function": """
        SELECT oid::regprocedure, pg_get_functiondef(oid), proowner::regrole, obj_description(oid)
        FROM pg_proc WHERE pronamespace::regnamespace::text IN ({ours})
        """,
    "trigger": """
        SELECT tgrelid::regclass, tgname, pg_get_triggerdef(t.oid), tgenabled,
            obj_description(t.oid)
        FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
        WHERE c.relnamespace::regnamespace::text IN ({ours})
        """,
    "event trigger": """
        SELECT evtname, evtevent, evtowner::regrole, evtfoid::regprocedure, evtenabled, evttags
        FROM pg_event_trigger
        """,
    "policy": """
        SELECT polrelid::regclass, polname, polcmd, polpermissive, polroles,
            pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)
        FROM pg_policy
        """,
    "type": """
        SELECT oid::regtype, typtype, typowner::regrole, typacl::text FROM pg_type
        WHERE typnamespace::regnamespace::text IN ({ours})
        """,
    # Beside what objects have now, what counts as the extension's, of which dumps say nothing.
    "privilege": """
        SELECT o.kind, o.name, o.initial, pg_get_userbyid(a.grantor), a.grantee::regrole,
            a.privilege_type, a.is_grantable
        FROM (
            SELECT k.kind, k.name, s.initial, coalesce(s.acl, acldefault(k.kind, k.owner)) AS acl
            FROM (
                SELECT 'n'::"char" AS kind, nspname::text AS name, nspacl AS acl, nspowner AS owner,
                    'pg_namespace'::regclass AS class, oid, 0 AS part
                FROM pg_namespace WHERE nspname IN ({ours})
                UNION ALL SELECT 'f', oid::regprocedure::text, proacl, proowner, 'pg_proc', oid, 0
                FROM pg_proc WHERE pronamespace::regnamespace::text IN ({ours})
                UNION ALL SELECT CASE relkind WHEN 'S' THEN 's' ELSE 'r' END::"char",
                    oid::regclass::text, relacl, relowner, 'pg_class', oid, 0
                FROM pg_class WHERE relnamespace::regnamespace::text IN ({ours})
                    AND relkind IN ('r', 'v', 'S')
                UNION ALL SELECT 'c', attrelid::regclass || '.' || attname, attacl, relowner,
                    'pg_class', attrelid, attnum
                FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
                WHERE relnamespace::regnamespace::text IN ({ours}) AND relkind IN ('r', 'v')
            ) AS k
            LEFT JOIN pg_init_privs i
                ON (i.classoid, i.objoid, i.objsubid) = (k.class, k.oid, k.part)
            CROSS JOIN LATERAL (VALUES (false, k.acl), (true, i.initprivs)) AS s (initial, acl)
        ) AS o CROSS JOIN LATERAL aclexplode(o.acl) AS a
        """,
}


def catalogue(connection: Connection) -> dict[str, set[str]]:
    """Describe the extension's objects in all that defines them, one line for each, by kind."""
    return {
        kind: {
            str(line)
            for (line,) in connection.execute(
                f"SELECT t::text FROM ({query.format(ours=_OURS)}) AS t".encode()
            ).fetchall()
        }
        for kind, query in _QUERIES.items()
    }
