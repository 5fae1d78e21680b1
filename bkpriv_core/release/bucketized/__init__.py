"""Bucketized releases: exact quasi-identifiers, and each group's sensitive values apart from them.

- `form`: the form, and the one of anatomy, which is the same without values among the records;
- `rewriting`: its estimates as SQL.
"""
