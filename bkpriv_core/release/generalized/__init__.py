"""Generalized releases: each record as its group's box, and a sensitive value of the group.

- `form`: the form;
- `extent`: what stands in place of values, and how records spread there; `runs`: which values that
  are; `spread`: shares of these;
- `blocks`: which boxes are near to which cells;
- `tally`, `joint`: counts and the joint distribution of records spread over their boxes;
- `rewriting`, with `sides` and `keys`: the same counts as SQL.
"""
