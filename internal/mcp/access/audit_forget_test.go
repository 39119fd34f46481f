package access_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// TestForget removes one caller from the log and its file, and keeps the rest.
func TestForget(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	l := open(t, path, access.LogOptions{Arguments: true})
	for _, who := range []string{"discord:80351110224678912", "discord:803511102246789123", "discord:80351110224678912", "operator"} {
		l.Add(access.LogRecord{Who: who, Tool: "search_facts", Decision: access.Denied, Error: "of " + who}, `{"query":"asked by `+who+`"}`)
	}
	n, err := l.Forget(t.Context(), "discord:80351110224678912")
	if err != nil || n != 2 {
		t.Fatalf("Forget = %d, %v; want 2 records", n, err)
	}
	var who []string
	for _, r := range all(t, l, access.LogQuery{}) {
		who = append(who, r.Who)
		if kept := r.Args + r.ArgsHash + r.Error; (r.Who == access.Forgotten) != (kept == "") {
			t.Errorf("record %+v: what it was made with is gone exactly for who was forgotten", r)
		}
	}
	want := []string{"operator", access.Forgotten, "discord:803511102246789123", access.Forgotten}
	if len(who) != len(want) {
		t.Fatalf("callers %q, want %q", who, want)
	}
	for i := range want {
		if who[i] != want[i] {
			t.Errorf("callers %q, want %q", who, want)
		}
	}
	for _, file := range []string{path, path + "-wal"} {
		data, err := os.ReadFile(file)
		must(t, "reading the file", err)
		data = bytes.ReplaceAll(data, []byte("discord:803511102246789123"), nil)
		if bytes.Contains(data, []byte("80351110224678912")) {
			t.Errorf("%s still has the caller in it", filepath.Base(file))
		}
	}
	if n, err := l.Forget(t.Context(), "nobody"); err != nil || n != 0 {
		t.Errorf("forgetting nobody = %d, %v", n, err)
	}
}
