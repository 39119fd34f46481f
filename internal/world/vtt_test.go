package world_test

import (
	"archive/zip"
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

var update = flag.Bool("update", false, "rewrite what is expected")

// read imports a valid file or directory and checks that the result is a valid campaign file.
func read(t testing.TB, name string) *world.Imported {
	t.Helper()
	in, err := world.ReadImport(t.Context(), name, world.ImportOptions{})
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	checkWritten(t, in.Campaign)
	return in
}

// checkWritten writes a campaign and reads it again.
func checkWritten(t testing.TB, c *world.Campaign) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		t.Fatalf("Write: %v", err)
	}
	again, err := world.ParseCampaign("again.yaml", b.Bytes())
	if err != nil {
		t.Fatalf("what was written is refused: %v\n%s", err, b.String())
	}
	sorted := cmpopts.SortSlices(func(a, b memory.Fact) bool { return a.Source+a.Text < b.Source+b.Text })
	ignored := cmpopts.IgnoreFields(world.Campaign{}, "File", "Lines", "Name", "System")
	if diff := cmp.Diff(c, again, sorted, ignored, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("written and read again (-want +got):\n%s", diff)
	}
	return b.String()
}

// TestReadsWhatTabletopsKeep imports the worlds and exports in testdata and compares each
// result with its golden file. The world of Foundry VTT 13 was written with classic-level, the
// library that Foundry uses. Those of 12 and 11 are directories made by Export Data, which
// writes neither document ids nor ownership.
func TestReadsWhatTabletopsKeep(t *testing.T) {
	for _, row := range []struct {
		name, format string
		hidden       int
		left         map[string]int
	}{
		{"foundry13", "a Foundry VTT world", 9, nil},
		{"foundry12", "a Foundry VTT compendium", 5, map[string]int{"macros": 1}},
		{"foundry11", "a Foundry VTT compendium", 4, map[string]int{"tables": 1}},
		{"foundry9", "a Foundry VTT world", 2, nil},
		{"roll20.json", "a Roll20 campaign", 5, map[string]int{"macros": 1, "users": 1}},
		{"roll20-character.json", "a Roll20 character", 1, nil},
		{"fvtt-Actor-maren.json", "documents of Foundry VTT", 1, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			in := read(t, filepath.Join("testdata", row.name))
			if in.Format != row.format || in.Hidden != row.hidden || !cmp.Equal(in.Left, row.left, cmpopts.EquateEmpty()) {
				t.Errorf("%s, %d hidden, left out %v; want %s, %d, %v", in.Format, in.Hidden, in.Left, row.format, row.hidden, row.left)
			}
			got := checkWritten(t, in.Campaign)
			golden := filepath.Join("testdata", row.name+".golden.yaml")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("campaign (-want +got):\n%s", diff)
			}
			for _, secret := range []string{"smuggles", "poisoned", "crypt", "burns who lies", "owes", "remembers its name"} {
				checkSecret(t, in.Campaign, secret)
			}
		})
	}
}

// checkSecret fails if a text with the word is visible to anyone but the DM.
func checkSecret(t *testing.T, c *world.Campaign, word string) {
	t.Helper()
	dm := []string{world.DMOnly}
	for _, e := range c.Entities {
		if strings.Contains(e.Description, word) && !slices.Equal(e.Visible, dm) {
			t.Errorf("%s is described to %v: %s", e.ID, e.Visible, e.Description)
		}
	}
	for _, f := range c.Facts {
		if strings.Contains(f.Text, word) && !slices.Equal(f.Visible, dm) {
			t.Errorf("%v know: %s", f.Visible, f.Text)
		}
	}
}

// zipOf packs a directory, below a directory in the archive.
func zipOf(t testing.TB, dir, below string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "world.zip")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		w, err := z.Create(below + filepath.ToSlash(rel))
		if err != nil {
			return err
		}
		_, err = w.Write(data)
		return err
	})
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAZipIsReadAsTheDirectory(t *testing.T) {
	dir := filepath.Join("testdata", "foundry13")
	want := read(t, dir).Campaign
	got := read(t, zipOf(t, dir, "worlds/barrow-keep/")).Campaign
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(world.Campaign{}, "File")); diff != "" {
		t.Errorf("from the directory (-) and the zip (+):\n%s", diff)
	}
}

func TestWhatIsBrokenIsRefusedByFileAndRecord(t *testing.T) {
	write := func(t *testing.T, files map[string]string) string {
		dir := t.TempDir()
		for name, text := range files {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	exported := `{"id":"w","title":"W","packs":[]}`
	for _, row := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"no_such_file", nil, []string{"nothing to import"}},
		{"a_manifest_that_is_none", map[string]string{"world.json": "[]"}, []string{"world.json", "no manifest"}},
		{"a_line_that_is_no_document", map[string]string{"world.json": exported, "data/actors.db": `{"_id":"a","name":"A"}` + "\n{\"_id\":"}, []string{"data/actors.db:2"}},
		{"a_line_without_id", map[string]string{"world.json": exported, "data/actors.db": "\n{\"name\":\"A\"}"}, []string{"data/actors.db:2", "_id"}},
		{"a_name_that_is_a_number", map[string]string{"world.json": exported, "data/actors.db": `{"_id":"abc","name":5}`}, []string{"data/actors.db", `"actors abc"`, "name"}},
		{"no_name", map[string]string{"world.json": exported, "data/journal.db": `{"_id":"abc","pages":[]}`}, []string{"data/journal.db", `"journal abc"`, "no name"}},
		{"a_pack_outside", map[string]string{"world.json": `{"id":"w","packs":[{"name":"p","path":"../../etc/passwd"}]}`}, []string{"world.json", "not within"}},
		{"a_database_without_its_files", map[string]string{"world.json": exported, "data/actors/CURRENT": "MANIFEST-000002\n"}, []string{"data/actors", "broken"}},
		{"a_database_of_noise", map[string]string{"world.json": exported, "data/actors/CURRENT": "MANIFEST-000002\n", "data/actors/MANIFEST-000002": "noise and more noise"}, []string{"data/actors", "broken"}},
		{"json_cut_short", map[string]string{"campaign.json": "{\n\"characters\": ["}, []string{"campaign.json:2", "not valid JSON"}},
		{"a_character_without_name", map[string]string{"campaign.json": `{"characters":[{"id":"x"}],"handouts":[]}`}, []string{"campaign.json", "character 1 (x)", "no name"}},
		{"something_else", map[string]string{"thing.json": `{"a":1}`}, []string{"thing.json", "nothing of Foundry VTT or Roll20"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := world.ReadImport(t.Context(), write(t, row.files), world.ImportOptions{})
			for _, w := range row.want {
				if err == nil || !strings.Contains(err.Error(), w) {
					t.Errorf("error %v does not say %q", err, w)
				}
			}
		})
	}
}

func TestArchivesStayWithinTheirBounds(t *testing.T) {
	for name, entry := range map[string]string{"a_path_outside": "../evil.json", "an_absolute_path": "/etc/world.json", "a_path_of_windows": `..\evil.json`} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "evil.zip")
			var b bytes.Buffer
			z := zip.NewWriter(&b)
			if _, err := z.Create(entry); err != nil {
				t.Fatal(err)
			}
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := world.ReadImport(t.Context(), path, world.ImportOptions{}); err == nil || !strings.Contains(err.Error(), "no path within it") {
				t.Errorf("error %v, want a refusal", err)
			}
		})
	}
	t.Run("a_bomb", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "bomb.zip")
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		w, err := z.Create("campaign.json")
		if err != nil {
			t.Fatal(err)
		}
		chunk := bytes.Repeat([]byte(" "), 1<<20)
		for range 130 {
			if _, err := w.Write(chunk); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := world.ReadImport(t.Context(), path, world.ImportOptions{}); err == nil || !strings.Contains(err.Error(), "more than 64 MB, and no more are read") {
			t.Errorf("%d bytes that hold 130 MiB: %v, want a refusal", b.Len(), err)
		}
	})
	t.Run("a_link_outside", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.Symlink("/etc/hostname", filepath.Join(dir, "campaign.json")); err != nil {
			t.Skip("links cannot be made here")
		}
		if _, err := world.ReadImport(t.Context(), dir, world.ImportOptions{}); err == nil {
			t.Error("a link out of the directory was followed")
		}
	})
}
