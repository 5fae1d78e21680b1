"""Judge a published view by pycanon; runs in pycanon's own environment, never in the tests'.

    .build/pycanon/bin/python tests/db/judge.py SENSITIVE QUASI_IDENTIFIER... <view.csv

Reads the view as CSV with a header and prints one JSON object: what pycanon measures of it. Of
several views, with a form feed between them, one line each. Knows nothing of bkpriv. What each
figure means, and where pycanon errs, is said in test_pycanon.py.

Rules
-----
- Every field is text, an empty one too: pandas would read some as missing, and pycanon's grouping
  silently leaves records with missing quasi-identifiers out.
- pycanon takes the ground distance of t-closeness from the column's type: text gives the equal one,
  numbers the ordered one. So it is asked twice, the second time about the ranks of the values.
- pycanon rounds entropy l down to a whole number. Where each record is replaced by ten, with ten
  different values in place of its one, l is ten times as large, so a tenth of that is l to a tenth.
"""

from __future__ import annotations

import io
import json
import math
import sys

import pandas as pd
from pycanon import anonymity

_FOLD = 10
"""Into how many values each is split to have entropy l to a tenth."""


def judge(view: pd.DataFrame, quasi_identifiers: list[str], sensitive: str) -> dict[str, object]:
    """Measure a view.

    Args:
        view: The view's rows, all columns text.
    """
    values = view[sensitive].unique()
    numeric = all(value.removeprefix("-").isdecimal() for value in values)
    rank = {value: place for place, value in enumerate(sorted(values, key=int if numeric else str))}
    ranked = view.assign(**{sensitive: view[sensitive].map(rank)})

    split = view.loc[view.index.repeat(_FOLD)].reset_index(drop=True)
    split[sensitive] += [f" {place % _FOLD}" for place in range(len(split))]

    asked = (view, quasi_identifiers, [sensitive])
    alpha, k = anonymity.alpha_k_anonymity(*asked)
    c, recursive_l = anonymity.recursive_c_l_diversity(*asked)
    return {
        "records": len(view),
        "classes": view.groupby(quasi_identifiers).ngroups,
        "k": int(k),
        "alpha": float(alpha),
        "distinct_l": int(anonymity.l_diversity(*asked)),
        "entropy_l": anonymity.entropy_l_diversity(split, quasi_identifiers, [sensitive]) / _FOLD,
        "recursive_c": None if math.isnan(c) else float(c),
        "recursive_l": int(recursive_l),
        "equal_t": float(anonymity.t_closeness(*asked)),
        "ordered_t": float(anonymity.t_closeness(ranked, quasi_identifiers, [sensitive])),
        "basic_beta": float(anonymity.basic_beta_likeness(*asked)),
        "enhanced_beta": float(anonymity.enhanced_beta_likeness(*asked)),
    }


if __name__ == "__main__":
    sensitive, *quasi_identifiers = sys.argv[1:]
    for text in sys.stdin.read().split("\f"):
        view = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
        print(json.dumps(judge(view, quasi_identifiers, sensitive), allow_nan=False))
