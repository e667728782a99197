#!/bin/sh
# Installs the packages that packages.txt lists, or says what to run where it may not.
set -eu
wanted=$(grep -v '^#' "$1")
missing=
for package in $wanted; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
command="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" != 0 ]; then
    if ! sudo -n true 2>/dev/null; then
        echo "make deps: packages are missing and this user may not install them; run:" >&2
        echo "    sudo $command" >&2
        exit 1
    fi
    sudo=sudo
fi
export DEBIAN_FRONTEND=noninteractive
${sudo:-} apt-get update -q
${sudo:-} $command
