#!/bin/sh
# Installs LiveKit Agents for Node and its dependencies from npm, for make bench-peers.
set -eu
cd "$(dirname "$0")"
stamp=node_modules/.installed
if [ -f "$stamp" ] && cmp -s package-lock.json "$stamp"; then
	echo "peers: LiveKit Agents is there"
	exit 0
fi
npm ci --ignore-scripts --no-audit --no-fund --no-progress
cp package-lock.json "$stamp"
echo "peers: LiveKit Agents was installed"
