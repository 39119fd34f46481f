package vad

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// errNotLoaded means that no library could be loaded from a place.
var errNotLoaded = errors.New("it cannot be loaded")

// places returns where onnxruntime's library may be on a system, in order of preference: where make onnx puts
// it, next to the program, where the system's loader looks, and files with a version in their name that the
// loader does not know.
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
			continue // the pattern is fixed and well-formed
		}
		slices.SortStableFunc(found, func(a, b string) int { return compareVersions(b, a) })
		all = append(all, found...)
	}
	return all
}

// libraryNames returns the file name of the library, and a pattern for versioned names in system directories.
func libraryNames(system string) (file, versioned string) {
	switch system {
	case "darwin":
		return "libonnxruntime.1.dylib", "libonnxruntime*.dylib"
	case "windows":
		return "onnxruntime.dll", "onnxruntime.dll"
	}
	return "libonnxruntime.so.1", "libonnxruntime.so*"
}

// compareVersions compares names by the numbers between their dots.
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

// exists reports whether a place may contain a library. A bare name is left to the system's loader.
func exists(place string) bool {
	if filepath.Base(place) == place {
		return true
	}
	info, err := os.Stat(place)
	return err == nil && !info.IsDir()
}

// search opens the first of places that works. If named is not empty, it tries only that.
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
		if filepath.Base(place) != place || !errors.Is(err, errNotLoaded) { // failing to find a bare name says nothing
			why = err.Error()
		}
	}
	return found, onnxMissing(why)
}
