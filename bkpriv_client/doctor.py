"""``bkpriv doctor``: whether the extension is installed as it should be."""

from __future__ import annotations

import typer
from rich.text import Text

from bkpriv_client.options import Uri
from bkpriv_client.server import connect
from bkpriv_client.terminal import make_console, make_table

__all__ = ["doctor"]


def doctor(uri: Uri = "") -> None:
    """Check the extension's versions, paths and permissions; exit with 1 if anything is wrong."""
    console = make_console()
    with connect(uri) as connection:
        checks = connection.execute("SELECT check_name, ok, detail FROM bkpriv.doctor()").fetchall()
    table = make_table("Check", "", "Detail")
    for name, ok, detail in checks:
        verdict = Text("ok", style="green") if ok else Text("WRONG", style="bold red")
        table.add_row(Text(name), verdict, Text(detail or ""))
    console.print(table)
    wrong = sum(not ok for _, ok, _ in checks)
    if wrong:
        console.print(f"{wrong} of {len(checks)} checks failed.", style="bold red")
        raise typer.Exit(1)
    console.print(f"All {len(checks)} checks passed.")
