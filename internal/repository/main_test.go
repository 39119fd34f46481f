package repository

import (
	"fmt"
	"os"
	"testing"
)

// TestMain runs the tests at the root of the repository, so that files go by
// the names the pages give them.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
