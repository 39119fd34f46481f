package play_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/lab/memorytest"
	"github.com/MrWong99/glyphoxa/internal/lab/peers"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

func open(t *testing.T, m config.Memory) memory.Store {
	t.Helper()
	s, err := play.OpenStore(t.Context(), m, play.StoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func file(t *testing.T) config.Memory {
	return config.Memory{Store: config.StoreSQLite, Path: filepath.Join(t.TempDir(), "a.db")}
}

// TestThereAndBack moves memory from a file to a server and back, and through a backup: the
// records stay the same, and only an empty store accepts them.
func TestThereAndBack(t *testing.T) {
	server := peers.StartPostgres(t, "fsync=off")
	pg := func() config.Memory {
		return config.Memory{Store: config.StorePostgres, DSN: config.Secret(server.DSN(t))}
	}
	first := open(t, file(t))
	memorytest.Fill(t, first)
	all := memorytest.DumpOf(t, first)
	places := []memory.Store{first, open(t, pg()), open(t, file(t)), open(t, pg()), open(t, pg())}
	for i, to := range places[1:4] {
		if _, err := play.Migrate(t.Context(), places[i], to, func(string) {}); err != nil {
			t.Fatal(err)
		}
		memorytest.SameRecords(t, all, memorytest.DumpOf(t, to))
		memorytest.Sound(t, to)
		if _, err := play.Migrate(t.Context(), places[i], to, nil); !errors.Is(err, memory.ErrNotEmpty) {
			t.Errorf("again: %v, want ErrNotEmpty", err)
		}
	}
	backup := filepath.Join(t.TempDir(), "b.gz")
	if _, err := play.Backup(t.Context(), places[3], backup, nil); err != nil {
		t.Fatal(err)
	}
	for _, to := range []memory.Store{places[4], open(t, file(t))} {
		restore(t, to, backup, false, play.ForgottenUsers{})
		memorytest.SameRecords(t, all, memorytest.DumpOf(t, to))
		memorytest.Sound(t, to)
	}
}

func restore(t *testing.T, to memory.Store, backup string, replace bool, w play.ForgottenUsers) play.Restored {
	t.Helper()
	b, err := play.OpenBackup(t.Context(), backup)
	if err != nil {
		t.Fatal(err)
	}
	done, err := play.Restore(t.Context(), to, b, replace, w, nil)
	if err := errors.Join(err, b.Close()); err != nil {
		t.Fatal(err)
	}
	return done
}

// TestABrokenBackupIsRefused truncates, changes and extends a backup: nothing of it is
// restored.
func TestABrokenBackupIsRefused(t *testing.T) {
	from, to := open(t, file(t)), open(t, file(t))
	memorytest.Fill(t, from)
	before := memorytest.DumpOf(t, to)
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole.gz")
	if _, err := play.Backup(t.Context(), from, whole, nil); err != nil {
		t.Fatal(err)
	}
	packed, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	pack := func(text []byte) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, err := w.Write(text)
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	for name, content := range map[string][]byte{
		"empty": nil, "none": []byte("zebra"), "cut off": packed[:len(packed)/2], "without its sum": packed[:len(packed)-8],
		"without its end": pack(bytes.Join(lines[:len(lines)-2], nil)), "a line less": pack(bytes.Join(slices.Delete(slices.Clone(lines), 5, 6), nil)),
		"another word": pack(bytes.Replace(text, []byte("zebra"), []byte("camel"), 1)), "more": pack(append(slices.Clone(text), lines[1]...)),
		"another kind": pack(bytes.Replace(text, []byte(`["session"`), []byte(`["zession"`), 1)), "only a header": pack(lines[0]),
		"a wrong type": pack(bytes.Replace(text, []byte(`["session",1,`), []byte(`["session","1",`), 1)), "of the future": pack(bytes.Replace(text, []byte(`"version":1`), []byte(`"version":2`), 1)),
	} {
		bad := filepath.Join(dir, "bad.gz")
		if err := os.WriteFile(bad, content, 0o600); err != nil {
			t.Fatal(err)
		}
		b, err := play.OpenBackup(t.Context(), bad)
		if err == nil {
			_, err = play.Restore(t.Context(), to, b, false, play.ForgottenUsers{}, nil)
			_ = b.Close() // opened for reading only
		}
		if err == nil || name != "of the future" && !errors.Is(err, play.ErrNoBackup) {
			t.Errorf("%s: %v, want it refused", name, err)
		}
		memorytest.SameRecords(t, before, memorytest.DumpOf(t, to))
	}
	restore(t, to, whole, false, play.ForgottenUsers{})
}

// TestForgottenPeopleDoNotComeBack restores a backup from before a user was forgotten, into
// both kinds of store.
func TestForgottenPeopleDoNotComeBack(t *testing.T) {
	server := peers.StartPostgres(t, "fsync=off")
	from := open(t, file(t))
	s, err := from.StartSession(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	_, err = from.Append(t.Context(),
		memory.Line{Session: s.ID, Turn: 1, Speaker: "Dorin", User: "discord:7", Text: "The quicksilver lies under the weir."},
		memory.Line{Session: s.ID, Turn: 1, Speaker: "Maren", NPC: "maren", Text: "Well met, Dorin."},
		memory.Line{Session: s.ID, Turn: 2, Speaker: "Ada", User: "discord:8", Text: "Dorin told me of cinnabar."})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	backup, list := filepath.Join(dir, "b.gz"), filepath.Join(dir, "sub", "forgotten.list")
	if err := play.RecordForgotten(list, "discord:8"); err != nil { // before the backup was made
		t.Fatal(err)
	}
	if _, err := play.Backup(t.Context(), from, backup, nil); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := play.RecordForgotten(list, "discord:7"); err != nil {
			t.Fatal(err)
		}
	}
	if content, err := os.ReadFile(list); err != nil || strings.Contains(string(content), "discord") {
		t.Errorf("the list says %q, %v", content, err)
	}
	withheld, err := play.ReadForgotten(list)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []config.Memory{file(t), {Store: config.StorePostgres, DSN: config.Secret(server.DSN(t))}} {
		to := open(t, m)
		if done := restore(t, to, backup, false, withheld); len(done.Forgotten) != 1 {
			t.Errorf("forgotten: %+v", done.Forgotten)
		}
		lines, err := to.Recent(t.Context(), s.ID, 10)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, l := range lines {
			said = append(said, l.Speaker+": "+l.Text)
		}
		if want := []string{"Maren: Well met, Dorin.", "Ada: Dorin told me of cinnabar."}; !slices.Equal(said, want) {
			t.Errorf("%s: %q, want %q", m.Store, said, want)
		}
		for _, r := range memorytest.DumpOf(t, to) {
			if r.Kind == "forgetting" {
				t.Errorf("%v is left to do", r)
			}
		}
		memorytest.Sound(t, to)
	}
}
