"""Tables: attributes and their values, cells and their records, groups of these.

Modules of this room know a table and nothing else: no belief, no requirement, no way of publishing.

- `domain`, `hierarchy`, `levels`: the values of an attribute, their distances and generalizations;
- `reading`: what labels of generalized tables say;
- `rule`: hierarchies that are made from the values;
- `scale`: what bandwidths and losses are shares of;
- `bins`: values that are intervals; `notation`: values as JSON, and text as SQL; `wording`: that
  JSON as people write it;
- `table`, `parts`, `groups`: distinct cells and counts, parts of them, and sets of those;
- `recoding`: tables with attributes coarsened;
- `cost`: what publishing groups costs the analyst, whatever the method;
- `respondent`: whom records are about; `passed`: columns that are shown unchanged;
- `inspection`: what deserves a warning; `identification`, `appearance`: how well columns tell
  people apart, and what they look like; `singling`: which do so together;
- `sentinel`, `outlying`: numbers and days that may stand for a missing value, and values far out;
- `arrays`, `chance`: rows of integers; where random orders and numbers come from.
"""
