#!/usr/bin/env bash
# deb.sh PG_CONFIG [DIRECTORY]
# Build a Debian package of the extension for one server, in .build if nothing is said; print the file.
#
# Rules
# - It holds what `make install` installs, the Python packages among it, and belongs to root. So it is
#   for the server's major version and the Python that its PL/Python embeds, and depends on both.
# - The server must be one of the system's packages: else there is nothing to depend on.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/messages.sh
umask 022

pg_config=$1
directory=${2:-$PWD/.build}
command -v dpkg-deb >/dev/null || die "dpkg-deb builds the package, and is not here"

# The package that a file came with, without its architecture. Where /lib is a link, dpkg may know
# the file by either name.
package_of() { # file
    local name
    name=$(dpkg -S "$1" 2>/dev/null || dpkg -S "${1#/usr}" 2>/dev/null) ||
        die "$1 is of no package; a .deb is for a server that Debian's packages made"
    name=${name%%: *}
    echo "${name%%:*}"
}

major=$("$pg_config" --version | sed -E 's/^[^0-9]*([0-9]+).*/\1/')
pkglibdir=$("$pg_config" --pkglibdir)
library=$(ldd "$pkglibdir/plpython3.so" | awk '$1 ~ /^libpython3/ { print $3 }')
server=$(package_of "$("$pg_config" --bindir)/postgres")
plpython=$(package_of "$pkglibdir/plpython3.so")
python=$(package_of "$(realpath "$library")")
version=$(sed -n "s/^default_version = '\(.*\)'$/\1/p" bkpriv.control)
architecture=$(dpkg --print-architecture)
name=postgresql-$major-bkpriv
root=$directory/deb/$name
file=$directory/${name}_${version}_$architecture.deb

# What is installed is made in .build, which two builds at once must not share.
mkdir -p .build
exec 7>.build/deb.lock
flock 7

rm -rf "$root"
mkdir -p "$root/DEBIAN" "$root/usr/share/doc/$name"
say "building $file"
env -u MAKEFLAGS -u MAKELEVEL make -s --no-print-directory install \
    "PG_CONFIG=$pg_config" "DESTDIR=$root" >&2

cp LICENSE "$root/usr/share/doc/$name/copyright"
gzip -9nc CHANGELOG.md >"$root/usr/share/doc/$name/changelog.gz"
chmod -R u=rwX,go=rX "$root"

cat >"$root/DEBIAN/control" <<CONTROL
Package: $name
Version: $version
Architecture: $architecture
Maintainer: bkpriv contributors
Section: database
Priority: optional
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f 1)
Depends: $server, $plpython, $python, libc6, libgcc-s1, libstdc++6
Description: publish tables safely against adversaries with background knowledge
 A PostgreSQL extension that publishes tables about people so that a reader who knows something about
 them learns little more, measures how much a reader would learn from a release, and keeps the history
 of what was released in the database that holds the data.
 .
 The Python packages that it needs are in it; they are for the server alone.
CONTROL
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"

dpkg-deb --root-owner-group -Zzstd --build "$root" "$file" >/dev/null
echo "$file"
