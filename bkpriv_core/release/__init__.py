"""Releases: what was published of a table, and in which form.

What lives here knows groups that are published, not how they were formed or why they are allowed.

- `release`: a table, its published groups, their form;
- `recorded`: what history says of a release, checked before anything is made of it.
"""
