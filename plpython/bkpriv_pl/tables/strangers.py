"""Strangers: roles whose code may run when somebody reads a relation.

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

The owners of all this are found by one walk over the catalogs, along the dependencies that
PostgreSQL records. What a function calls inside is not recorded, and is up to the function's owner.
Types of columns are followed of the relation itself, of foreign tables, whose values are made when
they are read, and of rows that are types. What a view makes of other columns is fixed, and recorded
with the view; but for functions that take what type they are given, and only then look for its
casts or operators: ``to_json(v)``, ``'no. ' || v``. Types are followed of whatever is read by an
expression that calls one. The owner of a relation, of a cast to a built-in type or of what else is
followed alone decides what belongs to it; so nobody can make strangers of others' relations.
"""

from __future__ import annotations

from dataclasses import dataclass

from bkpriv_pl.server.boundary import run

__all__ = ["Stranger", "find_owners", "find_strangers"]

_LATE = """
tree ~ '\\{(JSON|MINMAX|ROWCOMPARE)' OR EXISTS (
    SELECT FROM regexp_matches(
        tree, ':(?:(funcid|aggfnoid|winfnoid)|opno|eqop|sortop) ([0-9]+)', 'g') AS m (found)
    LEFT JOIN pg_operator AS o ON m.found[1] IS NULL AND o.oid = m.found[2]::oid
    JOIN pg_proc AS f ON f.oid = coalesce(o.oprcode, m.found[2]::oid)
    WHERE EXISTS (SELECT FROM pg_type AS t WHERE t.oid = ANY (f.proargtypes)
                  AND t.typtype = 'p' AND t.oid <> 'anyenum'::regtype)
        AND NOT (f.pronamespace = 'pg_catalog'::regnamespace AND f.proname IN (
            -- What they need of a type, its owner has no say in: mostly how values are written.
            'format', 'concat', 'concat_ws', 'array_to_string', 'count', 'num_nulls',
            'num_nonnulls', 'pg_typeof', 'array_agg', 'unnest', 'array_length', 'cardinality',
            'lag', 'lead', 'first_value', 'last_value', 'nth_value')))
"""
"""SQL for whether an expression, of which `tree` is what PostgreSQL keeps, may look for casts or
operators of the types that it is given each time that it is computed."""

_FOLLOWED = f"""
SELECT d.refclassid, d.refobjid, NULL::oid, NULL::name FROM pg_depend AS d
WHERE d.classid = r.class AND d.objid = r.id AND d.deptype NOT IN ('e', 'x')
    AND d.refclassid IN (
        'pg_class'::regclass, 'pg_type'::regclass, 'pg_proc'::regclass, 'pg_operator'::regclass,
        'pg_opclass'::regclass, 'pg_rewrite'::regclass, 'pg_foreign_server'::regclass,
        'pg_foreign_data_wrapper'::regclass)
    AND (d.classid, d.refclassid) <> ('pg_class'::regclass, 'pg_type'::regclass)
UNION ALL
SELECT 'pg_type'::regclass, a.atttypid, a.attrelid, min(a.attname) FROM (
    SELECT c.oid FROM pg_class AS c
    WHERE r.class = 'pg_class'::regclass AND c.oid = r.id AND c.relkind = 'f'
    UNION ALL
    SELECT t.typrelid FROM pg_type AS t WHERE r.class = 'pg_type'::regclass AND t.oid = r.id
    UNION ALL
    SELECT d.refobjid FROM pg_depend AS d CROSS JOIN LATERAL (
        SELECT ev_action::text FROM pg_rewrite
        WHERE r.class = 'pg_rewrite'::regclass AND oid = r.id
        UNION ALL
        SELECT polqual::text FROM pg_policy
        WHERE r.class = 'pg_policy'::regclass AND oid = r.id
        UNION ALL
        SELECT prosqlbody::text FROM pg_proc
        WHERE r.class = 'pg_proc'::regclass AND oid = r.id) AS x (tree)
    WHERE d.classid = r.class AND d.objid = r.id AND d.refclassid = 'pg_class'::regclass
        AND ({_LATE})) AS x (relation) JOIN pg_attribute AS a ON a.attrelid = x.relation
WHERE a.attnum > 0 AND NOT a.attisdropped
GROUP BY a.atttypid, a.attrelid
UNION ALL
SELECT 'pg_rewrite'::regclass, w.oid, NULL, NULL FROM pg_rewrite AS w
WHERE r.class = 'pg_class'::regclass AND w.ev_class = r.id AND w.ev_type = '1'
    AND EXISTS (SELECT FROM pg_class AS c WHERE c.oid = r.id AND c.relkind = 'v')
UNION ALL
SELECT 'pg_policy'::regclass, p.oid, NULL, NULL FROM pg_policy AS p
WHERE r.class = 'pg_class'::regclass AND p.polrelid = r.id
UNION ALL
SELECT 'pg_constraint'::regclass, k.oid, NULL, NULL FROM pg_constraint AS k
WHERE r.class = 'pg_class'::regclass AND k.conrelid = r.id AND k.contype = 'c'
UNION ALL
SELECT 'pg_attrdef'::regclass, f.oid, NULL, NULL
FROM pg_attrdef AS f JOIN pg_attribute AS a ON (a.attrelid, a.attnum) = (f.adrelid, f.adnum)
WHERE r.class = 'pg_class'::regclass AND f.adrelid = r.id AND a.attgenerated = 'v'
UNION ALL
SELECT 'pg_class'::regclass, i.indexrelid, NULL, NULL FROM pg_index AS i
WHERE r.class = 'pg_class'::regclass AND i.indrelid = r.id
UNION ALL
SELECT x.class, x.id, CASE WHEN EXISTS (
    SELECT FROM pg_roles AS p WHERE p.oid = x.owner AND p.oid <> c.relowner AND NOT p.rolsuper
    AND p.rolname <> current_user) THEN c.oid END, NULL
FROM pg_class AS c CROSS JOIN LATERAL (
    SELECT 'pg_statistic_ext'::regclass, s.oid, s.stxowner FROM pg_statistic_ext AS s
    WHERE s.stxrelid = c.oid
    UNION ALL
    SELECT 'pg_class'::regclass, k.oid, k.relowner FROM pg_class AS k JOIN (
        SELECT inhrelid FROM pg_inherits WHERE inhparent = c.oid
        UNION ALL
        SELECT inhparent FROM pg_inherits WHERE inhrelid = c.oid) AS h (id) ON k.oid = h.id
) AS x (class, id, owner)
WHERE r.class = 'pg_class'::regclass AND c.oid = r.id
UNION ALL
SELECT 'pg_namespace'::regclass, t.typnamespace, NULL, NULL FROM pg_type AS t
WHERE r.place = $1 AND r.attribute IS NOT NULL AND r.class = 'pg_type'::regclass AND t.oid = r.id
UNION ALL
SELECT 'pg_constraint'::regclass, k.oid, NULL, NULL FROM pg_constraint AS k
WHERE r.class = 'pg_type'::regclass AND k.contypid = r.id
UNION ALL
SELECT 'pg_cast'::regclass, x.oid, NULL, NULL FROM pg_cast AS x JOIN pg_type AS t
ON t.oid = CASE r.id WHEN x.castsource THEN x.casttarget ELSE x.castsource END
WHERE r.class = 'pg_type'::regclass AND r.id IN (x.castsource, x.casttarget)
    AND t.typnamespace = 'pg_catalog'::regnamespace
UNION ALL
SELECT 'pg_opclass'::regclass, o.oid, NULL, NULL FROM pg_opclass AS o
WHERE r.class = 'pg_type'::regclass AND o.opcintype = r.id AND o.opcdefault
UNION ALL
SELECT 'pg_operator'::regclass, m.amopopr, NULL, NULL FROM pg_opclass AS o JOIN pg_amop AS m
ON (m.amopfamily, m.amoplefttype, m.amoprighttype) = (o.opcfamily, o.opcintype, o.opcintype)
WHERE r.class = 'pg_opclass'::regclass AND o.oid = r.id
UNION ALL
SELECT 'pg_proc'::regclass, m.amproc::oid, NULL, NULL FROM pg_opclass AS o JOIN pg_amproc AS m
ON (m.amprocfamily, m.amproclefttype, m.amprocrighttype) = (o.opcfamily, o.opcintype, o.opcintype)
WHERE r.class = 'pg_opclass'::regclass AND o.oid = r.id
UNION ALL
SELECT 'pg_namespace'::regclass, o.oprnamespace, NULL, NULL FROM pg_operator AS o
WHERE r.place = $1 AND r.attribute IS NOT NULL AND r.class = 'pg_operator'::regclass
    AND o.oid = r.id
"""
"""SQL for the objects that an object `r` of the catalogs leads to, by class and identifier; and
where nobody sees them by looking at a relation, `place`, that relation: they are the type of a
column, and its name is told, too; or a child, a parent or statistics of another role, who is
neither the caller nor a superuser.

`r.place` is the first such place on the way to `r`. Of types of the relation's own columns bkpriv
itself writes the names into SQL."""

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
WITH RECURSIVE reach (class, id, place, attribute) AS (
    (SELECT 'pg_class'::regclass::oid, oid, NULL::oid, NULL::name FROM pg_class WHERE oid = $1
    UNION ALL
    SELECT 'pg_namespace'::regclass, relnamespace, NULL, NULL FROM pg_class WHERE oid = $1
    UNION ALL
    SELECT 'pg_type'::regclass, atttypid, attrelid, min(attname) FROM pg_attribute
    WHERE attrelid = $1 AND attnum > 0 AND NOT attisdropped GROUP BY atttypid, attrelid)
    UNION
    SELECT e.class, e.id, coalesce(r.place, e.place),
        CASE WHEN r.place IS NULL THEN e.attribute ELSE r.attribute END
    FROM reach AS r CROSS JOIN LATERAL ({_FOLLOWED}) AS e (class, id, place, attribute)
), database AS (
    SELECT 'pg_database_owner'::regrole::oid AS deputy, datdba
    FROM pg_database WHERE datname = current_database()
), owned AS (
    SELECT r.*, d.*, o.owner AS recorded, CASE o.owner WHEN deputy THEN datdba ELSE o.owner END
        AS owner
    FROM database AS d CROSS JOIN reach AS r CROSS JOIN LATERAL ({_OWNERS}) AS o (owner)
), told AS (
    SELECT o.*, o.place IS NOT NULL
        -- So it is with the schema public.
        AND NOT (o.class = 'pg_namespace'::regclass AND o.recorded = o.deputy)
        AND NOT EXISTS (
            SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
            WHERE c.oid IN ($1, o.place) AND (o.owner IN (c.relowner, n.nspowner)
                OR o.owner = o.datdba AND c.relowner = o.deputy)) AS hidden
    FROM owned AS o
)
SELECT DISTINCT ON (p.rolname) p.rolname::text AS role, i.type || ' ' || i.identity AS object,
    o.attribute::text AS attribute, j.type || ' ' || j.identity AS place, o.hidden
FROM told AS o
JOIN pg_roles AS p ON p.oid = o.owner
CROSS JOIN LATERAL pg_identify_object(o.class, o.id, 0) AS i
CROSS JOIN LATERAL pg_identify_object('pg_class'::regclass, nullif(o.place, $1), 0) AS j
WHERE NOT p.rolsuper AND p.rolname <> current_user
ORDER BY p.rolname, o.hidden DESC, o.attribute, o.hidden AND o.class <> 'pg_class'::regclass,
    o.class, o.id
"""


@dataclass(frozen=True)
class Stranger:
    """A role whose code could run when the caller reads a relation.

    Parameters
    ----------
    role : str
        Name of the role.
    object : str
        Object of theirs by which their code could run, as "type stranger.unit".
    attribute : str or None
        The column by whose type it is reached, if one led there.
    place : str or None
        Relation that has that column, as "table adm.snap", if it is another one; or one that is
        inherited from or inherits, or has statistics, of others.
    hidden : bool
        Whether it is up to the role by a column's type alone, or as the owner of a partition, a
        child, a parent or statistics: it is not for the owners of the relation to say, or of the
        place, or of their schemas. A caller who names a relation trusts its owners, and those of
        what it visibly reads; the caller does not see others.
    """

    role: str
    object: str
    attribute: str | None
    place: str | None
    hidden: bool

    def __str__(self) -> str:
        """Describe what belongs to them."""
        if self.attribute is None:
            beside = f", which belongs to {self.place}" if self.place else ""
            return f"{self.role} owns {self.object}{beside}"
        column = f' of column "{self.attribute}"'
        return f"{self.role} owns {self.object}{column}{f' of {self.place}' if self.place else ''}"


def find_strangers(relation: int) -> list[Stranger]:
    """Return each role, but for the caller and superusers, whose code reading a relation may run.

    Parameters
    ----------
    relation : int
        Identifier of the relation, which should be locked.
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
