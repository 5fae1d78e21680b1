"""Our own comparison with other tools: the same tables and bounds, and one measure for all.

`design` holds the tables, the bounds and the tools; `peers` a module for each tool, which runs in
an environment of its own, and `own` ours; `trial` runs one tool on one table in a process of its
own and measures what it published, by `published`.
"""
