"""Estimates as SQL that a reader of the published views can run: nothing else is read.

There is one module for each kind of release, as there is one estimator: `generalized` and
`bucketized`. Both are built of `fragment`, pieces of SQL made of labels and numbers.

A query without GROUP BY becomes a SELECT of one row with one column, ``estimate``. With GROUP BY
there is also ``key``, a JSON object of the values grouped by, as `table.notation` writes them;
keys with an estimate of 0 are left out, but the count of everything, ``{}``, never is. The values
of keys are listed in a WITH clause, a table ``value_0`` for attribute 0 and so on.
"""

from bkpriv_core.query.rewriting.bucketized import rewrite_bucketized
from bkpriv_core.query.rewriting.fragment import Bounds, Column
from bkpriv_core.query.rewriting.generalized import rewrite_generalized

__all__ = ["Bounds", "Column", "rewrite_bucketized", "rewrite_generalized"]
