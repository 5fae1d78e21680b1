#!/usr/bin/env bash
# docs.sh PG_CONFIG [DIRECTORY]
# Build the documents as a site with search, in .build/site if nothing is said; print its first page.
#
# Rules: the pages are those of the repository, README.md the first of them; they are looked at through
# links that keep their places, so that what leads from one to the other on a forge does so here. Warnings
# are errors. Nothing is loaded from elsewhere. Searching needs a server:
# `python3 -m http.server -d .build/site`.
set -euo pipefail
cd "$(dirname "$0")/.."

site=${2:-$PWD/.build/site}

scripts/venv.sh "$1" --docs >/dev/null
mkdir -p .build/pages
for page in README.md CHANGELOG.md CITATION.cff CONTRIBUTING.md LICENSE SECURITY.md docs; do
    [[ -e .build/pages/$page ]] || ln -sfn "../../$page" .build/pages/
done
NO_MKDOCS_2_WARNING=1 .build/docs/bin/mkdocs build --strict --clean --site-dir "$site" >&2
echo "$site/index.html"
