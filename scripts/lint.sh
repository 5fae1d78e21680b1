#!/usr/bin/env bash
# lint.sh SCRIPT...
# Check form: style, types, which module imports which, how much a function decides, the rules of
# docstrings, SQL and shell files, and the safety of the extension's scripts as they were built.
#
# Rules: every check runs even if an earlier one fails, so that one run shows everything; the exit
# status says whether all passed. Runs in .build/venv; shellcheck takes part where it is installed.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/messages.sh

readonly BIN=.build/venv/bin
readonly OWNED=.build/owned.sql
failed=()
(($#)) || die "usage: lint.sh SCRIPT..., the extension's scripts of this version"
shopt -s nullglob # there may be no step of an upgrade

check() { # name, command
    local name=$1
    shift
    say "$name"
    "$@" || failed+=("$name")
}

check "ruff check" $BIN/ruff check .
check "ruff format" $BIN/ruff format --check .
check "mypy" $BIN/python -m mypy
check "import contracts" $BIN/lint-imports --no-cache --no-logo
check "Python rules" $BIN/python scripts/lint_python.py bench bkpriv_client bkpriv_core plpython \
    scripts studies tests
check "SQL rules" $BIN/python scripts/lint_sql.py sql/*.sql sql/{tables,functions,ties,upgrades}/*.sql
[[ ! -e sql/released ]] || check "released SQL" sha256sum --quiet -c sql/released/SHA256SUMS
# No finding of pgspot is ignored. CREATE EXTENSION makes schema bkpriv, and the preamble refuses one
# in which others could have made anything; an upgrade finds all three. So they are stated as made by
# the extension. Bodies in PL/Python, which pgspot does not read, are an import and a call (SQL rules).
printf 'CREATE SCHEMA %s;\n' bkpriv bkpriv_internal bkpriv_release >$OWNED
for script; do
    check "pgspot of ${script##*/}" $BIN/pgspot --ignore-lang plpython3u --append $OWNED "$script"
done
# ruff counts branches in every function (C901). lizard counts boolean operators and comprehensions
# too, in all but the tests: what they compare with is meant to be plain, and lists every case.
check "complexity" $BIN/lizard -l python -C 15 -w -x './tests/*' -x './.build/*' -x './.pg/*' .
if command -v shellcheck >/dev/null; then
    check "shellcheck" shellcheck -x scripts/*.sh .ci/run
fi

((${#failed[@]} == 0)) || die "failed: $(printf '%s; ' "${failed[@]}")"
