#!/usr/bin/env bash
# install_python.sh PG_CONFIG DIRECTORY
# Install bkpriv's Python code and its dependencies into DIRECTORY, below $DESTDIR if that is set.
#
# Rules
# - The server's user reads this directory and must not be able to write it: root owns it where
#   root installs, and everything is compiled now because the server never can.
# - Dependencies are copied only if they changed; code is mirrored, so no stale module survives.
# - `sql.digest` says which SQL is installed with it.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/messages.sh
umask 022

pg_config=$1
target=${DESTDIR:-}$2
stage=$(scripts/stage_python.sh "$pg_config")
python=$(scripts/find_python.sh "$pg_config")

# Compile what was copied to $1 for its final place $2, which is what tracebacks will show. The
# compiled files are never checked against their sources, because nobody edits those there.
# Then let others read, and nobody but the owner write, whatever the modes in the checkout are.
seal() { # copied, final
    "$python" -I -m compileall -q --invalidation-mode unchecked-hash -s "$1" -p "$2" "$1"
    chmod -R u=rwX,go=rX "$1"
}

if ! cmp -s "$stage/dependencies" "$target/dependencies"; then
    say "installing Python packages into $target"
    rm -rf "$target" "$target.new"
    mkdir -p "${target%/*}"
    cp -R "$stage" "$target.new"
    seal "$target.new" "$2"
    mv "$target.new" "$target"
fi

scripts/digest_sql.sh >"$target/sql.digest"
rm -rf "$target/.new"
mkdir "$target/.new"
cp -R bkpriv_core plpython/bkpriv_pl "$target/.new"
find "$target/.new" -name __pycache__ -prune -exec rm -rf {} +
seal "$target/.new" "$2"
for package in bkpriv_core bkpriv_pl; do
    rm -rf "${target:?}/$package"
    mv "$target/.new/$package" "$target/$package"
done
rmdir "$target/.new"
