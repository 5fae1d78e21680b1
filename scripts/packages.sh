#!/usr/bin/env bash
# Make sure that this machine has a PostgreSQL server with PL/Python and what it takes to build a
# Python environment for the embedded interpreter; print the server's pg_config.
#
# Rules
# - Only what is missing is installed, from the distribution, and only then are package lists
#   refreshed. Nothing happens on a machine that has everything.
# - Installing the server neither creates nor starts a database cluster.
# - Root installs. Anybody else tries sudo without a password, else is told what is missing and
#   what to run.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/messages.sh

readonly NO_CLUSTER=/etc/postgresql-common/createcluster.d/bkpriv-setup.conf

# The package that `postgresql` or `postgresql-plpython3-N` depends on, by a sed pattern.
dependency() { # package, pattern
    apt-cache depends "$1" 2>/dev/null | sed -nE "s/^ *Depends: $2\$/\\1/p" | head -n 1
}

# The major version of the server that the distribution ships. The table answers only where the
# package lists are empty, as in container images, and we may not refresh them.
distribution_server() {
    local major
    major=$(dependency postgresql 'postgresql-([0-9]+)')
    if [[ -z $major ]]; then
        case $(. /etc/os-release && echo "${VERSION_CODENAME:-}") in
            bookworm) major=15 ;;
            trixie) major=17 ;;
            jammy) major=14 ;;
            noble) major=16 ;;
        esac
    fi
    echo "$major"
}

# The same for the Python that the distribution's PL/Python embeds.
distribution_python() { # major version of the server
    local version
    version=$(dependency "postgresql-plpython3-$1" 'libpython(3\.[0-9]+)(t64)?')
    if [[ -z $version ]]; then
        case $(. /etc/os-release && echo "${VERSION_CODENAME:-}") in
            bookworm) version=3.11 ;;
            trixie) version=3.13 ;;
            jammy) version=3.10 ;;
            noble) version=3.12 ;;
        esac
    fi
    echo "$version"
}

# Set `pg_config` to the server's, if there is one, and `missing` to the packages to install.
look() {
    local major version python
    missing=()
    pg_config=$(scripts/find_server.sh)
    if [[ -z $pg_config ]]; then
        major=$(distribution_server)
        [[ $major ]] || return 0
        missing=("postgresql-$major" "postgresql-plpython3-$major")
        version=$(distribution_python "$major")
    else
        major=$("$pg_config" --version | sed -E 's/^[^0-9]*([0-9]+).*/\1/')
        ((major >= 14)) || die "PostgreSQL $major is too old; bkpriv needs 14 or newer"
        [[ -e $("$pg_config" --pgxs) ]] || missing+=("postgresql-server-dev-$major")
        if [[ -e $("$pg_config" --pkglibdir)/plpython3.so ]]; then
            python=$(scripts/find_python.sh --unchecked "$pg_config")
            version=${python##*/python}
        else
            missing+=("postgresql-plpython3-$major")
            version=$(distribution_python "$major")
        fi
    fi
    [[ ${python:-} ]] || python=/usr/bin/python$version
    if ! "$python" -I -c 'import ensurepip, venv' >/dev/null 2>&1; then
        missing+=("python$version-venv")
    fi
}

install_missing() {
    say "installing ${missing[*]}"
    # Without this, Debian's packages would create a cluster and start it as a service.
    trap 'rm -f "$NO_CLUSTER"' EXIT
    mkdir -p "${NO_CLUSTER%/*}"
    echo 'create_main_cluster = false' >"$NO_CLUSTER"
    DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 \
        apt-get install -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 \
        -o DPkg::Lock::Timeout=600 "${missing[@]}" </dev/null >&2
}

look
if ((${#missing[@]} == 0)) && [[ $pg_config ]]; then
    echo "$pg_config"
    exit
fi

if ! command -v apt-get >/dev/null; then
    die "no PostgreSQL server with PL/Python was found and this is not a Debian-like system." \
        "Install PostgreSQL 14 or newer with plpython3u and pass PG_CONFIG=/path/to/pg_config." \
        "${missing[*]:+Missing, by their Debian names: ${missing[*]}}"
fi

if ((EUID != 0)); then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        exec sudo -n env ${PG_CONFIG:+"PG_CONFIG=$PG_CONFIG"} bash scripts/packages.sh
    fi
    ((${#missing[@]})) ||
        die "no PostgreSQL server was found and apt's package lists are empty;" \
            "have an administrator run: apt-get update"
    say "these packages are missing and you may not install them: ${missing[*]}"
    say "have an administrator run this, then try again:"
    say "    apt-get update && apt-get install --no-install-recommends ${missing[*]}"
    say "or this, which does the same but creates no database cluster:"
    say "    $PWD/scripts/packages.sh"
    exit 1
fi

say "refreshing package lists"
apt-get update -qq </dev/null >&2 || say "some package lists could not be refreshed; going on"
look
((${#missing[@]})) || die "apt offers no PostgreSQL server; pass PG_CONFIG=/path/to/pg_config"
install_missing
look
if ((${#missing[@]})); then
    die "still missing after the installation: ${missing[*]}"
fi
echo "$pg_config"
