package repository

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// scratch is a directory that is removed after the tests.
var scratch string

func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(runInScratch(m))
}

func runInScratch(m *testing.M) int {
	dir, err := os.MkdirTemp("", "glyphoxa-repository-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	scratch = dir
	// The builds use the settings of make build, so that they share its cache.
	for name, value := range map[string]string{"CGO_ENABLED": "0", "GOFLAGS": "-trimpath"} {
		if err := os.Setenv(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return m.Run()
}

// built returns the program.
var built = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "glyphoxa")
	if out, err := exec.Command("go", "build", "-o", path, "./cmd/glyphoxa").CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the program: %w\n%s", err, out)
	}
	return path, nil
})

func builtProgram(t *testing.T) string {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
