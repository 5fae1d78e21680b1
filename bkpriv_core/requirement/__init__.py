"""Privacy requirements: what a group must satisfy before it may be published.

A requirement bounds one or several figures of every record's group, each from above or below. It
is stated without data (parsed from a policy) and measured against a `ThreatModel`, for many groups
at once, so that a new privacy model is one class here and works in every partitioning method. It
also names the value at fault in a group, for whoever audits a release. What it comes to where
somebody holds several releases is told by its companion: see `bkpriv_core.composition.companion`.

Of a sensitive value, ``q`` is the share in the group and ``p`` the share in the table; ``r_1 >= r_2
>= ...`` are the group's counts of values in falling order.

===================  ==========================================================  =========
requirement          figure that is bounded                                      must be
===================  ==========================================================  =========
``k_anonymity``      records of the group                                        >= k
``l_diversity``      distinct: number of sensitive values in the group           >= l
                     probabilistic: 1 / largest share of a value                 >= l
                     entropy: 2 ** H, H the entropy of the group's shares        >= l
                     recursive: ``r_1 / (r_l + r_{l+1} + ...)``, infinite        < c
                     where the group has fewer than l values
``max_disclosure``   largest share of a value in the group                       <= tau
``t_closeness``      earth mover's distance of the group's and the table's       <= t
                     distribution, over equal, ordered or hierarchical ground;
                     without a hierarchy, hierarchical is equal
``beta_likeness``    basic: largest ``(q - p) / p``, or 0                        <= beta
                     enhanced: largest ``(q - p) / p * beta / min(beta,          <= beta
                     -ln p)``, or 0, so that beta stands for ``min(beta,
                     -ln p)`` whatever the value
``ck_safety``        largest probability of a person's having a value, given     < c
                     any k implications about persons of all groups
``bt_privacy``       distance of prior and posterior belief about the record,    <= t
                     one bound for each adversary of the skyline
``belief_breach``    largest posterior probability of a value or a node of the   <= rho2
                     hierarchy with a prior one of at most rho1, one bound for
                     each adversary
``js_divergence``    Jensen-Shannon divergence of the prior beliefs about the    <= j
                     group's records, in bits
``pair_divergence``  largest Jensen-Shannon divergence of the prior beliefs      <= theta
                     about two of the group's records, in bits, one bound for
                     each adversary
``m_invariance``     records of the group, if no two have one value and it has   >= m
                     the values that each one's last group had; else 0
===================  ==========================================================  =========

All figures but those of ``bt_privacy`` and ``belief_breach`` are exact up to rounding; theirs are
as exact as the posteriors that the estimator infers. Figures may pass a bound by 1e-9 for rounding,
except where the bound is strict: there they must clear it by as much.

Two groups that meet a requirement meet it as one group too, unless it is one of the last five.
The last three may be met by small groups where that of the whole table does not. All but
``ck_safety`` are met by groups one by one; what a group must be for that depends on all others, so
its figures are those of all published groups together, and methods judge candidates accordingly.

Sources: Sweeney 2002 (k-anonymity); Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam 2006
(l-diversity); Li, Li, Venkatasubramanian 2007 (t-closeness); Cao, Karras, Publishing microdata with
a robust privacy guarantee, VLDB 2012 (beta-likeness); Li, Li, Zhang 2009, definitions 1 and 2
((B,t)-privacy); Evfimievski, Gehrke, Srikant 2003 (breaches); Martin, Kifer, Machanavajjhala,
Gehrke, Halpern 2007 ((c,k)-safety); Riboni, Pareschi, Bettini 2012 (divergence); Amiri, Yazdani,
Shakery, Chinaei 2016 (divergence in pairs); Xiao, Tao 2007 (m-invariance).

``max_disclosure`` is the one that a release without groups can keep: see `disclosure`.
"""

from __future__ import annotations

from bkpriv_core.requirement.anonymity import KAnonymity
from bkpriv_core.requirement.attaining import check_attainable, check_binding
from bkpriv_core.requirement.base import Bound, Measurement, Requirement, Shift, satisfied
from bkpriv_core.requirement.belief import BeliefRequirement, BeliefScope, BtPrivacy
from bkpriv_core.requirement.breach import BeliefBreach
from bkpriv_core.requirement.closeness import TCloseness
from bkpriv_core.requirement.counted import (
    CountedRequirement,
    Keeper,
    TableRequirement,
    alone_and_joint,
)
from bkpriv_core.requirement.disclosure import MaxDisclosure
from bkpriv_core.requirement.divergence import JsDivergence
from bkpriv_core.requirement.diversity import LDiversity
from bkpriv_core.requirement.invariance import MInvariance
from bkpriv_core.requirement.likeness import BetaLikeness
from bkpriv_core.requirement.pairs import PairDivergence
from bkpriv_core.requirement.safety import CkSafety

__all__ = [
    "BeliefBreach",
    "BeliefRequirement",
    "BeliefScope",
    "BetaLikeness",
    "Bound",
    "BtPrivacy",
    "CkSafety",
    "CountedRequirement",
    "JsDivergence",
    "KAnonymity",
    "Keeper",
    "LDiversity",
    "MInvariance",
    "MaxDisclosure",
    "Measurement",
    "PairDivergence",
    "Requirement",
    "Shift",
    "TCloseness",
    "TableRequirement",
    "alone_and_joint",
    "check_attainable",
    "check_binding",
    "satisfied",
]
