"""Meaning of the arguments of the extension's functions, for the reference.

Rules: an argument that means the same everywhere stands here by its name, one that means something
of its own in a function by ``function.argument``, which goes before. Each is a piece of Markdown
of one line. The reference is not written where one is missing, or stands here for nothing.
"""

from __future__ import annotations

__all__ = ["ARGUMENTS"]

_OF_ALL = "[requirements](requirements.md); by default those of the policies of all the releases"
_OF_NEWCOMERS = (
    "the adversary's knowledge of people without a past, [as in a policy]"
    "(requirements.md#adversaries); by default only the shares in the whole table"
)

ARGUMENTS = {
    "attacker": "the reader who is played; see below",
    "attribute": "a quasi-identifier of the dataset, or its sensitive column",
    "attributes": "columns of the dataset by whose values records are counted",
    "audience": (
        "whom the report is for: `officer`, or `outsiders`, who are told less "
        "([what](../howto/report.md#for-outsiders))"
    ),
    "bandwidth": (
        "what the adversary knows, [as in a policy](requirements.md#adversaries): `'0.3'`, "
        '`\'{"age": 0.2, "sex": 1}\'`, `\'{"kernel": "uniform"}\'`, '
        '`\'{"learned": "logistic"}\'` or `\'{"table": '
        '"clinic.national"}\'`'
    ),
    "bins": (
        "which values of a column count as one, by column: a unit of time or a width; or that its "
        'numbers are codes: `{"method": "label"}` '
        "([bins](../howto/publishing.md#bins))"
    ),
    "columns": (
        "columns of the table by the names of the dataset's, a JSON object; what is left out goes "
        "by the same name ([columns](../howto/elsewhere.md#columns))"
    ),
    "counts": "how often each value occurs in the group; they sum to its records",
    "dataset": "name of a registered dataset",
    "dimensions": "how many quasi-identifiers each query has conditions on",
    "draft": (
        "whether policies are certified by estimates, which may understate, and groups not "
        "refined: several times as quick, and mostly more is lost"
    ),
    "estimator": (
        "how beliefs are computed: `auto`, which is exact where that is affordable; `exact`, "
        "or an error where it is not; `bethe`, `omega` or `additive`, which are estimates "
        "([posterior belief](../explanation/beliefs.md#posterior-belief))"
    ),
    "force": (
        "purge it even though others of the dataset are not withdrawn and could be judged "
        "together with it"
    ),
    "ground": "a square matrix: distances of values, from 0 to 1",
    "histograms": "a row for each bucket: how often each value occurs in it",
    "joint": (
        "the distribution over combinations of quasi-identifiers, a row for each, and "
        "sensitive values"
    ),
    "k": "the largest number of pieces of knowledge",
    "language": (
        "what a piece of knowledge is: `implications`, or only `negations`: that somebody "
        "does not have a value"
    ),
    "limit": "at most so many rows",
    "memory": "how many of the latest values of a respondent count",
    "method": "how groups are formed or records drawn ([methods](../howto/publishing.md))",
    "name": "what it is to be called",
    "options": "what `publish` would be given: [options](options.md)",
    "origin": "where counting begins, in the unit of the column",
    "owner": "name of the role to take them from",
    "p": "a distribution, which sums to 1",
    "q": "a distribution, which sums to 1, over the same values",
    "period": (
        "the period whose records are meant, written as a value of the column; for datasets "
        "with periods"
    ),
    "policies": (
        'an array of policies, or a grid: `\'{"grid": {"bandwidth": [0.2, 0.3, [0.2, 0.3]], '
        '"t": [0.1, 0.2]}, "with": {"k_anonymity": {"k": 5}}}\'` '
        "([choosing](../howto/choosing.md)); NULL: those that are customary"
    ),
    "policy": "name of a policy",
    "prior": "a row for each record of the group: probabilities of the values before the release",
    "quasi_identifiers": "columns by which somebody might recognise a person",
    "queries": "how many",
    "query": (
        "`SELECT count(*) FROM dataset WHERE … GROUP BY …`, of what [can be "
        "asked](../howto/queries.md#one-query)"
    ),
    "readers": (
        "who holds what: by name, a list of views and numbers of releases; by default the "
        "roles that may read views of the dataset"
    ),
    "reason": "why, in free text, which is kept for ever: no names",
    "release": "number of a release",
    "releases": "numbers of releases",
    "requirements": "[requirements](requirements.md); by default those of the release's policy",
    "respondent": "a key in the column of respondents",
    "retention": (
        "the probabilities with which the quasi-identifiers, and the sensitive value, are kept"
    ),
    "role": "a role of the cluster",
    "scheme": (
        "what is drawn anew: `rr-s` the sensitive attribute, `rr-qi` the quasi-identifiers, "
        "`rr-both` both"
    ),
    "seed": "makes what is drawn repeatable",
    "selectivity": "the share of all combinations of values that a query asks for, from 0 to 1",
    "sensitive": (
        "the column of which nobody is to learn much about a person; with `attributes`, or where "
        "there are several, an array; `'{}'` for none"
    ),
    "source": "a table, partitioned, foreign or plain, a view or a materialized view",
    "tau": "the largest probability with which anybody's sensitive value may be guessed",
    "widths": (
        "widths of the intervals of each level, rising, each a multiple of the one before; in"
        " days for dates, seconds for timestamps"
    ),
    # Of their own.
    "audit_readers.requirements": _OF_ALL,
    "audit_together.requirements": _OF_ALL,
    "explain_together.requirements": _OF_ALL,
    "explain_disclosure.bandwidth": (
        "what the adversary knows, [as in a policy](requirements.md#adversaries), such as `'0.3'`; "
        "NULL for a randomized release"
    ),
    "sequential_audit.bandwidth": _OF_NEWCOMERS,
    "revised_belief.bandwidth": _OF_NEWCOMERS,
    "reconstruct.estimator": (
        "`unbiased`, with standard errors and intervals, or `maximum_likelihood`, which is never "
        "negative and has none"
    ),
    "sequential_knowledge.name": "what it is called",
    "publish.method": (
        "how groups are formed or records drawn: `mondrian`, `agglomerate`, `bucketize`, "
        "`anatomy`, `incognito`, `js_reduce`, `k_anonymity_primacy`, `beta_likeness_primacy`, "
        "`microaggregate` or `randomize` ([which](../howto/publishing.md))"
    ),
    "attack.options": "a JSON object: see below",
    "attack_table.options": "a JSON object: those of `attack`",
    "attack_table.source": "the table or view that is attacked",
    "audit_table.requirements": "[requirements](requirements.md), a JSON object",
    "audit_table.source": "the table or view that is judged",
    "utility_table.source": "the table or view that is measured",
    "explain_attack.options": "a JSON object: see below",
    "publish.options": "[options](options.md), a JSON object",
    "watch.source": "a table of yours",
    "unwatch.source": "a table of yours",
    "sequential_audit.knowledge": (
        "name of sequential knowledge of the dataset; NULL: none, and no memory"
    ),
    "revised_belief.knowledge": (
        "name of sequential knowledge of the dataset; NULL: none, and no memory"
    ),
    "set_sequential_knowledge.kind": "`domain`, `mined`, `incremental` or `constant`",
    "set_sequential_knowledge.source": (
        "the table that the knowledge is read from, or the corpus that it is mined from"
    ),
    "set_sequential_knowledge.name": "what policies are to call it",
    "unset_sequential_knowledge.name": "what it is called",
    "set_policy.requirements": "[requirements](requirements.md), a JSON object",
    "set_policy.name": "what it is to be called; a policy of yours by this name is stated anew",
    "set_prefix_hierarchy.lengths": (
        "how many characters are kept at each level, falling, such as `ARRAY[5, 3, 2]`"
    ),
    "set_date_hierarchy.units": (
        "of `day`, `month`, `quarter`, `year` and `decade`, the finest first; by default "
        "month and year"
    ),
    "set_list_hierarchy.branches": (
        "a JSON object: by name a list of values, or another such object"
    ),
    "set_list_hierarchy.rest": "name that values go under that are not listed",
    "set_hierarchy.levels": (
        "a table or view: a row for each value, and from left to right the value, coarser "
        "labels, one root"
    ),
    "register_dataset.attributes": (
        "columns that pass through unchanged, which adversaries are supposed not to know"
    ),
    "register_dataset.scales": (
        "by column, the least and the greatest value of what bandwidths and losses are shares of "
        "([scales](../howto/publishing.md#scales))"
    ),
    "register_dataset.period": "column that says which period a record is of",
    "register_dataset.respondent": "column that says whose record it is",
    "reassign.new_owner": "the role to give them to",
    "view_name": "name of the view; a schema may stand before it",
    "view_schema": "schema of the view, where the name has none",
    "smoothed_distance.bandwidth": "distance from which on values do not blend",
}
"""Meaning of each argument."""
