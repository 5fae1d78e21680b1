"""Randomized releases: records whose values may be others, and the channels that they went through.

- `form`: the form;
- `tally`: unbiased counts from it;
- `joint`: the joint distribution that it leaves;
- `reconstruction`: counts by any attributes;
- `rewriting`: its estimates as SQL.
"""
