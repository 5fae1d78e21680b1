"""Ways to partition a table's parts into groups that meet every requirement.

Modules of this room form groups and mend them. They know neither which method wants groups nor how
these are shown.

- `cutting`: where groups can be cut in two; `sieve`: which of these cuts may be made, and are;
- `mondrian`: from the whole table down; `incognito`: whole columns at a level, in their lattice;
  `cheapest`: which of its nodes is published; `screening`: unsafe ones found early;
- `agglomeration`: from the cells up, near groups united;
- `growth`: along an order, such as that of the curve of `hilbert`, each group until it holds, which
  `prefix` finds out; `relaxing`: what that leaves over, by less strict requirements;
- `clustering`: parts about which adversaries believe alike, within which groups are formed:
  `anonymity_primacy` of near records, `likeness_primacy` of values in proportion;
- `joint`: what holds of all groups together, where they are formed one by one;
- `anatomy`: records of different values; `coarsening`: neighbours joined until requirements hold;
- `neighbours`: which groups are near to one another, and what uniting two costs;
- `judging`: which groups may be published; `exchange`: groups given up for others of the same
  parts, in rounds;
- `repair`: exchanges that mend groups that fail; `improvement`: exchanges that win detail back;
- `certification`: every group measured once more, mended or left out where it fails, and improved.
"""
