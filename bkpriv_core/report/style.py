"""The style of the page: screen and paper, light and dark, wide and narrow."""

from __future__ import annotations

__all__ = ["STYLE"]

STYLE = """
:root { color-scheme: light dark; --ink: #1d2430; --soft: #566172; --paper: #fff;
  --panel: #f4f6f9;
  --line: #d5dbe3; --bar: #2f6690; --guess: #b3cbdd; --over: #b3261e; --kept: #1b6e3c;
  --mark: #d1770b; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --soft: #a5b0bf; --paper: #14181f;
  --panel: #1d232d; --line: #36404e; --bar: #6fa8d6; --guess: #34506a; --over: #ff8a80;
  --kept: #7fd6a0;
  --mark: #ffb454; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
main, footer { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1.25rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .75rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 0 0 .75rem; }
p { margin: .5rem 0; max-width: 46rem; }
.kicker { color: var(--soft); margin: 0 0 .25rem; }
section { border-top: 1px solid var(--line); margin-top: 2rem; padding-top: 1.5rem; }
bdi.name { overflow-wrap: anywhere; }
.badge { display: inline-block; border: 1px solid currentColor; border-radius: 1rem;
  padding: 0 .6rem;
  font-size: .875rem; font-weight: 600; white-space: nowrap; }
.badge.kept { color: var(--kept); } .badge.broken { color: var(--over); }
  .badge.unknown { color: var(--soft); }
.warning { border-left: 4px solid var(--mark); background: var(--panel); padding: .4rem .75rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem;
  list-style: none;
  margin: 1.25rem 0 0; padding: 0; }
.tiles li { background: var(--panel); border-radius: .5rem; padding: .75rem 1rem; }
.tiles strong { display: block; font-size: 1.4rem; line-height: 1.3; }
.tiles span { color: var(--soft); font-size: .9rem; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr));
  gap: .5rem 1.5rem; margin: 0 0 1rem; }
.blanks { grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); }
.blank { min-height: 3.5rem; border-bottom: 1px solid var(--soft); }
dt { color: var(--soft); font-size: .875rem; } dd { margin: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
section > .scroll, details > .scroll { margin: 1rem 0; }
table { border-collapse: collapse; width: 100%; min-width: 36rem; font-size: .925rem; }
caption { text-align: left; color: var(--soft); font-size: .875rem; padding-bottom: .4rem; }
th, td { text-align: left; vertical-align: top; padding: .45rem .75rem .45rem 0;
  border-bottom: 1px solid var(--line); }
.wide { min-width: 15rem; } .again { color: var(--soft); font-weight: 400; }
thead th { font-size: .85rem; color: var(--soft); font-weight: 600; }
tbody th { font-weight: 500; min-width: 8rem; }
td div + div { margin-top: .4rem; }
.short { white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
td.number { white-space: nowrap; } .number:not(:last-child) { padding-right: 1.25rem; }
figure { margin: 1rem 0; } figcaption { color: var(--soft); font-size: .875rem; }
.chart { width: 100%; min-width: 30rem; max-width: 46rem; height: auto; display: block; }
.chart text { fill: var(--ink); font-size: 14px; font-family: inherit; }
.chart .axis { fill: var(--soft); font-size: 12px; } .chart .said { font-size: 13px; }
.chart .bar { fill: var(--bar); } .chart .guess { fill: var(--guess); }
  .chart .over { fill: var(--over); }
.chart .mark { fill: var(--mark); stroke: var(--paper); stroke-width: 1.5; }
.chart .limit { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 4 3; }
details { margin-top: .75rem; } summary { cursor: pointer; font-weight: 600; }
li { margin: .35rem 0; max-width: 46rem; }
footer { color: var(--soft); font-size: .875rem; border-top: 1px solid var(--line);
  margin-top: 2rem; }
:focus-visible { outline: 2px solid var(--bar); outline-offset: 2px; }
@media print { @page { margin: 16mm; } :root { --ink: #000; --soft: #444; --paper: #fff;
  --panel: #f2f2f2;
  --line: #bbb; --bar: #2f6690; --guess: #b3cbdd; --over: #b3261e; --kept: #1b6e3c;
  --mark: #d1770b; }
  body { font-size: 10.5pt; } main, footer { max-width: none; padding: 0; }
  h2, caption, thead, summary { break-after: avoid; }
  tr, figure, .tiles li, #approval { break-inside: avoid; } .scroll { overflow: visible; }
  table { min-width: 0; } .wide { min-width: 11rem; } th, td { padding-right: .5rem; }
  .badge, .bar, .tiles li, .chart { print-color-adjust: exact; -webkit-print-color-adjust: exact;
  } }
"""
"""Style sheet, no part of which comes from data."""
