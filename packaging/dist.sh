#!/bin/sh
# Builds what is handed out into dist/: an archive for each system and their checksums.
# TARGETS and VERSION say otherwise than all of them and the tag.
set -eu
cd "$(dirname "$0")/.."
version=${VERSION:-$(git describe --tags --always --dirty 2>/dev/null || echo dev)}
commit=$(git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
targets=${TARGETS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64}
rm -rf dist
mkdir dist
for target in $targets; do
	os=${target%/*} arch=${target#*/}
	name=glyphoxa_${version}_${os}_${arch}
	echo "building $name" >&2
	mkdir "dist/$name"
	program=dist/$name/glyphoxa
	if [ "$os" = windows ]; then program=$program.exe; fi
	CGO_ENABLED=0 GOOS=$os GOARCH=$arch "${GO:-go}" build -trimpath -ldflags "-s -w -X main.version=$version -X main.linked=$commit" -o "$program" ./cmd/glyphoxa
	cp README.md LICENSE NOTICE srd/ATTRIBUTION.md "dist/$name"
	if [ "$os" = linux ]; then cp packaging/glyphoxa.service "dist/$name"; fi
	tar -C dist -czf "dist/$name.tar.gz" "$name"
	rm -r "dist/${name:?}"
done
cd dist
sha256sum ./*.tar.gz | sed 's| \./| |' >SHA256SUMS
cat SHA256SUMS
