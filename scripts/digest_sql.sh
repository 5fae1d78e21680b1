#!/usr/bin/env bash
# digest_sql.sh
# Print the digest of the SQL that makes the present version, by which doctor() tells whether a
# database has the SQL that is installed. Frozen scripts do not count.
set -euo pipefail
cd "$(dirname "$0")/../sql"
export LC_ALL=C
find . '(' -name '*.sql' -o -name '*.in' ')' ! -path './released/*' | sort | xargs sha256sum | sha256sum | cut -d ' ' -f 1
