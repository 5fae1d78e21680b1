"""Releases judged together: what several releases of the same people tell whoever holds all.

A value does not change between releases. Each published group is a constraint on its members: the
multiset of their values. Beliefs that are revised release by release forget that members' values
hang together; here they are inferred from all constraints at once.

===========  ======================================================================================
nesting      groups within one another
remainder    what is left of groups when those within are taken away
constraint   the groups of several releases; what follows from those within others
problem      people of whom the same is believed, and the constraints that they are under
span         what is told of sets of people by any sums and differences of groups
counting     bounds: how many can have a value, at least and at most
exact        posteriors by dynamic programming
propagation  estimates by messages between people and groups
fitting      estimates that meet constraints on average
inference    posteriors of everybody, by whatever is affordable
measurement  what requirements measure of it
earlier      what was published before of people whom a table is about to show
===========  ======================================================================================
"""
