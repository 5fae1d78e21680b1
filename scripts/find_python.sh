#!/usr/bin/env bash
# find_python.sh [--unchecked] PG_CONFIG
# Print the interpreter that the server's PL/Python embeds.
#
# Rules: what counts is the libpython that plpython3.so is linked with, not the `python3` on PATH,
# which is often another one. An interpreter whose version or ABI differs is refused: compiled
# modules installed for it would crash the server. `--unchecked` only names it.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/messages.sh

check=yes
if [[ $1 == --unchecked ]]; then
    check=
    shift
fi

plpython=$("$1" --pkglibdir)/plpython3.so
[[ -e $plpython ]] || die "$plpython does not exist: this server has no PL/Python"
library=$(ldd "$plpython" | awk '$1 ~ /^libpython3/ { print $3 }')
[[ -e $library ]] || die "$plpython is not linked with a libpython that exists"

# libpython3.13t.so.1.0 → 3.13t: the letters are ABI flags and part of the interpreter's name.
version=${library##*/libpython}
version=${version%%.so*}
library=$(realpath "$library")
python=${library%%/lib*}/bin/python$version
[[ -x $python ]] || python=/usr/bin/python$version

if [[ $check ]]; then
    [[ -x $python ]] ||
        die "PL/Python embeds $library but there is no python$version beside it or in /usr/bin"
    "$python" -I - "$library" "$version" <<'PYTHON' || die "$python does not match $library"
import ctypes
import sys

library, version = sys.argv[1:]
flags = version.lstrip("0123456789.")
get_version = ctypes.CDLL(library).Py_GetVersion
get_version.restype = ctypes.c_char_p
embedded = get_version().decode().split()[0].rstrip("+")
running = sys.version.split()[0].rstrip("+")
if sys.version_info < (3, 10):
    sys.exit(f"Python {running} is too old; bkpriv needs 3.10 or newer")
if embedded != running or sys.abiflags != flags:
    sys.exit(f"embedded: {embedded} {flags!r}, interpreter: {running} {sys.abiflags!r}")
PYTHON
fi
echo "$python"
