package world

import (
	"archive/zip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDeepNamesAreRefused reads an archive with a name of 32,000 folders, because the archive
// reader would list each of them. Names within the bounds are accepted.
func TestDeepNamesAreRefused(t *testing.T) {
	for _, row := range []struct {
		name    string
		refused bool
	}{
		{strings.Repeat("a/", 32_000) + "b", true},
		{strings.Repeat("a/", maxDepth+1) + "b", true},
		{strings.Repeat("a", maxNameLength+1), true},
		{strings.Repeat("a/", maxDepth) + "b", false},
		{strings.Repeat("a", maxNameLength), false},
	} {
		path := filepath.Join(t.TempDir(), "world.zip")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		z := zip.NewWriter(f)
		if _, err := z.CreateRaw(&zip.FileHeader{Name: row.name}); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		_, err = openZip(f, info.Size())
		if got := err != nil && strings.Contains(fmt.Sprint(err), "too long or too deep"); got != row.refused {
			t.Errorf("a name of %d bytes: %v, want it refused: %v", len(row.name), err, row.refused)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
