package play

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/memorytest"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// TestABackupMayNotUnpackToAnything reads a backup that unpacks to more than the limit.
func TestABackupMayNotUnpackToAnything(t *testing.T) {
	from, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "m.db"), &sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	memorytest.Fill(t, from)
	file := filepath.Join(t.TempDir(), "b.gz")
	if _, err := Backup(t.Context(), from, file, nil); err != nil {
		t.Fatal(err)
	}
	b, err := OpenBackup(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if b.left < unpackedSpare {
		t.Errorf("a small backup may unpack to %d bytes, want %d at least", b.left, unpackedSpare)
	}
	b.left = 1000
	for _, bad := range b.records() {
		err = bad
	}
	if err == nil || !strings.Contains(err.Error(), "100 times its size") {
		t.Errorf("reading on after 1,000 bytes: %v", err)
	}
}
