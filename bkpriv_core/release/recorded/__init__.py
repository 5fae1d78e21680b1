"""Recorded material of a release, checked before anything is made of it.

Whoever owns a dataset may append to the history of its releases, so what it says is input like any
other. What passes is a release as a publication can have recorded it; that it did is another
question, which nothing here answers.

- `soundness`: how it is refused, and sizes, which are asked for before anything travels;
- `attribute`: domains of attributes;
- `content`: cells, groups and counts, and the release that they make;
- `draw`: records that were drawn of them;
- `respondent`: whom the records are about.
"""
