"""Run the benchmarks: ``make bench``, with the UCI Adult data if ``ADULT`` names its CSV file.

Sizes are such that all of it takes less than ten minutes; ``make bench-long`` states larger ones.
"""

from __future__ import annotations

import os
import platform
import time
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Annotated

import typer
from psycopg import sql

from bench.again import measure_again
from bench.agglomeration import measure_agglomeration
from bench.bounding import measure_bounds
from bench.certainty import measure_certainty
from bench.exploration import measure_exploration
from bench.figure import figure_table, written
from bench.implications import measure_implications
from bench.primacy import measure_primacy
from bench.priors import measure_many_values, measure_priors, measure_unique_cells
from bench.publication import SCHEMA, load
from bench.publishing import (
    copied,
    measure_copies,
    measure_draw,
    measure_growth,
    measure_publishing,
)
from bench.randomization import measure_randomization
from bench.repair import measure_repair
from bench.serial import measure_serial
from bench.steps import measure_steps
from bench.utility import measure_utility
from bkpriv_client.adult import read_adult
from bkpriv_client.hospital import hospital
from bkpriv_client.sandbox import drop_sandbox, renew_sandbox
from bkpriv_client.server import connect, scalar
from bkpriv_client.terminal import make_console, step
from studies.census import ADULT_RECORDS, census

_MARK = "Made by `python -m bench`, which drops it when it is done."

_SEED = 1


app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def bench(
    uri: Annotated[
        str, typer.Option(envvar=["BKPRIV_BENCH_URI", "BKPRIV_TEST_URI"], help="Database to use.")
    ],
    adult: Annotated[
        Path | None,
        typer.Option(
            envvar="ADULT", help="CSV file of the UCI Adult data; else a synthetic census."
        ),
    ] = None,
    small: Annotated[int, typer.Option(min=1, help="Size of the census.")] = 6_000,
    large: Annotated[int, typer.Option(min=1, help="Size of a larger one.")] = 60_000,
    buckets: Annotated[
        int, typer.Option(min=1, help="Buckets whose worst case is computed.")
    ] = 200_000,
    values: Annotated[
        int, typer.Option(min=100, help="Values of a quasi-identifier of many.")
    ] = 10_000,
    residents: Annotated[
        int, typer.Option(min=1_000, help="People of whom hardly two are alike.")
    ] = 20_000,
    people: Annotated[
        int, typer.Option(min=100, help="People whose certification is beside omega's.")
    ] = 12_000,
    records: Annotated[
        int, typer.Option(min=1, help="Records of a publication whose steps are timed.")
    ] = 400_000,
    many_blocks: Annotated[
        int, typer.Option(min=600, help="Blocks of houses whose utility is measured.")
    ] = 24_000,
    admissions: Annotated[int, typer.Option(min=100, help="Hospital admissions.")] = 3_000,
    patients: Annotated[
        int, typer.Option(min=100, help="Patients of a clinic in each of its weeks.")
    ] = 1_000,
    weeks: Annotated[int, typer.Option(min=2, help="Weeks that are published.")] = 6,
    crowd: Annotated[int, typer.Option(min=100, help="Patients of a larger clinic.")] = 6_000,
    months: Annotated[int, typer.Option(min=2, help="Months in which a table grows.")] = 4,
    rounds: Annotated[int, typer.Option(min=1, help="Runs of which the median counts.")] = 3,
    results: Annotated[
        Path | None, typer.Option(help="File in Markdown that the figures are written to.")
    ] = None,
) -> None:
    """Measure priors, worst cases, publication and what it costs, each beside its baseline."""
    started = time.monotonic()
    console = make_console()
    fewer = census(small, _SEED)
    subject = read_adult(adult) if adult else fewer
    with step(console, "Priors"):
        figures = measure_priors(subject, rounds)
        figures += measure_many_values(values, rounds)
        figures += measure_unique_cells(residents, rounds)
    with step(console, "Bounds of disclosure"):
        figures += measure_bounds(census(max(small, ADULT_RECORDS), _SEED), rounds)
    with step(console, "Cost of certainty"):
        figures += measure_certainty(people, _SEED)
    with step(console, "Worst case of many buckets"):
        figures += measure_implications(buckets, rounds)
    with step(console, "Optimal channels"):
        figures += measure_randomization(subject, rounds)
    with step(console, "Utility of many cells"):
        figures += measure_utility(many_blocks, _SEED, rounds)
    with step(console, "Loading tables"):
        more = replace(census(large, _SEED), name="large_census")
        with connect(uri) as connection:
            renew_sandbox(connection, SCHEMA, _MARK)
        datasets = load(uri, fewer), load(uri, more)
        dataset = load(uri, subject) if adult else datasets[0]
        tenfold = load(uri, copied(subject))
        wards = hospital(admissions, _SEED)
        certified = [(subject, dataset), (wards, load(uri, wards))]
    with step(console, "Publication"):
        figures += measure_publishing(uri, subject, dataset, rounds)
    with step(console, "Copies"):
        figures += measure_copies(uri, (dataset, tenfold), rounds)
    with step(console, "Certification"):
        for source, name in certified:
            figures += measure_repair(uri, source, name, rounds)
    with step(console, "Groups from the bottom up"):
        figures += measure_agglomeration(uri, subject, dataset, rounds)
    with step(console, "Groups alike in belief"):
        figures += measure_primacy(uri, subject, dataset, rounds)
    with step(console, "Policies tried in turn"):
        figures += measure_exploration(uri, subject, dataset)
    with step(console, "IncrementalPopulation"):
        figures += measure_growth(uri, fewer, more, datasets, rounds)
    with step(console, "Records drawn by lot"):
        figures += measure_draw(uri, more, rounds)
    with step(console, "Steps of a publication"):
        figures += measure_steps(uri, SCHEMA, more, records, rounds)
    with step(console, "Week after week"):
        figures += measure_serial(uri, patients, weeks, crowd, _SEED)
    with step(console, "Publishing again"):
        figures += measure_again(uri, subject, months, _SEED)
    with connect(uri) as connection:
        drop_sandbox(connection, SCHEMA, _MARK)
    taken = time.monotonic() - started
    about = f"{subject.records:,} {subject.title}; medians of {rounds}; {taken:.0f} s in all."
    console.print(figure_table(figures))
    console.print(about)
    if results is not None:
        results.write_text(_page(about, written(figures), uri))


def _page(about: str, table: str, uri: str) -> str:
    """Write a page of figures, with the day and the machine that they were measured on."""
    with connect(uri) as connection:
        server = scalar(connection, sql.SQL("SHOW server_version"))
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    return (
        f"# Benchmarks\n\n{date.today()}, PostgreSQL {server}, {machine}. {about}\n\n"
        "A ratio is of the figure to what stands beside it, or the reverse where the target says "
        "*faster*.\nBoth were measured in the same run, in turn.\n\n" + table
    )


if __name__ == "__main__":
    app()
