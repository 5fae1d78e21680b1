"""The extension as an object of its own: where it may be, and what goes with it."""

from __future__ import annotations

import pytest

from tests.conftest import Connection
from tests.db.clinic import one


def test_the_extension_is_pinned_to_its_schema_and_its_language(shared_db: Connection) -> None:
    ((schema, relocatable, requires, trusted, superuser),) = shared_db.execute(
        "SELECT schema, relocatable, requires::text[], trusted, superuser "
        "FROM pg_available_extension_versions WHERE name = 'bkpriv' AND installed"
    ).fetchall()
    assert (schema, relocatable, requires) == ("bkpriv", False, ["plpython3u"])
    assert (trusted, superuser) == (False, True)


def test_dropping_the_extension_asks_before_it_takes_releases(db: Connection) -> None:
    db.execute("CREATE TABLE bkpriv_release.release_1 (a int)")
    with pytest.raises(Exception, match="other objects depend on it"):
        db.execute("DROP EXTENSION bkpriv")
    db.execute("DROP EXTENSION bkpriv CASCADE")
    left = "SELECT count(*) FROM pg_class WHERE relnamespace::regnamespace::text ~ '^bkpriv'"
    assert one(db, left) == 0
