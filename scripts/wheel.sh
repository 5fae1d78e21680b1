#!/usr/bin/env bash
# Build the client as a wheel, which needs no server where it is installed; print the file.
#
# Rules: the core and the command line are in it, what runs in the server is not. Runs in .build/venv.
set -euo pipefail
cd "$(dirname "$0")/.."

rm -rf .build/wheel
.build/venv/bin/python -m pip wheel -qq --disable-pip-version-check --no-deps --no-build-isolation \
    --wheel-dir .build/wheel . >&2
ls .build/wheel/*.whl
