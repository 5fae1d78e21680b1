"""Beliefs: what an adversary knows before a release, and believes after it.

Modules of this room know tables and groups, but neither how groups came about nor what is required
of them.

- `knowledge`: the forms that prior knowledge has; `prior`, with `kernels` and `axis`: that of
  Adv(B);
- `learned`: the prior of a `classifier` trained without the person;
- `posterior`: beliefs once groups are published, by `exact` inference (with `placement`), by
  `bethe` or by omega; `contradiction`: where none exists;
- `distance`: how far two beliefs are apart, and `transport` under any distance of values;
  `disclosure`: how far a release moves them; `recall`: what was inferred of a group already;
- `threat`: a table and its adversaries, whose priors are computed once.
"""
