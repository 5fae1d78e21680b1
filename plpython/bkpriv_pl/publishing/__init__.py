"""Publication: from a call to the tables and views of a release, and what becomes of them.

Beginning with `request`, which reads the call, and `publication`, which takes its turn.
"""
