#!/bin/sh
# Makes the clips that pitch, length and loudness before a pause are scored on, unless
# they are there, and scores them. GLYPHOXA_HEARING says where they are, GO which go to use.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
GLYPHOXA_HEARING=${GLYPHOXA_HEARING:-${XDG_CACHE_HOME:-$HOME/.cache}/glyphoxa/hearing}
export GLYPHOXA_HEARING
made=$GLYPHOXA_HEARING/.turns

# What is made depends on these.
source=$(cat "$here"/*.py "$here"/../*.py | cksum)
if [ ! -f "$made" ] || [ "$(cat "$made")" != "$source" ]; then
	sh "$here/../install.sh"
	/usr/bin/python3 -B "$here/make-turns.py" "$GLYPHOXA_HEARING"
	echo "$source" >"$made"
fi
cd "$here/../../.."
"${GO:-go}" run ./cmd/glyphoxa-lab eval prosody
