#!/usr/bin/env bash
# build_sql.sh OUTPUT VERSION INPUT...
# Concatenate SQL files into an extension script.
#
# Rules: @VERSION@ becomes the extension's version; @DIGEST@ the digest of everything in sql/;
# @ALTERED@ what a step says that it alters, in a line "-- Alters: name; name"; a line @START@ what
# is in sql/start.in, by which a call from SQL starts its session. An unchanged output keeps its time
# stamp.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/messages.sh

output=$1 version=$2
shift 2
(($#)) || die "no SQL files to build $output from"
digest=$(scripts/digest_sql.sh)
altered=$(sed -n 's/^-- Alters: //p' "$@")
case $altered in
    *[!a-z0-9_.\;,\ \(\)\[\]]*) die "a list of what is altered holds what is no name: $altered" ;;
esac

mkdir -p "${output%/*}"
{
    printf '\\echo Use "CREATE EXTENSION bkpriv" to load this file. \\quit\n'
    for input; do
        printf '\n'
        sed -e '/^@START@$/{' -e 'r sql/start.in' -e 'd' -e '}' \
            -e "s/@VERSION@/$version/g; s/@DIGEST@/$digest/g; s/@ALTERED@/$altered/g" "$input"
    done
} >"$output.new"
if cmp -s "$output.new" "$output"; then
    rm "$output.new"
else
    mv "$output.new" "$output"
fi
