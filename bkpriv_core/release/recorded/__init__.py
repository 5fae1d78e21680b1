"""Recorded material of a release, checked before anything is made of it.

The owner of a dataset may append to the history of its releases, so the history is input like any
other. A release that passes could have been recorded by a publication; whether it was is another
question, which nothing here answers.

- `soundness`: how it is refused, and sizes, which are asked for before anything travels;
- `attribute`: domains of attributes;
- `content`: cells, groups and counts, and the release that they make;
- `draw`: records that were drawn of them;
- `respondent`: whom the records are about.
"""
