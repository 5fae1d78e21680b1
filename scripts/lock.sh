#!/usr/bin/env bash
# lock.sh PG_CONFIG
# Compile requirements/*.lock from pyproject.toml and requirements/*.in.
#
# Rules: one lock for every Python from 3.10 on and every platform, with hashes; no index is named
# in it, so whoever installs uses the index they have. What the server imports has the same
# version in the locks of the client and of development, and so has what the client imports.
set -euo pipefail
cd "$(dirname "$0")/.."

python=$(scripts/venv.sh "$1")
"$python" -m pip install -qq --disable-pip-version-check uv >&2

lock() { # name, what uv is to compile and how
    local name=$1
    shift
    "$python" -m uv pip compile -q --universal --python-version 3.10 --generate-hashes --upgrade \
        --no-header --no-emit-index-url --no-annotate -o "requirements/$name.lock" "$@"
}

lock server pyproject.toml
lock client pyproject.toml --extra cli --group pyproject.toml:build \
    --constraint requirements/server.lock
lock dev pyproject.toml --extra cli --group pyproject.toml:dev \
    --constraint requirements/client.lock
lock docs --group pyproject.toml:docs
lock pycanon requirements/pycanon.in --override requirements/pycanon.in
lock compare requirements/compare.in --override requirements/compare.in
