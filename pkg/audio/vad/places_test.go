package vad

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The folder used by make onnx comes first, then the program's folder, then the system.
func TestPlaces(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("HOME", cache)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(cache, ".cache"))
	for system, file := range map[string]string{"linux": "libonnxruntime.so.1", "darwin": "libonnxruntime.1.dylib", "windows": "onnxruntime.dll"} {
		got := places(system)
		if len(got) < 3 || filepath.Base(got[0]) != file || filepath.Base(filepath.Dir(got[0])) != "glyphoxa" {
			t.Fatalf("%s: places = %q, want the user's own first", system, got)
		}
		program, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		if got[1] != filepath.Join(filepath.Dir(program), file) || got[2] != file {
			t.Errorf("%s: places = %q, want the program's directory and the system's loader next", system, got)
		}
		if onnxAdvice(system) == onnxAdvice("plan9") {
			t.Errorf("%s has no advice of its own", system)
		}
	}
}

func TestNewerVersionsComeFirst(t *testing.T) {
	names := []string{"libonnxruntime.so.1.9.0", "libonnxruntime.so", "libonnxruntime.so.1.21", "libonnxruntime.so.1.21.4"}
	slices.SortFunc(names, func(a, b string) int { return compareVersions(b, a) })
	if want := []string{"libonnxruntime.so.1.21.4", "libonnxruntime.so.1.21", "libonnxruntime.so.1.9.0", "libonnxruntime.so"}; !slices.Equal(names, want) {
		t.Errorf("names = %q, want %q", names, want)
	}
}

// The search skips unusable libraries and reports the error of the last one. If a library
// was named, only that one is tried.
func TestSearch(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	old, good, absent := file("old"), file("good"), filepath.Join(dir, "absent")
	open := func(place string) (string, error) {
		switch place {
		case old:
			return "", errors.New("too old")
		case good:
			return place, nil
		}
		return "", fmt.Errorf("%w: %s", errNotLoaded, place)
	}
	for _, tt := range []struct {
		name, named string
		places      []string
		want, lacks string
	}{
		{"first", "", []string{good, old}, good, ""},
		{"behind_others", "", []string{absent, "bare", old, good}, good, ""},
		{"nothing", "", []string{absent, "bare"}, "", "("},
		{"unusable", "", []string{old, "bare", absent}, "", ""},
		{"named", good, []string{old}, good, ""},
		{"named_alone", old, []string{good}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := search(tt.named, tt.places, open)
			if got != tt.want || (err == nil) != (tt.want != "") {
				t.Fatalf("search = %q, %v, want %q", got, err, tt.want)
			}
			if err == nil {
				return
			}
			if !errors.Is(err, ErrNoOnnxruntime) {
				t.Errorf("err = %v, want ErrNoLibrary", err)
			}
			if tt.lacks != "" {
				if strings.Contains(err.Error(), tt.lacks) {
					t.Errorf("err = %v, want no reason", err)
				}
			} else if !strings.Contains(err.Error(), "too old") {
				t.Errorf("err = %v, want what was wrong", err)
			}
		})
	}
}
