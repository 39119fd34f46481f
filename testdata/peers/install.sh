#!/bin/sh
# Installs the programs that the tests need besides Go: espeak-ng, flite, ffmpeg, libopus,
# WebRTC's voice detection, PulseAudio, ALSA's player and sox, nginx, PostgreSQL, SQLite's
# shell, npm, a headless browser and a C compiler for the race detector from Debian;
# onnxruntime, MCP reference servers, the MCP inspector, SDKs, conformance suites and the
# Node they need from npm. It prints one line about each. A missing program is no failure,
# unless GLYPHOXA_REQUIRE_PEERS=1.
set -u
cd "$(dirname "$0")" || exit 1

missing=0

lacks() {
	echo "peers: $1"
	missing=1
}

# has reports whether a program, or a library called lib….so.N, is installed.
has() {
	case $1 in
	lib*.so.*) ldconfig -p 2>/dev/null | grep -q "$1 " ;;
	*) command -v "$1" >/dev/null 2>&1 ;;
	esac
}

log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

# attempt runs a command quietly and shows the end of its output if it fails.
attempt() {
	"$@" >"$log" 2>&1 && return 0
	tail -n 15 "$log" >&2
	return 1
}

# debian installs the Debian package of a program or library, if permitted.
debian() {
	program=$1
	shift
	if has "$program"; then
		echo "peers: $program is there"
	elif ! has apt-get; then
		lacks "$program is missing and there is no apt-get; install it with your system's packages"
	elif [ "$(id -u)" != 0 ]; then
		lacks "$program is missing; run: sudo apt-get install $*"
	elif attempt apt-get update -q && attempt env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "$@"; then
		echo "peers: $program was installed"
	else
		lacks "$program could not be installed by apt-get"
	fi
}

install_packages() {
	stamp=node_modules/.installed
	if [ -f "$stamp" ] && cmp -s package-lock.json "$stamp"; then
		echo "peers: the npm packages are there"
	elif ! has npm; then
		lacks "npm is missing, and with it the npm packages"
	elif attempt npm ci --ignore-scripts --no-audit --no-fund --no-progress; then
		cp package-lock.json "$stamp"
		echo "peers: the npm packages were installed"
	else
		lacks "the npm packages could not be installed by npm ci"
	fi
}

debian espeak-ng espeak-ng
debian flite flite # another synthesiser
debian ffmpeg ffmpeg # measures loudness, and plays sound
debian libopus.so.0 libopus0
debian libwebrtc_audio_processing.so.1 libwebrtc-audio-processing1
debian pulseaudio pulseaudio pulseaudio-utils # a sound server without a device
debian aplay alsa-utils libasound2-plugins
debian play sox libsox-fmt-pulse
debian systemd-analyze systemd # reads units
has /usr/sbin/nginx || debian nginx nginx-light # a reverse proxy
if ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then
	echo "peers: the PostgreSQL server is there"
else
	debian initdb postgresql # another store of memory
fi
debian sqlite3 sqlite3 # an older SQLite reads the store's files
debian npm nodejs npm
if attempt sh ../../pkg/audio/vad/onnxruntime.sh; then
	cat "$log"
else
	lacks "onnxruntime could not be fetched; try: make onnx"
fi
debian gcc gcc libc6-dev # for the race detector
has promtool || debian promtool prometheus # checks alert rules
has chromium || has google-chrome || debian chromium-headless-shell chromium-headless-shell
install_packages

if [ "$missing" = 1 ] && [ "${GLYPHOXA_REQUIRE_PEERS:-}" = 1 ]; then
	exit 1
fi
exit 0
