#!/usr/bin/env bash
# stage_python.sh PG_CONFIG
# Put the server's locked Python dependencies into a directory under .build/; print it.
#
# Rules: made for the interpreter that PL/Python embeds, from wheels whose hashes are locked, so
# it needs no compiler and no privileges. `make install` copies it to where the server looks.
# `dependencies` in it names what it was made from.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/messages.sh

python=$(scripts/venv.sh "$1")
tag=$("$python" -I -c 'import sysconfig; print(sysconfig.get_config_var("SOABI"))')
stage=.build/site-$tag
made_from="$tag $(sha256sum <requirements/server.lock)"

if [[ $(cat "$stage/dependencies" 2>/dev/null) != "$made_from" ]]; then
    say "fetching the server's locked Python packages"
    rm -rf "$stage"
    "$python" -m pip install -qq --disable-pip-version-check --no-deps --require-hashes \
        --only-binary :all: --no-compile --target "$stage" -r requirements/server.lock >&2
    rm -rf "${stage:?}/bin"
    echo "$made_from" >"$stage/dependencies"
fi
echo "$stage"
