"""Sequences: releases about the same persons, period after period, and who remembers them.

An adversary who knows how values follow one another carries what a release told about a person over
to the next release that the person is in (Riboni, Pareschi, Bettini 2012). A person is a chain over
the releases, a group a factor on its members' values.

=============  ====================================================================================
sparse         beliefs that are over a few of many values each
transitions    what is known of how values follow one another: a trie of contexts
statement      the same, stated by a table of domain knowledge
mining         the same, counted in a corpus
history        the releases in question, in the order of publication, and who was in which
revision       belief before a release, from beliefs after earlier ones
inference      forward: what is believed as each release appears
links          from each appearance of a person to the next
smoothing      retrospective: what is believed of each release once all have appeared
joint          both, of one person, exactly, where few people hang together
measures       figures for a release: gain, confidence, worst
signatures     the values of somebody's last group, for m-invariance
explanation    whom a memory gave away most, and by what
=============  ====================================================================================

Beliefs about different persons are taken as independent between releases, but in `joint`, though
persons who shared a group had its values between them: what is learnt later about one tells of the
others. Forward inference is exact (up to the estimator, and for contexts of one value) where of
those who shared a group one at most is shown again; smoothing is, where no two persons are linked
by groups in two ways. Elsewhere both are estimates. They may understate, as where the values of all
but one come to light later, or overstate, where the same persons share groups again and again and
what that tells is counted each time. A group that is shown again as it was, with values that cannot
have changed, is counted once; forward only if nobody of it was seen elsewhere in the meantime.
"""
