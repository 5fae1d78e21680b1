#!/usr/bin/env bash
# build_sql.sh OUTPUT LIBRARY VERSION INPUT...
# Concatenate SQL files into an extension script.
#
# Rules: @VERSION@ becomes the extension's version; @DIGEST@ the digest of everything in sql/;
# @ALTERED@ what a step says that it alters, in a line "-- Alters: name; name"; a line @START@ what
# is in sql/start.in, by which a call from SQL starts its session. In scripts of before
# 0.4.0, @PYTHON_PATH@ becomes the directory that holds the server's Python code, LIBRARY/VERSION;
# later ones ask the server. It lands in SQL literals and may be quoted again inside
# them, so characters that mean something there are refused, save the quote, which is doubled. An
# unchanged output keeps its time stamp.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/messages.sh

output=$1 python_path=$2/$3 version=$3
shift 3
(($#)) || die "no SQL files to build $output from"
case $python_path in
    [!/]*) die "the Python path must be absolute: $python_path" ;;
    *[\\\"\$@\&[:cntrl:]]*) die "the Python path holds a character that SQL could misread: $python_path" ;;
esac
digest=$(scripts/digest_sql.sh)
altered=$(sed -n 's/^-- Alters: //p' "$@")
case $altered in
    *[!a-z0-9_.\;,\ \(\)\[\]]*) die "a list of what is altered holds what is no name: $altered" ;;
esac

mkdir -p "${output%/*}"
{
    # Scripts that are kept as they were begin with that.
    grep -qF '\quit' "$1" || printf '\\echo Use "CREATE EXTENSION bkpriv" to load this file. \\quit\n'
    for input; do
        printf '\n'
        sed -e "s|@PYTHON_PATH@|$(sed "s/[|]/\\\\&/g; s/'/''/g" <<<"$python_path")|g" \
            -e '/^@START@$/{' -e 'r sql/start.in' -e 'd' -e '}' \
            -e "s/@VERSION@/$version/g; s/@DIGEST@/$digest/g; s/@ALTERED@/$altered/g" "$input"
    done
} >"$output.new"
if cmp -s "$output.new" "$output"; then
    rm "$output.new"
else
    mv "$output.new" "$output"
fi
