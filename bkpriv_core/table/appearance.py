"""Appearance: what a column looks like, and what part of a dataset it might have.

Both are judged by the values first: how many there are, how they recur, of which shape their texts
are. The name of a column, in several languages, adds to that and never decides alone: what is
constant, a key or free text by its values is that, whatever its name. The proposal is one for
people to review. It says its reason.

What a column looks like is, in this order,

- *constant*: all records have one value, or none has any;
- *key*: it tells nearly every record apart, and is no measurement: running or long numbers, texts,
  e-mail addresses; or it names people of several records each; or two to twenty records share each
  of its many values, and its name says that these are households, classes, beds, invoices or the
  like, or they are more than 150 codes or running numbers of which about as many records each have;
- *free text*: texts of several words, mostly with values of their own;
- *date*: days or times, also as texts;
- *code*: texts of digits and letters, or whole numbers that are few or of one length;
- *number* and *label*: all else.

Sensitive is what reads like codes or names of illnesses, or has a name that says so. All that is
neither that nor left out is taken for a quasi-identifier: something that others may know of a
person, for to leave one out is the dangerous mistake. Left out are, beside what was said, columns
that name people, and measurements that nearly every record has to itself, such as weights of a
sample: of these nothing would be left but ranges.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from bkpriv_core.table.dependence import Classified, determined, repeated, thinned
from bkpriv_core.table.inspection import identifies_by_code, links_rows, nearly_unique

__all__ = ["CODED", "DATED", "Appearance", "Kind", "Role", "Seen", "judge", "with_sensitive"]

DATED = (
    r"(?i)^(\d{4}-\d{1,2}-\d{1,2}([ T]\d{1,2}:\d{2}.*)?|\d{1,2}[./-]\d{1,2}[./-](\d{2}|\d{4})"
    r"|\d{4}/\d{1,2}/\d{1,2}|\d{1,2}[-. ]+(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
    r"[-., ]+(\d{2}|\d{4}))$"
)
"""Regular expression of texts that read like days or times, here and in SQL."""

CODED = r"^[A-Za-z]{0,4}[-. ]?\d[-./0-9A-Za-z]*$"
"""Regular expression of texts that read like codes, here and in SQL."""

Kind = Literal["number", "whole", "time", "text", "other"]
"""Kinds of types: numbers, whole numbers, days and times, texts, and all others."""

Role = Literal["quasi_identifiers", "sensitive", "respondent"]
"""Arguments of ``register_dataset`` that a column is proposed for."""

_MOSTLY = 0.9
_OFTEN = 0.3
_LONG = 60
_NUMBER = 6
_CODE = 4
_PAIR = 2
_FEW_EACH = 50

_KEYS = (
    "id uuid guid nr no num ssn mrn key pk rowid seqn name names surname lastname firstname "
    "forename fullname nachname vorname nom prenom nombre apellido apellidos cognome sobrenome "
    "naam achternaam mail email phone tel telephone telefon mobile handy iban account konto "
    "passport login user username"
)
_NAMES = (
    "surname lastname firstname forename givenname fullname middlename maidenname nickname "
    "familyname nachname vorname rufname familienname geburtsname prenom apellido apellidos "
    "cognome sobrenome apelido achternaam voornaam fornavn etternavn efternavn efternamn tilnamn "
    "imie nazwisko jmeno prijmeni priezvisko soyad vezeteknev keresztnev etunimi sukunimi"
)
_TITLED = "name names nom nombre nome naam navn namn first last given middle maiden full family"
_OF_PEOPLE = (
    "doctor physician nurse mother father parent child spouse contact employer holder owner"
)
"""Words of a name that has no others, or only words for people beside them."""

_PERSONS = (
    "patient person people subject respondent participant customer client member student "
    "employee insured kunde teilnehmer versicherte proband paciente persona cliente personne "
    "assure seqn"
)
_KNOWN = (
    "age alter edad eta idade leeftijd birth birthday birthdate dob born yob geburt geb naissance "
    "nacimiento nascita nascimento geboorte sex gender geschlecht sexe sexo sesso geslacht zip "
    "zipcode plz postcode postal postleitzahl cp cap codigopostal city town stadt ort wohnort "
    "ville ciudad citta cidade plaats commune comune gemeinde municipality county district "
    "region province bundesland kreis canton kanton departement state country nation nationality "
    "staat pays pais race ethnic ethnicity marital married familienstand civil occupation job "
    "beruf profession profesion education bildung schooling street strasse address adresse"
)
_TOLD = (
    "diagnos disease illness krank malad enferm malatt doenca icd symptom condition therap "
    "treatment behandl medication medikament drug hiv befund disorder disability pregnan "
    "contracept salary income lohn gehalt einkommen salaire sueldo ingreso stipend reddito wage "
    "amount montant betrag importe "
    "debt schulden relig crime convict verdict orientation vote party outcome deceas cause"
)
_SHARED = (
    "household haushalt foyer menage hogar famiglia family famille familia familie hh hhid class "
    "klasse schulklasse classe clase school schule ecole escuela scuola ward bed bett lit cama "
    "letto room zimmer chambre habitacion flat apartment wohnung building house home invoice "
    "rechnung facture factura fattura order bestellung commande pedido ordine receipt basket "
    "booking buchung ticket case fall episode encounter group gruppe groupe grupo team crew "
    "contract vertrag"
)
_NUMBERED = "id ids nr no num number numero nummer code key ref"
"""Words of names of columns whose values several records share, and that go with them."""

_KINDS = 150
"""Largest number of values that may be kinds, ages or other measurements."""

_UNEVEN = 1.5
"""Largest quotient of the variance and the mean of the sizes of households and the like."""

_STEM = 5
"""Least length of what is looked for within words, as in Hauptdiagnose."""


@dataclass(frozen=True)
class Seen:
    """Figures of a column; shares are of a part of its values."""

    name: str
    kind: Kind
    valued: int
    nulls: int
    values: int
    low: float = float("nan")
    high: float = float("nan")
    """Least and greatest finite value of numbers; NaN of others."""
    shortest: int = 0
    longest: int = 0
    """Lengths of the texts of values, as far as they were looked at."""
    length: float = 0.0
    wordy: float = 0.0
    """Share of texts of four words or more."""
    dated: float = 0.0
    coded: float = 0.0
    mailed: float = 0.0
    """Shares of texts that read like dates, codes and e-mail addresses."""
    ill: float = 0.0
    sexed: float = 0.0
    """Shares of texts that read like codes or names of illnesses, and like sexes."""
    called: float = 0.0
    """Share of texts of up to three words with a name that is common among people."""
    shared: int = 0
    """Records whose value two to twenty of them share."""
    sizes: tuple[float, float] = (0.0, 0.0)
    """Mean and variance of the records that have each value."""
    unbounded: int = 0
    """Records whose number or time is not finite."""


@dataclass(frozen=True)
class Appearance:
    """Look of a column, and the role that is proposed."""

    looks_like: str
    """One of constant, key, free text, date, code, number and label."""
    role: Role | None
    """Role that is proposed; None for columns that are left out."""
    reason: str
    named: bool = True
    """Whether its name or its values say its role, rather than that nothing else does."""
    identifies: bool = False
    """Whether it is a key, names people or links their rows; then the reason says no value."""

    @property
    def words(self) -> str:
        """Look of the column, with its role where it has one."""
        role = {"quasi_identifiers": "quasi-identifier", "sensitive": "sensitive"}
        return ", ".join([self.looks_like, *([role[self.role]] if self.role in role else [])])


def judge(seen: Seen) -> Appearance:
    """Judge what a column looks like, and propose its role."""
    if not seen.valued:
        return Appearance("constant", None, "no record has a value")
    if seen.values == 1 and not seen.nulls:
        return Appearance("constant", None, "all records have the same value")
    unique = nearly_unique(seen.valued, seen.values)
    if (reason := _as_key(seen, unique=unique)) is not None:
        return Appearance("key", None, reason, identifies=True)
    if _names_people(seen):
        reason = f"{seen.values} values that recur, and the name says that they are of people"
        return Appearance("key", "respondent", reason, identifies=True)
    if (reason := _as_names(seen)) is not None:
        return Appearance("label", None, reason, identifies=True)
    if _links(seen):
        few = f"{seen.values} values, each of few records"
        reason = f"{few}, as numbers of households, beds or invoices have"
        return Appearance("key", None, reason, identifies=True)
    if seen.kind == "text" and (seen.length >= _LONG or (seen.wordy >= _OFTEN and unique)):
        return Appearance("free text", None, "texts of several words, which may say anything")
    looks_like, reason = _shape(seen)
    if seen.unbounded:
        reason += f", and {seen.unbounded} records that are not finite: NULL in a view, or a label"
    if unique:
        reason += "; nearly every record has a value of its own, so bin it or leave it out"
    return _with_role(seen, looks_like, reason, unique=unique)


def _as_key(seen: Seen, *, unique: bool) -> str | None:
    """Reason to take a column for a key, if there is one."""
    if seen.mailed >= _MOSTLY:
        return "the values read like e-mail addresses"
    named = _says(seen.name, _KEYS)
    # Of few records any column may be unique; then the name has to say so, too.
    if not unique and not (named and seen.values == seen.valued > 1):
        return None
    told = f"{seen.values} values in {seen.valued} records"
    if seen.kind in ("number", "time") or seen.dated >= _MOSTLY:
        return None
    if seen.kind == "whole":
        running = seen.high - seen.low < 3 * seen.values
        long = seen.shortest == seen.longest >= _NUMBER
        return f"{told}, as keys have" if running or long or named else None
    if seen.length >= _LONG or (seen.wordy >= _OFTEN and not named):
        return None
    return f"{told}, as keys and names have"


def _names_people(seen: Seen) -> bool:
    """Whether a column names people who have several records each."""
    whole = seen.kind == "whole" or seen.coded >= _MOSTLY
    several = 20 < seen.values < seen.valued <= _FEW_EACH * seen.values
    return whole and several and _says(seen.name, _PERSONS)


def _as_names(seen: Seen) -> str | None:
    """Reason to take a column for names of people, and not of towns or wards, if there is one."""
    if seen.kind != "text" or seen.dated >= _MOSTLY or seen.wordy >= _OFTEN:
        return None
    words = {*_words(seen.name)}
    titled = words & {*_TITLED.split()}
    people = {*_OF_PEOPLE.split(), *_PERSONS.split()}
    if _says(seen.name, _NAMES) or (titled and words <= titled | people):
        return f"{seen.values} values that recur; by its name, it names people"
    if seen.called >= _OFTEN and not _says(seen.name, _KNOWN):
        return f"{seen.values} values that recur; they read like names of people"
    return None


def _links(seen: Seen) -> bool:
    """Whether a column links the records of a household, a class, a bed or the like."""
    number = seen.kind == "whole" or seen.coded >= _MOSTLY
    if not number or not links_rows(seen.valued, seen.values, seen.shared):
        return False
    words = {*_words(seen.name)} - {*_NUMBERED.split()}
    if words and words <= {*_SHARED.split()}:
        return True
    mean, variance = seen.sizes
    running = seen.kind == "text" or seen.high - seen.low < 3 * seen.values
    even = seen.values > _KINDS and variance <= _UNEVEN * mean
    other = _says(seen.name, f"{_KNOWN} {_TOLD}") or seen.ill >= _OFTEN or seen.dated >= _MOSTLY
    return running and even and not other


def _shape(seen: Seen) -> tuple[str, str]:
    """Look of a column by its type and its texts, and the reason."""
    told = f"{seen.values} values"
    if seen.kind == "time":
        return "date", f"{told} of a type of days or times"
    if seen.kind == "whole" and (reason := _as_code(seen)) is not None:
        return "code", f"{told}, {reason}"
    if seen.kind in ("whole", "number"):
        span = f" from {seen.low:.6g} to {seen.high:.6g}" if seen.low <= seen.high else ""
        return "number", f"{told}{span}"
    if seen.kind == "text" and seen.dated >= _MOSTLY:
        return "date", f"{told} that read like days or times, kept as texts"
    if seen.kind == "text" and seen.coded >= _MOSTLY and seen.longest > 1:
        return "code", f"{told} of digits and letters"
    return "label", f"{told} that recur" if seen.values < seen.valued else told


def _as_code(seen: Seen) -> str | None:
    """Reason to take whole numbers for codes, if there is one."""
    recurring = 2 * seen.values <= seen.valued
    counted = identifies_by_code(seen.name, seen.valued, seen.values, int(seen.low))
    if counted or (seen.values == _PAIR and recurring):
        return "whole numbers that may stand for kinds"
    if seen.shortest == seen.longest >= _CODE and recurring and not _years(seen):
        return f"numbers of {seen.longest} digits that recur"
    return None


def _years(seen: Seen) -> bool:
    return 1800 <= seen.low <= seen.high <= 2200


def _with_role(seen: Seen, looks_like: str, reason: str, *, unique: bool) -> Appearance:
    if seen.ill >= _MOSTLY or (seen.ill >= _OFTEN and seen.kind == "text" and not unique):
        return Appearance(looks_like, "sensitive", f"{reason}; they read like illnesses")
    if seen.sexed >= _MOSTLY:
        return Appearance(looks_like, "quasi_identifiers", f"{reason}; they read like sexes")
    known, told = _says(seen.name, _KNOWN), _says(seen.name, _TOLD)
    if told and not known and looks_like != "date":
        return Appearance(looks_like, "sensitive", f"{reason}; by its name, it is private")
    if known:
        reason = f"{reason}; by its name, others may know it"
        return Appearance(looks_like, "quasi_identifiers", reason)
    if unique and looks_like == "number":
        return Appearance(looks_like, None, reason, named=False)
    reason = f"{reason}; nothing says that others do not know it"
    return Appearance(looks_like, "quasi_identifiers", reason, named=False)


def with_sensitive(
    judged: list[Appearance], names: Sequence[str], columns: Sequence[Classified]
) -> list[Appearance]:
    """Judge columns together: which repeat others, which one is sensitive, which determine it.

    Of quasi-identifiers that repeat each other one stays. Where no column looks sensitive, the last
    one that may be is, unless another determines it; those whose name or values say what they are
    only if there are no others. What determines a column that looks sensitive is left out.

    Args:
        names: Names of the columns.
        columns: The records by each column.
    """
    judged = [*judged]
    columns = thinned(columns, len(columns))
    for one, other in repeated(columns, _free(judged)):
        number = judged[other].looks_like == "number" != judged[one].looks_like
        stays, goes = (other, one) if number else (one, other)
        if judged[stays].role is not None:
            judged[goes] = _left_out(judged[goes], f'it repeats "{names[stays]}"')
    told = [place for place, each in enumerate(judged) if each.role == "sensitive"]
    if not told:
        return _standing_in(judged, columns)
    for place, other, _ in determined(columns, _free(judged), told):
        why = f'it determines "{names[other]}", which looks sensitive'
        judged[place] = _left_out(judged[place], why)
    return judged


def _free(judged: Sequence[Appearance]) -> list[int]:
    """Places of the columns that are proposed as quasi-identifiers."""
    return [place for place, each in enumerate(judged) if each.role == "quasi_identifiers"]


def _left_out(each: Appearance, why: str) -> Appearance:
    return replace(each, role=None, reason=f"{each.reason.split('; nothing says')[0]}; {why}")


def _standing_in(judged: list[Appearance], columns: Sequence[Classified]) -> list[Appearance]:
    """Make a quasi-identifier sensitive, where nothing looks so."""
    free = _free(judged)
    if len(free) < 2:
        return judged
    usual = [place for place in free if not judged[place].named] or free
    place = next(
        (place for place in usual[::-1] if not any(determined(columns, free, [place]))), usual[-1]
    )
    before = judged[place].reason.split("; nothing says")[0]
    reason = f"{before}; no column looks sensitive, and this one stands for it: review this"
    chosen = replace(judged[place], role="sensitive", reason=reason, named=False)
    return [*judged[:place], chosen, *judged[place + 1 :]]


def _words(name: str) -> list[str]:
    """Words of a name, in small letters without accents."""
    plain = unicodedata.normalize("NFKD", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name))
    plain = "".join(each for each in plain if not unicodedata.combining(each)).lower()
    return [word for word in re.split(r"[^a-z]+", plain) if word]


def _says(name: str, listed: str) -> bool:
    """Whether a name has one of the words, or within a word one that is long enough."""
    parts = _words(name)
    words = {*parts, *map("".join, pairwise(parts))}  # First name is firstname, too.
    return any(
        each in words or (len(each) >= _STEM and any(each in word for word in words))
        for each in listed.split()
    )
