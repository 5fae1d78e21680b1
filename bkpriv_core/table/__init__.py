"""Tables: attributes and their values, cells and their records, groups of them.

What lives here knows a table and nothing else: no belief, no requirement, no way of publishing.

- `domain`, `hierarchy`, `levels`: the values of an attribute, their distances and generalizations;
- `table`, `groups`: distinct cells and counts, and sets of them;
- `respondent`: whom records are about; `inspection`: what deserves a warning;
- `arrays`, `shuffle`: rows of integers, and random orders.
"""
