"""Sequences: releases about the same persons, period after period, and who remembers them.

An adversary who knows how values follow one another carries what a release told about a person over
to the next release that the person is in (Riboni, Pareschi, Bettini 2012). A person is a chain over
the releases, a group a factor on its members' values.

=============  ====================================================================================
transitions    what is known of how values follow one another: a trie of contexts
statement      the same, stated by a table of domain knowledge
mining         the same, counted in a corpus
history        the releases in question, in the order of publication, and who was in which
revision       belief before a release, from beliefs after earlier ones
inference      forward: what is believed as each release appears
smoothing      retrospective: what is believed of each release once all have appeared
measures       figures for a release: gain, confidence, worst
=============  ====================================================================================

Beliefs about different persons are taken as independent between releases, though persons who shared
a group had its values between them: one's value rules out another's. What is inferred here is exact
where no two persons share more than one group, directly or by way of others, and may understate
elsewhere.
"""
