"""Releases judged together: what several releases of the same people tell whoever holds all.

A value does not change between releases. Each published group is a constraint on its members: the
multiset of their values. Beliefs that are revised release by release forget that members' values
hang together; here they are inferred from all constraints at once.

===========  ======================================================================================
problem      some kinds of people under some constraints, which hang together
constraint   the groups of several releases, and what follows from those within others
exact        posteriors by dynamic programming
inference    posteriors of everybody, by whatever is affordable
===========  ======================================================================================
"""
