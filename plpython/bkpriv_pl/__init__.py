"""The part of bkpriv that runs inside PostgreSQL, and the only one that knows ``plpy``.

It has five rooms, `server`, `tables`, `past`, `publishing` and `asking`; each imports from those
before it alone. A module that SQL calls has the topic of an SQL file and of a core module or room,
and is found by it in whichever room it is; the others serve several. Functions read columns into
arrays, call the core, and write arrays back; the mathematics is in `bkpriv_core`. Names of database
objects are quoted by `plpy.quote_ident`, values travel as parameters of prepared plans.

Rules for long work: hand an object of `bkpriv_pl.server.progress` down to the core; never wrap it
in a broad ``except``, for a cancellation arrives as an exception.
"""

__version__ = "0.10.0"
