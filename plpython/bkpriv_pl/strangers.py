"""Strangers: whose code may run when somebody reads a relation.

To read a relation is to run code with the reader's rights, and not only that of the relation's own
owner. It may be that of

- views, row-level policies, CHECK constraints and virtual columns, whose expressions are computed;
  indexes and statistics, whose expressions the planner folds; all these of partitions and children,
  and of whatever a view reads; and what parents pass on to their children;
- foreign servers and their wrappers;
- the columns' types: casts to and from built-in types, which the owner of a type adds as they
  like; CHECK constraints of domains, also within arrays and composites; comparison by the
  operators of the type's default classes, of elements, subtypes and attributes as well. A type that
  is named in SQL is also up to the owner of its schema, who may put another in its place.

Whoever owns any of it is found by one walk over the catalogs, along what PostgreSQL records as
dependencies. What a function calls inside is not recorded, and is up to the function's owner. Types
of columns are followed of the relation itself and of foreign tables: what a view makes of other
columns is fixed, and recorded with the view. The owner of a relation, of a cast to a built-in type
or of what else is followed alone decides what belongs to it; so nobody can make strangers of
others' relations.
"""

from __future__ import annotations

from dataclasses import dataclass

from bkpriv_pl.boundary import run

__all__ = ["Stranger", "find_owners", "find_strangers"]

_FOLLOWED = """
SELECT d.refclassid, d.refobjid FROM pg_depend AS d
WHERE d.classid = r.class AND d.objid = r.id AND d.deptype NOT IN ('e', 'x')
    AND d.refclassid IN (
        'pg_class'::regclass, 'pg_type'::regclass, 'pg_proc'::regclass, 'pg_operator'::regclass,
        'pg_opclass'::regclass, 'pg_rewrite'::regclass, 'pg_foreign_server'::regclass,
        'pg_foreign_data_wrapper'::regclass)
    AND (r.typed OR d.classid <> 'pg_class'::regclass OR d.refclassid <> 'pg_type'::regclass
         OR EXISTS (SELECT FROM pg_class AS c WHERE c.oid = r.id AND c.relkind = 'f'))
UNION ALL
SELECT 'pg_rewrite'::regclass, w.oid FROM pg_rewrite AS w
WHERE r.class = 'pg_class'::regclass AND w.ev_class = r.id AND w.ev_type = '1'
    AND EXISTS (SELECT FROM pg_class AS c WHERE c.oid = r.id AND c.relkind = 'v')
UNION ALL
SELECT 'pg_policy'::regclass, p.oid FROM pg_policy AS p
WHERE r.class = 'pg_class'::regclass AND p.polrelid = r.id
UNION ALL
SELECT 'pg_constraint'::regclass, k.oid FROM pg_constraint AS k
WHERE r.class = 'pg_class'::regclass AND k.conrelid = r.id AND k.contype = 'c'
UNION ALL
SELECT 'pg_attrdef'::regclass, f.oid
FROM pg_attrdef AS f JOIN pg_attribute AS a ON (a.attrelid, a.attnum) = (f.adrelid, f.adnum)
WHERE r.class = 'pg_class'::regclass AND f.adrelid = r.id AND a.attgenerated = 'v'
UNION ALL
SELECT 'pg_class'::regclass, i.indexrelid FROM pg_index AS i
WHERE r.class = 'pg_class'::regclass AND i.indrelid = r.id
UNION ALL
SELECT 'pg_statistic_ext'::regclass, s.oid FROM pg_statistic_ext AS s
WHERE r.class = 'pg_class'::regclass AND s.stxrelid = r.id
UNION ALL
SELECT 'pg_class'::regclass, h.inhrelid FROM pg_inherits AS h
WHERE r.class = 'pg_class'::regclass AND h.inhparent = r.id
UNION ALL
SELECT 'pg_namespace'::regclass, t.typnamespace FROM pg_type AS t
WHERE r.typed AND r.class = 'pg_type'::regclass AND t.oid = r.id
UNION ALL
SELECT 'pg_class'::regclass, t.typrelid FROM pg_type AS t
WHERE r.class = 'pg_type'::regclass AND t.oid = r.id AND t.typrelid <> 0
UNION ALL
SELECT 'pg_constraint'::regclass, k.oid FROM pg_constraint AS k
WHERE r.class = 'pg_type'::regclass AND k.contypid = r.id
UNION ALL
SELECT 'pg_cast'::regclass, x.oid FROM pg_cast AS x JOIN pg_type AS t
ON t.oid = CASE r.id WHEN x.castsource THEN x.casttarget ELSE x.castsource END
WHERE r.class = 'pg_type'::regclass AND r.id IN (x.castsource, x.casttarget)
    AND t.typnamespace = 'pg_catalog'::regnamespace
UNION ALL
SELECT 'pg_opclass'::regclass, o.oid FROM pg_opclass AS o
WHERE r.class = 'pg_type'::regclass AND o.opcintype = r.id AND o.opcdefault
UNION ALL
SELECT 'pg_operator'::regclass, m.amopopr FROM pg_opclass AS o JOIN pg_amop AS m
ON (m.amopfamily, m.amoplefttype, m.amoprighttype) = (o.opcfamily, o.opcintype, o.opcintype)
WHERE r.class = 'pg_opclass'::regclass AND o.oid = r.id
UNION ALL
SELECT 'pg_proc'::regclass, m.amproc::oid FROM pg_opclass AS o JOIN pg_amproc AS m
ON (m.amprocfamily, m.amproclefttype, m.amprocrighttype) = (o.opcfamily, o.opcintype, o.opcintype)
WHERE r.class = 'pg_opclass'::regclass AND o.oid = r.id
UNION ALL
SELECT 'pg_namespace'::regclass, o.oprnamespace FROM pg_operator AS o
WHERE r.typed AND r.class = 'pg_operator'::regclass AND o.oid = r.id
"""
"""SQL for the objects that an object `r` of the catalogs leads to, by class and identifier;
`r.typed` is whether a type of the relation's own columns led there."""

_OWNERS = " UNION ALL ".join(
    f"SELECT {owner} FROM {catalog} WHERE r.class = '{catalog}'::regclass AND oid = r.id"
    for catalog, owner in (
        ("pg_class", "relowner"),
        ("pg_type", "typowner"),
        ("pg_proc", "proowner"),
        ("pg_operator", "oprowner"),
        ("pg_opclass", "opcowner"),
        ("pg_namespace", "nspowner"),
        ("pg_statistic_ext", "stxowner"),
        ("pg_foreign_server", "srvowner"),
        ("pg_foreign_data_wrapper", "fdwowner"),
    )
)

_STRANGERS = f"""
WITH RECURSIVE relation AS (
    SELECT c.oid, c.relowner AS owner, c.relnamespace AS home, n.nspowner AS host
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = $1
), reach (class, id, typed, attribute) AS (
    (SELECT 'pg_class'::regclass::oid, oid, false, NULL::name FROM relation
    UNION ALL
    SELECT 'pg_namespace'::regclass, home, false, NULL FROM relation
    UNION ALL
    SELECT 'pg_type'::regclass, atttypid, true, min(attname) FROM pg_attribute
    WHERE attrelid = $1 AND attnum > 0 AND NOT attisdropped GROUP BY atttypid)
    UNION
    SELECT e.class, e.id, r.typed, r.attribute
    FROM reach AS r CROSS JOIN LATERAL ({_FOLLOWED}) AS e (class, id)
), owned AS (
    SELECT r.*, o.owner, o.owner NOT IN (w.owner, w.host) AND r.typed
        -- It stands for the owner of the database.
        AND o.owner <> 'pg_database_owner'::regrole AS hidden
    FROM relation AS w CROSS JOIN reach AS r CROSS JOIN LATERAL ({_OWNERS}) AS o (owner)
)
SELECT DISTINCT ON (p.rolname) p.rolname::text AS role, i.type || ' ' || i.identity AS object,
    o.attribute::text AS attribute, o.hidden
FROM owned AS o
JOIN pg_database AS d ON d.datname = current_database()
JOIN pg_roles AS p
ON p.oid = CASE o.owner WHEN 'pg_database_owner'::regrole THEN d.datdba ELSE o.owner END
CROSS JOIN LATERAL pg_identify_object(o.class, o.id, 0) AS i
WHERE NOT p.rolsuper AND p.rolname <> current_user
ORDER BY p.rolname, o.hidden DESC, o.attribute, o.class, o.id
"""


@dataclass(frozen=True)
class Stranger:
    """A role whose code could run when the caller reads a relation.

    Parameters
    ----------
    role : str
        Its name.
    object : str
        Something of theirs that it could run by, as "type stranger.unit".
    attribute : str or None
        The column of the relation by whose type it is reached, if one led there.
    hidden : bool
        Whether it is not for the owners of the relation and of its schema to say: it is up to the
        role by a column's type alone. Who names a relation trusts its owners, and does not see
        others.
    """

    role: str
    object: str
    attribute: str | None
    hidden: bool

    def __str__(self) -> str:
        """What belongs to them."""
        column = "" if self.attribute is None else f' of column "{self.attribute}"'
        return f"{self.role} owns {self.object}{column}"


def find_strangers(relation: int) -> list[Stranger]:
    """Return each role, but for the caller and superusers, whose code reading a relation may run.

    Parameters
    ----------
    relation : int
        Its identifier; it should be locked.
    """
    return [Stranger(**row) for row in run(_STRANGERS, ["oid"], [relation])]


def find_owners(relation: int) -> set[str]:
    """Return who, but for the caller and superusers, may have a relation's name lead elsewhere.

    Those are its owner and that of its schema.
    """
    rows = run(
        "SELECT p.rolname::text AS role FROM pg_class AS c "
        "JOIN pg_namespace AS n ON n.oid = c.relnamespace "
        "JOIN pg_database AS d ON d.datname = current_database() "
        "JOIN pg_roles AS p ON p.oid IN (c.relowner, CASE n.nspowner "
        "WHEN 'pg_database_owner'::regrole THEN d.datdba ELSE n.nspowner END) "
        "WHERE c.oid = $1 AND NOT p.rolsuper AND p.rolname <> current_user",
        ["oid"],
        [relation],
    )
    return {row["role"] for row in rows}
