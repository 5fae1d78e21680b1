"""Composition: inference from several releases of the same people by a reader who holds all.

A value does not change between releases. Each published group is a constraint on its members: the
multiset of their values. Beliefs that are revised release by release neglect that members' values
depend on each other; here they are inferred from all constraints at once.

===========  ======================================================================================
nesting      groups within one another
remainder    what is left of groups when those within are taken away
constraint   the groups of several releases, and what follows from groups within others
problem      kinds of people with equal beliefs, and the constraints that they are under
span         sets of people whose records follow from sums and differences of groups
counting     bounds: how many can have a value, at least and at most
exact        posteriors by dynamic programming
propagation  estimates by messages between people and groups
fitting      estimates that meet constraints on average
inference    posteriors of everybody, by whatever is affordable
measurement  beliefs as requirements measure them
earlier      releases published before of people whom a table is about to show
===========  ======================================================================================
"""
