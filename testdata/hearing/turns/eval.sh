#!/bin/sh
# Creates the clips for the evaluation of pitch, length and loudness before a pause if they
# are missing, and scores them. GLYPHOXA_HEARING is their directory, GO the go command.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
GLYPHOXA_HEARING=${GLYPHOXA_HEARING:-${XDG_CACHE_HOME:-$HOME/.cache}/glyphoxa/hearing}
export GLYPHOXA_HEARING
made=$GLYPHOXA_HEARING/.turns

# The clips depend on these files.
source=$(cat "$here"/*.py "$here"/../*.py | cksum)
if [ ! -f "$made" ] || [ "$(cat "$made")" != "$source" ]; then
	sh "$here/../install.sh"
	/usr/bin/python3 -B "$here/make-turns.py" "$GLYPHOXA_HEARING"
	echo "$source" >"$made"
fi
cd "$here/../../.."
"${GO:-go}" run ./cmd/glyphoxa-lab eval prosody
