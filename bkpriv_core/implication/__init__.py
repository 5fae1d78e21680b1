"""Worst-case background knowledge: how much is disclosed to whoever knows k pieces of anything.

A *bucket* is a published group: its persons are known, and which of its sensitive values belongs to
whom is not. *Random worlds*: every way to hand a bucket's values to its persons is equally likely,
independently in each bucket. An *atom* says that a person has a value. A *basic implication* is
``A1 and ... and Am -> B1 or ... or Bn`` between atoms; conjunctions of them express whatever can be
known about a table. The *maximum disclosure* for ``k`` is the largest probability of an atom, over
all atoms, given any ``k`` basic implications.

======================  ==========================================================================
module                  theory
======================  ==========================================================================
``atoms``               atoms, and checks of buckets
``minimization``        MINIMIZE1: the least probability that ``j`` atoms of one bucket all fail
``profiles``            MINIMIZE2: the best use of ``k`` implications over all buckets at once
``buckets``             buckets that come, go and split, and their (c,k)-safety
``worst_case``          the curve for ``0 ... k``, and the implications that attain it
``statement``           those implications in JSON
======================  ==========================================================================

Source: Martin, Kifer, Machanavajjhala, Gehrke, Halpern, *Worst-case background knowledge for
privacy-preserving data publishing*, ICDE 2007. Some set of ``k`` implications ``A_i -> A`` with one
atom on either side and the same consequent attains the maximum (theorem 9), and ::

    Pr(A | A_1 -> A, ..., A_k -> A) = 1 / (1 + Pr(not A, not A_1, ..., not A_k) / Pr(A))

so that all comes down to minimizing that ratio. The paper gives 10/19 as the maximum for ``k = 1``
of its figure 3; that is the best implication to the target *from another bucket*. Its own
algorithm, and enumeration, give 2/3, for an implication within the first bucket.
"""

from bkpriv_core.implication.atoms import Atom
from bkpriv_core.implication.buckets import Buckets
from bkpriv_core.implication.worst_case import LANGUAGES, Witness, witnesses, worst_case

__all__ = [
    "LANGUAGES",
    "Atom",
    "Buckets",
    "Witness",
    "witnesses",
    "worst_case",
]
