#!/bin/sh
# Installs what the end-to-end tests meet in the wild: espeak-ng from Debian,
# an MCP reference server, the MCP inspector and the Node it needs from npm.
# It says one line about each. What cannot be installed is no failure, unless
# GLYPHOXA_REQUIRE_PEERS=1.
set -u
cd "$(dirname "$0")" || exit 1

missing=0

lacks() {
	echo "peers: $1"
	missing=1
}

has() { command -v "$1" >/dev/null 2>&1; }

log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

# attempt runs a command quietly and shows the end of what it said if it fails.
attempt() {
	"$@" >"$log" 2>&1 && return 0
	tail -n 15 "$log" >&2
	return 1
}

install_espeak() {
	if has espeak-ng; then
		echo "peers: espeak-ng is there"
	elif ! has apt-get; then
		lacks "espeak-ng is missing and there is no apt-get; install it with your system's packages"
	elif [ "$(id -u)" != 0 ]; then
		lacks "espeak-ng is missing; run: sudo apt-get install espeak-ng"
	elif attempt apt-get update -q && attempt env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends espeak-ng; then
		echo "peers: espeak-ng was installed"
	else
		lacks "espeak-ng could not be installed by apt-get"
	fi
}

install_packages() {
	stamp=node_modules/.installed
	if [ -f "$stamp" ] && cmp -s package-lock.json "$stamp"; then
		echo "peers: the npm packages are there"
	elif ! has npm; then
		lacks "npm is missing; install Node.js 20 or newer with npm, for example: apt-get install nodejs npm"
	elif attempt npm ci --ignore-scripts --no-audit --no-fund --no-progress; then
		cp package-lock.json "$stamp"
		echo "peers: the npm packages were installed"
	else
		lacks "the npm packages could not be installed by npm ci"
	fi
}

install_espeak
install_packages

if [ "$missing" = 1 ] && [ "${GLYPHOXA_REQUIRE_PEERS:-}" = 1 ]; then
	exit 1
fi
exit 0
