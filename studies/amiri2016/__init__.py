"""The study of Amiri, Yazdani, Shakery and Chinaei, KBS 2016: what their abstract claims.

Of the paper no more than that and its introduction was at hand, so figures are not numbered after
it. Adult's one release is made and measured in this process, so often that a server would only be
in the way; the clinic's weeks, each of which is known to who sees the next, are published and
measured through SQL. `design` holds methods and parameters, `trial` makes releases of Adult,
`single` and `serial` say what is drawn.
"""
