package fileio

import (
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxPath and maxName limit the length of a path and of a name within it, in bytes. Common file systems
	// do not support longer names.
	maxPath = 1024
	maxName = 255

	// maxDepth limits the number of names in a path.
	maxDepth = 16

	// tempPrefix marks files that are still being written. Callers cannot use it in paths.
	tempPrefix = ".glyphoxa-tmp-"
)

// cleanPath returns the canonical form of a path within the store, or an error that describes the problem.
// Every path that it accepts is valid on all operating systems.
func cleanPath(p string) (string, error) {
	switch {
	case p == "":
		return "", reject("path must not be empty")
	case len(p) > maxPath:
		return "", reject("path has %d bytes; at most %d are allowed", len(p), maxPath)
	case !utf8.ValidString(p):
		return "", reject("path is not valid UTF-8")
	case strings.HasPrefix(p, "/"):
		return "", reject("path must be relative, without a leading \"/\"")
	case strings.HasSuffix(p, "/"):
		return "", reject("path names a folder; name a file in it")
	}
	for i, r := range p {
		if !unicode.IsPrint(r) || strings.ContainsRune(`\:*?"<>|`, r) {
			return "", reject("path contains %q at byte %d; use letters, digits, spaces, \"-\", \"_\", \".\" and \"/\"", r, i)
		}
	}
	names := strings.Split(p, "/")
	for _, name := range names {
		if err := checkName(name); err != nil {
			return "", err
		}
	}
	clean := path.Clean(p)
	switch {
	case clean == ".":
		return "", reject("path names a folder; name a file in it")
	case strings.Count(clean, "/") >= maxDepth:
		return "", reject("path is more than %d levels deep", maxDepth)
	case !filepath.IsLocal(filepath.FromSlash(clean)):
		return "", reject("path is not allowed on this system")
	}
	return clean, nil
}

func checkName(name string) error {
	switch {
	case name == "..":
		return reject("path must not contain \"..\"")
	case len(name) > maxName:
		return reject("a name in the path has %d bytes; at most %d are allowed", len(name), maxName)
	case name != "." && name != strings.TrimRight(name, ". "), name != strings.TrimLeft(name, " "):
		return reject("name %q must not begin with a space or end with a space or dot", name)
	case len(name) >= len(tempPrefix) && strings.EqualFold(name[:len(tempPrefix)], tempPrefix):
		return reject("names beginning with %q are reserved", tempPrefix)
	}
	return nil
}
