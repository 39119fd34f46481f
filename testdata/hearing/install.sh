#!/bin/sh
# Installs the programs that make-clips.py runs: the synthesisers, ffmpeg and numpy, from
# Debian. It names those it cannot install, and fails.
set -eu
cd "$(dirname "$0")"
packages=$(sed -n '/^PROGRAMS = \[/,/\]/p' sources.py | grep -o '"[a-z0-9-]*"' | tr -d '"')
missing=
for package in $packages; do
	dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
if ! command -v apt-get >/dev/null; then
	echo "hearing: the clips are made on Debian, or in a container of it; missing:$missing" >&2
	exit 1
fi
if [ "$(id -u)" != 0 ]; then
	echo "hearing: run: sudo apt-get install --no-install-recommends$missing" >&2
	exit 1
fi
echo "hearing: installing$missing"
apt-get update -q >/dev/null
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $missing >/dev/null
