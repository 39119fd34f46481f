#!/bin/sh
# Installs onnxruntime's library, which Silero's voice detection needs, in glyphoxa/ in the
# user's cache directory, where the program finds it. It comes from the npm package
# onnxruntime-node. An existing library is not downloaded again.
set -eu

version=1.30.0

say() { echo "onnx: $1"; }
fail() {
	echo "onnx: $1" >&2
	exit 1
}

case $(uname -s)/$(uname -m) in
Linux/x86_64)
	from=linux/x64/libonnxruntime.so.1
	sum=ffb75a925ba05e47b235bb66e3e3911714a80b328a9c9425539feb204aa32a23 ;;
Linux/aarch64 | Linux/arm64)
	from=linux/arm64/libonnxruntime.so.1
	sum=1f549d46250b005580b597f4164984aaf75b3bcb9f3aeb07c7f8a8fe60b23c76 ;;
Darwin/arm64)
	from=darwin/arm64/libonnxruntime.1.dylib
	sum=685d2be5dba1309c89d3a5324b7fd06a5c42f1a61bfea32d14c4cc28d072121d ;;
Darwin/*)
	fail "there is none for this Mac in the npm package; run: brew install onnxruntime" ;;
*)
	fail "there is none for $(uname -s) on $(uname -m); install onnxruntime $version and name its file in hearing.onnxruntime" ;;
esac

case $(uname -s) in
Darwin) cache=$HOME/Library/Caches ;;
*) cache=${XDG_CACHE_HOME:-$HOME/.cache} ;;
esac
dir=$cache/glyphoxa
file=$dir/$(basename "$from")

# is_right reports whether a file is the library of this version.
is_right() {
	[ -f "$1" ] || return 1
	if command -v sha256sum >/dev/null 2>&1; then
		got=$(sha256sum "$1")
	else
		got=$(shasum -a 256 "$1")
	fi
	[ "${got%% *}" = "$sum" ]
}

if is_right "$file"; then
	say "onnxruntime $version is there"
	exit 0
fi
command -v npm >/dev/null 2>&1 || fail "npm is missing; install it, or onnxruntime $version in your system's way"

mkdir -p "$dir"
work=$(mktemp -d "$dir/fetching.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
(cd "$work" && npm pack --silent "onnxruntime-node@$version" >/dev/null) || fail "npm could not fetch onnxruntime-node $version"
tar -xzf "$work/onnxruntime-node-$version.tgz" -C "$work" "package/bin/napi-v6/$from"
is_right "$work/package/bin/napi-v6/$from" || fail "what npm brought is not the library of onnxruntime-node $version"
mv "$work/package/bin/napi-v6/$from" "$file" # atomic, because another process may be loading it
say "onnxruntime $version was put into $dir"
