# shellcheck shell=bash
# How every script speaks. Sourced, never run.
#
# Messages go to standard error: standard output carries results only, so that
# `uri=$(make -s up)` holds the URI and nothing else.

say() { printf 'bkpriv: %s\n' "$*" >&2; }

die() {
    say "$@"
    exit 1
}
