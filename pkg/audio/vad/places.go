package vad

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// errNotLoaded means a place that holds no library that can be loaded.
var errNotLoaded = errors.New("it cannot be loaded")

// places are where onnxruntime's library may be on a system, most wanted first:
// where make onnx puts it, beside the program, where the system's loader looks,
// and files with a version in their name that the loader does not know.
func places(system string) []string {
	var all []string
	file, versioned := libraryNames(system)
	if cache, err := os.UserCacheDir(); err == nil {
		all = append(all, filepath.Join(cache, "glyphoxa", file))
	}
	if program, err := os.Executable(); err == nil {
		all = append(all, filepath.Join(filepath.Dir(program), file))
	}
	all = append(all, file)
	var dirs []string
	switch system {
	case "linux":
		dirs = []string{"/usr/local/lib", "/usr/lib/*-linux-gnu", "/usr/lib64", "/usr/lib"}
	case "darwin":
		dirs = []string{"/opt/homebrew/lib", "/usr/local/lib"}
	}
	for _, dir := range dirs {
		found, err := filepath.Glob(filepath.Join(dir, versioned))
		if err != nil {
			continue // the pattern is ours and well formed
		}
		slices.SortStableFunc(found, func(a, b string) int { return compareVersions(b, a) })
		all = append(all, found...)
	}
	return all
}

// libraryNames are what the library is called, and a pattern for all it may be
// called where systems keep libraries.
func libraryNames(system string) (file, versioned string) {
	switch system {
	case "darwin":
		return "libonnxruntime.1.dylib", "libonnxruntime*.dylib"
	case "windows":
		return "onnxruntime.dll", "onnxruntime.dll"
	}
	return "libonnxruntime.so.1", "libonnxruntime.so*"
}

// compareVersions orders names by the numbers between their dots.
func compareVersions(a, b string) int {
	return slices.Compare(numbers(a), numbers(b))
}

func numbers(name string) []int {
	var all []int
	for part := range strings.SplitSeq(filepath.Base(name), ".") {
		if n, err := strconv.Atoi(part); err == nil {
			all = append(all, n)
		}
	}
	return all
}

// exists reports whether a place may hold a library: a bare name is for the
// system's loader to find.
func exists(place string) bool {
	if filepath.Base(place) == place {
		return true
	}
	info, err := os.Stat(place)
	return err == nil && !info.IsDir()
}

// search opens the first place that holds what is sought. A place that was named
// is the only one.
func search[T any](named string, places []string, open func(place string) (T, error)) (found T, err error) {
	if named != "" {
		if found, err = open(named); err != nil {
			return found, onnxMissing(err.Error())
		}
		return found, nil
	}
	why := ""
	for _, place := range places {
		if !exists(place) {
			continue
		}
		if found, err = open(place); err == nil {
			return found, nil
		}
		if filepath.Base(place) != place || !errors.Is(err, errNotLoaded) { // a name that is not there says nothing
			why = err.Error()
		}
	}
	return found, onnxMissing(why)
}
