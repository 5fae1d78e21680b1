"""Sequences: releases about the same persons, period after period, and adversaries who remember.

An adversary who knows how values follow one another carries what a release told about a person over
to the next release that the person is in (Riboni, Pareschi, Bettini 2012). A person is a chain over
the releases, a group a factor on its members' values.

=============  ====================================================================================
sparse         beliefs that are over a few of many values each
transitions    what is known of how values follow one another: a trie of contexts
statement      the same, stated by a table of domain knowledge
mining         the same, counted in a corpus
history        the releases in question, in the order of publication, and their members
revision       belief before a release, from beliefs after earlier ones
inference      beliefs as each release appears
measures       figures for a release: gain, confidence, worst
signatures     the values of somebody's last group, for m-invariance
=============  ====================================================================================

Beliefs about different persons are taken as independent between releases, though persons who shared
a group had its values between them: what is learnt later about one tells of the others. Inference
is exact (up to the estimator, and for contexts of one value) if at most one member of each group is
shown again. Elsewhere it is an estimate. It may understate, if the values of all members but one
come to light later, or overstate, if the same persons share groups again and again, for each time
counts. A group that is shown again as it was, with values that cannot have changed, is counted
once, if no member was seen elsewhere in the meantime.
"""
