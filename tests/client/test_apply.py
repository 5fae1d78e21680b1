"""``bkpriv apply``: what a file declares is so afterwards, and a broken file changes nothing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.client.command import failed, run, succeeded
from tests.conftest import Connection, Database
from tests.db.clinic import create_clinic, one, rows_of
from tests.db.refusal import unchanged

pytestmark = pytest.mark.pooled

FILE = """
[dataset.people]
source = "clinic.patient"
quasi_identifiers = ["age", "sex", "city"]
sensitive = "disease"

[dataset.people.hierarchy.age]
widths = [5, 10, 20]

[dataset.people.hierarchy.city]
levels = "clinic.city_levels"

[policy.careful]
k_anonymity = { k = 5 }

[publish."public.shown"]
dataset = "people"
policy = "careful"
"""

NOTHING = "Nothing to do."


class Applied:
    """A file and the database that it is applied to."""

    def __init__(self, db: Connection, uri: str, path: Path) -> None:
        self.db, self.uri, self.path = db, uri, path
        self.write(FILE)

    def write(self, text: str) -> None:
        """Put a text into the file."""
        self.path.write_text(text)

    def change(self, *pairs: str) -> None:
        """Replace pieces of the file, given as pairs."""
        text = self.path.read_text()
        for old, new in zip(pairs[::2], pairs[1::2], strict=True):
            assert old in text
            text = text.replace(old, new)
        self.write(text)

    def apply(self, *options: str) -> list[str]:
        """Apply the file, whatever there is to judge; return the changes that it prints."""
        code, output, errors = run("apply", str(self.path), *options, "--uri", self.uri)
        assert code in (0, 3), output + errors
        signs = ("+ ", "- ", "Nothing", "Left")
        return [line for line in output.splitlines() if line.startswith(signs)]

    def releases(self) -> list[tuple[int, str, str]]:
        """Releases with their views and states."""
        query = "SELECT release, view_name, status FROM bkpriv.releases ORDER BY release"
        return self.db.execute(query).fetchall()


@pytest.fixture
def applied(db: Connection, database: Database, tmp_path: Path) -> Applied:
    """The clinic, of which nothing is declared, and a file."""
    create_clinic(db)
    return Applied(db, database.uri(), tmp_path / "privacy.toml")


@pytest.mark.always
def test_a_file_is_applied_once(applied: Applied) -> None:
    expected = [
        "+ register dataset people: there is none",
        "+ set the hierarchy of people, age: there is none",
        "+ set the hierarchy of people, city: there is none",
        "+ set policy careful: there is none",
        "+ publish public.shown: view: nothing is published as public.shown",
    ]
    with unchanged(applied.db):
        assert applied.apply("--plan") == expected
    assert applied.apply() == expected
    assert applied.releases() == [(1, "public.shown", "published")]
    with unchanged(applied.db):
        assert applied.apply() == [NOTHING]
        assert applied.apply("--plan", "--prune") == [NOTHING]


def test_a_dataset_may_have_no_sensitive_column(applied: Applied) -> None:
    applied.change('sensitive = "disease"', "sensitive = []")
    assert "+ register dataset people: there is none" in applied.apply()
    assert applied.apply() == [NOTHING]
    assert applied.releases() == [(1, "public.shown", "published")]


def test_after_an_insert_one_release_is_published(applied: Applied) -> None:
    applied.apply()
    applied.db.execute("INSERT INTO clinic.patient VALUES (30, 'f', 'Aln', 'ulcer')")
    said = "+ publish public.shown: source: release 1 is stale: INSERT on clinic.patient"
    assert applied.apply("--plan") == [said]
    assert applied.apply() == [said]
    assert applied.apply() == [NOTHING]
    assert len(applied.releases()) == 2


def test_after_an_edit_of_the_policy_it_says_so(applied: Applied) -> None:
    applied.apply()
    applied.change("k = 5", "k = 6")
    edited = 'k_anonymity was {"k": 5}, and is {"k": 6}'
    expected = [
        f"+ set policy careful: {edited}",
        f"+ publish public.shown: policy: {edited}",
    ]
    with unchanged(applied.db):
        assert applied.apply("--plan") == expected
    assert applied.apply() == expected
    assert applied.apply() == [NOTHING]


def test_other_hierarchies_options_and_knowledge_are_noticed(applied: Applied) -> None:
    applied.db.execute("ALTER TABLE clinic.patient ADD id serial")
    applied.change('sensitive = "disease"', 'sensitive = "disease"\nrespondent = "id"')
    applied.apply()
    applied.change("[5, 10, 20]", "[5, 10]")
    assert applied.apply() == [
        "+ set the hierarchy of people, age: it is another",
        "+ publish public.shown: hierarchies: hierarchies or intervals were set or unset",
    ]
    # The table of levels, in another order, and then with another content.
    applied.db.execute("UPDATE clinic.city_levels SET root = root WHERE city = 'Aln'")
    assert applied.apply() == [NOTHING]
    applied.db.execute("UPDATE clinic.city_levels SET region = 'south' WHERE city = 'Aln'")
    assert applied.apply()[0] == "+ set the hierarchy of people, city: it is another"
    applied.write(
        applied.path.read_text() + '\n[publish."public.shown".options]\nnulls = "category"'
    )
    assert applied.apply() == [
        '+ publish public.shown: options: nulls was "error", and is "category"'
    ]
    applied.write(applied.path.read_text() + '\n[dataset.people.knowledge.ever]\nkind = "constant"')
    assert applied.apply() == ["+ set sequential knowledge people, ever: there is none"]
    assert applied.apply() == [NOTHING]
    assert len(applied.releases()) == 4


def test_nothing_is_taken_away_without_prune(applied: Applied) -> None:
    applied.write(FILE + FILE[FILE.index("[publish") :].replace("shown", "also"))
    applied.apply()
    applied.change(
        '[dataset.people.hierarchy.age]\nwidths = [5, 10, 20]\n', "",
        FILE[FILE.index("[publish") :].replace("shown", "also"), "",
    )  # fmt: skip
    left = [
        "withdraw release 2, public.also: the file does not publish it",
        "unset the hierarchy of people, age: the file has none",
    ]
    with unchanged(applied.db):
        assert applied.apply() == [NOTHING, *(f"Left, for want of --prune: {one}" for one in left)]
    pruned = applied.apply("--prune")
    assert pruned[:2] == [f"- {one}" for one in left]
    assert applied.releases()[:2] == [
        (1, "public.shown", "published"),
        (2, "public.also", "withdrawn"),
    ]
    # What it was made from is gone, which only trying it tells.
    applied.apply()
    assert applied.apply("--prune") == [NOTHING]
    applied.write("")
    assert [line[:20] for line in applied.apply()] == [NOTHING, *["Left, for want of --"] * 3]
    assert applied.apply("--prune")[-1] == "- drop dataset people: the file has none"
    assert one(applied.db, "SELECT count(*) FROM bkpriv.dataset") == 0


def test_a_dataset_that_is_declared_otherwise_is_made_anew_with_prune_alone(
    applied: Applied,
) -> None:
    applied.apply()
    applied.change('["age", "sex", "city"]', '["age", "city"]')
    with unchanged(applied.db):
        said = failed("apply", str(applied.path), "--uri", applied.uri)
    assert "--prune" in said
    assert 'quasi_identifiers ["age", "sex", "city"], not ["age", "city"]' in said
    applied.apply("--prune")
    assert applied.releases() == [
        (1, "public.shown", "withdrawn"),
        (2, "public.shown", "published"),
    ]
    assert applied.apply("--prune") == [NOTHING]
    # All or nothing: the view would be gone.
    applied.change('["age", "city"]', '["age"]', "k = 5", "k = 999")
    applied.change('[dataset.people.hierarchy.city]\nlevels = "clinic.city_levels"', "")
    with unchanged(applied.db):
        failed("apply", str(applied.path), "--prune", "--uri", applied.uri)


def test_jobs_and_readers_are_granted(applied: Applied, make_role: Callable[..., str]) -> None:
    nora, rita = make_role("Nora"), make_role("rita")
    applied.write(
        FILE.replace("mondrian", "")
        + f'method = "anatomy"\nreaders = ["{rita}", "PUBLIC"]\n[grant]\npublishers = ["{nora}"]\n'
        + f'auditors = ["{nora}"]\nwatchers = ["{rita}"]\n'
    )
    applied.change("k_anonymity = { k = 5 }", "l_diversity = { l = 2 }")
    assert applied.apply()[:3] == [
        f"+ make {nora} one of the publishers: it is not",
        f"+ make {nora} one of the auditors: it is not",
        f"+ make {rita} one of the watchers: it is not",
    ]
    for view in ("public.shown", "public.shown_sensitive"):
        assert one(applied.db, "SELECT has_table_privilege(%s, %s, 'SELECT')", [rita, view])
    assert applied.apply() == [NOTHING]
    applied.db.execute(f'GRANT SELECT ON public.shown, public.shown_sensitive TO "{nora}"'.encode())
    assert applied.apply()[1:] == [
        f"Left, for want of --prune: stop reading public.shown: {nora}: the file does not let it"
    ]
    applied.apply("--prune")
    assert not one(
        applied.db,
        "SELECT EXISTS (SELECT FROM pg_class c, aclexplode(relacl) AS a WHERE relname = 'shown' "
        "AND a.grantee = %s::regrole)",
        [f'"{nora}"'],
    )


@pytest.mark.parametrize("granted", ["ON public.shown_sensitive", "(age) ON public.shown"])
def test_readers_of_some_of_a_publication_are_told_and_revoked(
    applied: Applied, make_role: Callable[..., str], granted: str
) -> None:
    rita, carl = make_role("rita"), make_role("carl")
    applied.write(FILE.replace("mondrian", "") + f'method = "anatomy"\nreaders = ["{carl}"]\n')
    applied.change("k_anonymity = { k = 5 }", "l_diversity = { l = 2 }")
    applied.apply()
    applied.db.execute(f'GRANT SELECT {granted} TO "{rita}"'.encode())
    assert applied.apply()[1:] == [
        f"Left, for want of --prune: stop reading public.shown: {rita}: the file does not let it"
    ]
    applied.apply("--prune")
    assert applied.apply() == [NOTHING]
    for view in ("public.shown", "public.shown_sensitive"):
        assert not one(
            applied.db, "SELECT has_any_column_privilege(%s, %s, 'SELECT')", [rita, view]
        )


def test_a_publication_that_fails_is_no_hindrance_to_others(applied: Applied) -> None:
    also = FILE[FILE.index("[publish") :].replace("shown", "also")
    hard = "\n[policy.hard]\nk_anonymity = { k = 999 }\n"
    applied.write(FILE.replace('policy = "careful"', 'policy = "hard"') + hard + also)
    code, output, errors = run("apply", str(applied.path), "--uri", applied.uri)
    assert code == 1
    assert "public.shown was not published" in output
    assert "999" in errors
    assert applied.releases() == [(1, "public.also", "published")]


BROKEN = {
    "no TOML": ("dataset = = 3", "line 1"),
    "no table": ("dataset = 3", "dataset is no table"),
    "an unknown table": ("[datasets.people]", 'Perhaps you meant "dataset"'),
    "an unknown key": (FILE.replace("sensitive", "sensitve"), 'Perhaps you meant "sensitive"'),
    "a missing key": (FILE.replace("sensitive", "respondent"), "lacks the key sensitive"),
    "a wrong type": (FILE.replace('"people"', "7"), 'dataset of publish."public.shown" is 7'),
    "no schema": (FILE.replace("clinic.patient", "patient"), "dataset.people.source"),
    "a time": (FILE.replace('"disease"', "12:00:00"), "dataset.people.sensitive is a time"),
    "no kind": (FILE.replace("widths = [5, 10, 20]", ""), "must be of one kind"),
    "two kinds": (FILE.replace("widths =", 'levels = "a.b"\nwidths ='), "levels and widths"),
    "no policy": (FILE.replace("k_anonymity = { k = 5 }", ""), "policy.careful"),
    "a requirement": (FILE.replace("k_anonymity", "k_anonimity"), 'meant "k_anonymity"'),
    "a bound": (FILE.replace("k = 5", "k = 0.5"), "policy.careful"),
    "infinity": (FILE.replace("k = 5", "k = inf"), "policy.careful.k_anonymity.k"),
    "a method": (FILE + 'method = "modrian"', "modrian"),
    "an option": (FILE + "options = { null = 1 }", 'meant "nulls"'),
    "if_stale": (FILE + "options = { if_stale = false }", "Leave it out"),
    "a thing to judge": (FILE + "accept = { left_ou = 3 }", 'meant "left_out"'),
    "things without counts": (FILE + 'accept = ["left_out"]', 'shown".accept is no table'),
    "a broken bound": (FILE + "accept = { k_anonymity = 3 }", "accept has no key k_anonymity"),
    "a count": (FILE + "accept = { left_out = 0.5 }", "Or write true"),
    "no acceptance": (FILE + "accept = { left_out = false }", "accept.left_out is false"),
    "twice": (FILE + FILE[FILE.index("[publish") :].replace("shown", "Shown"), "declared twice"),
    "a dataset": (FILE.replace('dataset = "people"', 'dataset = "peeple"'), 'meant "people"'),
    "a policy": (FILE.replace('policy = "careful"', 'policy = "p"'), "careful"),
    # What the server knows
    "a table": (FILE.replace("clinic.patient", "clinic.nobody"), "clinic.nobody"),
    "a column": (FILE.replace('"sex"', '"sexx"'), "sexx"),
    "levels": (FILE.replace("clinic.city_levels", "clinic.no"), "clinic.no"),
    "intervals": (FILE.replace("[5, 10, 20]", "[5, 7]"), "7"),
    "a schema": (FILE.replace("public.shown", "nowhere.shown"), "nowhere"),
    "a view": (FILE.replace("public.shown", "clinic.patient"), "clinic.patient"),
    "a role": (FILE + '[grant]\nauditors = ["nobody_there"]', "nobody_there"),
}


def test_a_broken_file_changes_nothing(applied: Applied) -> None:
    with unchanged(applied.db):
        for broken, names in BROKEN.values():
            applied.write(broken)
            assert names in failed("apply", str(applied.path), "--uri", applied.uri), broken


def test_files_that_are_none_are_refused(applied: Applied, tmp_path: Path) -> None:
    for content in (b"\xff", b"#" * 1_000_001, b"a = " + b"[" * 100_000):
        applied.path.write_bytes(content)
        assert "privacy.toml" in failed("apply", str(applied.path), "--uri", applied.uri)
    for missing in (tmp_path, tmp_path / "none.toml"):
        assert "could not be read" in failed("apply", str(missing), "--uri", applied.uri)


def test_who_is_no_superuser_applies_what_is_their_own(
    applied: Applied, make_role: Callable[..., str], database: Database
) -> None:
    nora = make_role("nora")
    applied.db.execute("SELECT bkpriv.grant_publisher(%s)", [nora])
    applied.db.execute(f"GRANT USAGE, CREATE ON SCHEMA clinic TO {nora}".encode())
    applied.db.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA clinic TO {nora}".encode())
    applied.change("public.shown", "clinic.shown")
    uri, applied.uri = applied.uri, database.uri(nora)
    assert len(applied.apply()) == 5
    assert applied.apply("--prune") == [NOTHING]
    # It is theirs, which nobody else's file takes away, nor makes anew as somebody else's.
    applied.uri = uri
    said = failed("apply", str(applied.path), "--uri", applied.uri)
    assert f"SET ROLE {nora};" in said
    applied.change('["age", "sex", "city"]', '["age", "city"]')
    with unchanged(applied.db):
        for option in ("--plan", "--prune"):
            said = failed("apply", str(applied.path), option, "--uri", applied.uri)
            assert "already exists" in said
    applied.write("")
    assert applied.apply("--prune") == [NOTHING]
    assert rows_of(applied.db, "bkpriv.dataset") != []


# --- The page of examples -------------------------------------------------------------------------

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "howto" / "scheduled.md").read_text()


def fences(kind: str) -> list[str]:
    """Blocks of a kind that the page shows."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def lines(text: str) -> list[str]:
    """Lines of an output, without what fills them."""
    return [line.rstrip() for line in text.splitlines()]


def test_the_file_of_the_page_does_what_the_page_shows(
    db: Connection, database: Database, tmp_path: Path, make_role: Callable[..., str]
) -> None:
    rita = make_role("rita")
    table = re.search(r"CREATE TABLE public.person.*?;", PAGE, re.DOTALL)
    assert table is not None
    db.execute(table[0].encode())
    file, accept = fences("toml")
    path = tmp_path / "privacy.toml"
    path.write_text(file.replace("rita", rita))
    planned, edited, accepted = fences("console")
    command = ("apply", str(path), "--uri", database.uri())
    shown = [line.replace("rita", rita) for line in planned.splitlines()[1:]]
    assert succeeded(*command, "--plan").splitlines() == shown
    done = lines(succeeded(*command))
    assert done[: len(shown) + 1] == [*shown, "public.shown shows release 1."]
    assert "Notice: release 1: satisfied" in done
    path.write_text(path.read_text().replace("k = 5", "k = 6"))
    code, output, _ = run(*command)
    assert (code, lines(output)) == (3, edited.splitlines()[1:])
    path.write_text(file.replace("rita", rita).replace("k = 5", "k = 6") + accept)
    assert lines(succeeded(*command)) == accepted.splitlines()[1:]


def test_what_schedulers_of_the_page_run_is_run(
    db: Connection, database: Database, tmp_path: Path
) -> None:
    table = re.search(r"CREATE TABLE public.person.*?;", PAGE, re.DOTALL)
    assert table is not None
    db.execute(table[0].encode())
    db.execute("SELECT bkpriv.register_dataset('people', 'public.person', '{age,sex}', 'dx')")
    db.execute("SELECT bkpriv.set_policy('careful', '{\"k_anonymity\": {\"k\": 5}}')")
    (job,) = re.findall(r"\$\$(.*?)\$\$", "".join(fences("postgresql")), re.DOTALL)
    assert (one(db, job), one(db, job)) == (1, 1)
    units = "".join(fences("ini"))
    (started,) = re.findall(r"^ExecStart=(?:.*/)?bkpriv (.*)$", units, re.MULTILINE)
    path = tmp_path / "privacy.toml"
    path.write_text("")
    arguments = [re.sub(r"^/etc/.*", str(path), word) for word in started.split()]
    assert NOTHING in succeeded(*arguments, "--uri", database.uri())
    # Of cron, mail comes if something is to be done, and then with all that was said.
    (table_,) = fences("crontab")
    command = table_.splitlines()[-1].split(maxsplit=5)[5]
    client = f"{sys.executable} -m bkpriv_client"
    command = command.replace("/etc/bkpriv/privacy.toml", str(path)).replace("bkpriv", client, 1)
    environment = {**os.environ, "BKPRIV_URI": database.uri()}
    for text, mailed in (("", ""), ("[datasets.people]", 'Perhaps you meant "dataset"')):
        path.write_text(text)
        done = subprocess.run(
            ["sh", "-c", command], env=environment, capture_output=True, text=True, check=False
        )
        assert mailed in done.stdout
        assert bool(mailed) == bool(done.stdout)
        assert not done.stderr
