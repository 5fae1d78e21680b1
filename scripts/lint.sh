#!/usr/bin/env bash
# Check form: style, types, which module imports which, and the rules of the SQL and shell files.
#
# Rules: every check runs even if an earlier one fails, so that one run shows everything; the exit
# status says whether all passed. Runs in .build/venv; shellcheck takes part where it is installed.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/messages.sh

readonly BIN=.build/venv/bin
failed=()

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
check "SQL rules" $BIN/python scripts/lint_sql.py sql/*.sql sql/{tables,functions,ties,upgrades}/*.sql
check "released SQL" sha256sum --quiet -c sql/released/SHA256SUMS
if command -v shellcheck >/dev/null; then
    check "shellcheck" shellcheck -x scripts/*.sh .ci/run
fi

((${#failed[@]} == 0)) || die "failed: $(printf '%s; ' "${failed[@]}")"
