"""Queries: counts of the records that meet a condition, and how they are asked for.

A query counts the records that meet a condition on quasi-identifiers and the sensitive attribute,
perhaps by groups of some of them. Its *actual* count is that of the source when the release was
made; its *estimate* comes from the release alone; its *relative error* is ``|estimate - actual| /
actual``, undefined where nothing is counted (Xiao, Tao 2006; LeFevre, DeWitt, Ramakrishnan 2006).

Modules of this room know nothing of releases: the form of a release says how to count in it
(`release`).

- `predicate`: conditions, in SQL's three-valued logic; `combination`: conditions as sums of
  disjoint conjunctions;
- `literal`, `parsing`: conditions and groupings from SQL text;
- `tally`: what counts records; `counting`: counts over cells, actual or expected;
- `joint`: joint distributions, likewise;
- `grouping`: GROUP BY with CUBE, ROLLUP and GROUPING SETS;
- `workload`: random queries, thousands at once; `bound`: how far a policy lets estimates err.

Attributes are numbered: the quasi-identifiers from 0, then the sensitive attribute, number ``d``.
"""
