package access_test

import (
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// The test binary starts itself as a child process for tests that need a second process.
const childPath = "AUDIT_TEST_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		runChild(path)
		return
	}
	goleak.VerifyTestMain(m)
}

// open opens a log and closes it with the test.
func open(t testing.TB, path string, opts access.LogOptions) *access.Log {
	t.Helper()
	l, err := access.OpenLog(t.Context(), path, opts)
	must(t, "Open", err)
	t.Cleanup(func() { must(t, "Close", l.Close()) })
	return l
}

func fresh(t testing.TB) *access.Log {
	t.Helper()
	return open(t, filepath.Join(t.TempDir(), "audit.db"), access.LogOptions{})
}

func must(t testing.TB, doing string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", doing, err)
	}
}

func all(t testing.TB, l *access.Log, q access.LogQuery) []access.LogRecord {
	t.Helper()
	records, _, err := l.Query(t.Context(), q)
	must(t, "Query", err)
	return records
}
