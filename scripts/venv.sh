#!/usr/bin/env bash
# venv.sh PG_CONFIG [--client | --dev | --pycanon | --compare | --docs]
# Make .build/venv from the interpreter that PL/Python embeds; print its python.
#
# Rules: plain, it holds pip and nothing else, enough to install into a server. With --client it
# also holds the locked packages of the client and this checkout; with --dev those and what checks the
# code, which takes as much disk again. With --pycanon it is .build/pycanon instead, with pycanon
# alone: what judges published views in the tests shares no package with what it judges. With
# --compare it is .build/compare, with other tools that publish; with --docs .build/docs, with what
# makes the site. A stamp names what each was made from; nothing is done while that holds.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/messages.sh
unset PYTHONHOME PYTHONPATH

case ${2:-} in
    '' | --client | --dev) readonly VENV=.build/venv ;;
    --pycanon) readonly VENV=.build/pycanon ;;
    --compare) readonly VENV=.build/compare ;;
    --docs) readonly VENV=.build/docs ;;
    *) die "usage: venv.sh PG_CONFIG [--client | --dev | --pycanon | --compare | --docs]" ;;
esac

# Two commands at once must not both make it.
mkdir -p .build
exec 8>.build/venv.lock
flock 8

python=$(scripts/find_python.sh "$1")

made_from="$PWD $python $("$python" -I -c 'import sys; print(sys.version)')"
if [[ $(cat $VENV/made-from 2>/dev/null) != "$made_from" ]]; then
    say "making $VENV with $python"
    rm -rf $VENV
    "$python" -I -m venv $VENV
    echo "$made_from" >$VENV/made-from
fi

install_locked() { # lock
    $VENV/bin/python -m pip install -qq --disable-pip-version-check --no-deps --require-hashes \
        --only-binary :all: -r "requirements/$1.lock" >&2
}

locked_in() { # lock
    local files=("requirements/$1.lock")
    [[ $VENV != .build/venv ]] || files+=(pyproject.toml bkpriv.control)
    sha256sum "${files[@]}"
}

if [[ -n ${2:-} ]]; then
    lock=${2#--}
    held=$(cat $VENV/holds 2>/dev/null || true)
    # What development takes is there, and the client with it.
    [[ $lock != client || $held != "$(locked_in dev)" ]] || lock=dev
    if [[ $held != "$(locked_in "$lock")" ]]; then
        say "installing the locked packages of $lock"
        install_locked "$lock"
        # The checkout itself, editable: `bkpriv` becomes a command of the environment.
        [[ $VENV != .build/venv ]] ||
            $VENV/bin/python -m pip install -qq --disable-pip-version-check --no-deps \
                --no-build-isolation -e . >&2
        locked_in "$lock" >$VENV/holds
    fi
fi

echo $VENV/bin/python
