"""Releases: what was published of a table, and in which form.

Modules of this room know published groups, not how these were formed or why they are allowed.

- `release`: a table, its published groups, and their form: what any form of publication answers,
  what is shown, and what a reader makes of it;
- `generalized`, `bucketized`, `randomized`: the forms, a room for each;
- `elsewhere`: tables made by other software, as releases of their dataset;
- `rewriting`: what their SQL has in common;
- `recorded`: what history says of a release; `forms`: the form that a method publishes in.
"""
