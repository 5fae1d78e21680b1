"""People who are unique by the quasi-identifiers, counted record by record."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.release.bucketized.form import Anatomized, Bucketized
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.release import Form, Release
from bkpriv_core.release.uniqueness import Uniqueness, uniqueness
from bkpriv_core.table.parts import Parts
from tests.core.oracles import Records
from tests.core.strategies import MANY, as_groups, as_table, partitions, records_of, tables


@pytest.mark.parametrize("form", [Generalized(), Bucketized(), Anatomized()])
@MANY
@given(tables(max_records=20), st.data())
def test_who_is_alone_by_records(form: Form, records: Records, data: st.DataObject) -> None:
    lists = data.draw(partitions(len(records.cells()), suppress=True))
    release = Release(Parts.of(as_table(records)), as_groups(lists), form)
    groups = [records_of(records, cells) for cells in lists]
    if not groups:
        assert uniqueness(release) is None
        return
    whom = [row[:-1] for row in records.rows]
    published = [record for group in groups for record in group]
    alone = sum(whom.count(one) == 1 for one in whom)
    if form.exact:
        shown = Counter(whom[record] for record in published)
        after = sum(count == 1 for count in shown.values())
    else:
        after = sum(len(group) == 1 for group in groups)
    assert uniqueness(release) == Uniqueness(alone, after, min(map(len, groups)))
