#!/usr/bin/env bash
# wheel.sh [DIRECTORY]
# Build the client as a wheel, in .build/wheel if nothing is said; print the file.
#
# Rules: the core and the client are in it, what runs in the server is not: it needs none where it
# is installed. Runs in .build/venv.
set -euo pipefail
cd "$(dirname "$0")/.."

directory=${1:-$PWD/.build/wheel}

rm -rf "$directory"
.build/venv/bin/python -m pip wheel -qq --disable-pip-version-check --no-deps --no-build-isolation \
    --wheel-dir "$directory" . >&2
ls "$directory"/*.whl
