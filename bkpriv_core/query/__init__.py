"""Query accuracy: what an analyst of a release loses in the counts that she asks for.

A query counts the records that meet a condition on quasi-identifiers and the sensitive attribute,
perhaps by groups of some of them. Its *actual* count is that of the source when the release was
made; its *estimate* comes from the release alone; its *relative error* is ``|estimate - actual| /
actual``, undefined where nothing is counted (Xiao, Tao 2006; LeFevre, DeWitt, Ramakrishnan 2006).

- `predicate`: conditions, in SQL's three-valued logic; `combination`: conditions as sums of
  disjoint conjunctions;
- `literal`, `parsing`: conditions and groupings from SQL text;
- `release`: a release as an estimator sees it;
- `counting`: counts over cells, actual and, for releases that keep the quasi-identifiers, expected;
- `estimator`: the interface of the methods of estimation; `generalized`, with `extent`, and
  `bucketized`: these methods; `rewriting`: the same as SQL over the published views;
- `workload`: random queries, thousands at once; `bound`: how far a policy lets them err;
- `grouping`: GROUP BY with CUBE, ROLLUP and GROUPING SETS;
- `joint`, `divergence`: original and estimated joint distribution, and how far apart they are.

Attributes are numbered: the quasi-identifiers from 0, then the sensitive attribute, number ``d``.
"""
