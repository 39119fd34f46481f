//go:build (linux || darwin) && (amd64 || arm64) && !android && !faketime && !static

package vad

import "github.com/ebitengine/purego"

func dlopen(place string) (uintptr, error) {
	return purego.Dlopen(place, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func dlsym(handle uintptr, name string) (uintptr, error) { return purego.Dlsym(handle, name) }
