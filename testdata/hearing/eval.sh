#!/bin/sh
# Makes the clips that the hearing is scored on, unless they are there, and scores
# them; see README.md. GLYPHOXA_HEARING says where they are, GO which go to use.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
GLYPHOXA_HEARING=${GLYPHOXA_HEARING:-${XDG_CACHE_HOME:-$HOME/.cache}/glyphoxa/hearing}
export GLYPHOXA_HEARING
made=$GLYPHOXA_HEARING/.made

# What is made depends on these.
source=$(cat "$here"/*.py | cksum)
if [ ! -f "$made" ] || [ "$(cat "$made")" != "$source" ]; then
	sh "$here/install.sh"
	/usr/bin/python3 -B "$here/make-clips.py" "$GLYPHOXA_HEARING"
	echo "$source" >"$made"
fi
cd "$here/../.."
"${GO:-go}" run ./cmd/glyphoxa-lab eval hearing ${GLYPHOXA_EVAL_HELD:+--held}
