"""Common parts of estimates as SQL, which read nothing but the published views.

- `fragment`: pieces of SQL, made of labels and numbers;
- `side`: attributes of a condition, and those that are grouped by;
- `condition`: what a row weighs by a condition.

A query without GROUP BY becomes a SELECT of one row with a column ``estimate``, followed by
``standard_error`` where records were drawn. With GROUP BY there is also ``key``, a JSON object of
the values grouped by, as `table.notation` writes them; keys with an estimate of 0 are left out,
but the count of everything, ``{}``, never is. The values of keys are listed in a WITH clause, a
table ``value_0`` for attribute 0 and so on.
"""
