#!/usr/bin/env bash
# docs.sh PG_CONFIG
# Build the documents as a site with search in .build/site; print its first page.
#
# Rules: the pages are those of the repository, README.md the first of them; they are looked at through
# links that keep their places, so that what leads from one to the other on a forge does so here. Warnings
# are errors. Nothing is loaded from elsewhere. Searching needs a server:
# `python3 -m http.server -d .build/site`.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/venv.sh "$1" --docs >/dev/null
rm -rf .build/pages
mkdir -p .build/pages
ln -s ../../{README.md,CHANGELOG.md,CONTRIBUTING.md,LICENSE,docs} .build/pages
.build/docs/bin/mkdocs build --strict --clean >&2
echo .build/site/index.html
