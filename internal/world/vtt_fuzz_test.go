package world

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// readFS reads a file tree as Read reads a directory.
func readFS(t testing.TB, fsys fstest.MapFS) (*Imported, error) {
	r := newReader(t.Context(), ImportOptions{Progress: func(string) {}})
	return r.finish("tree", "tree", func() error { return r.readTree(fsys) })
}

// checkSound writes an import and reads it again.
func checkSound(t testing.TB, in *Imported) {
	t.Helper()
	var b bytes.Buffer
	if err := in.Campaign.Write(&b); err != nil {
		t.Fatal(err)
	}
	again, err := ParseCampaign("again.yaml", b.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	if len(again.Entities) != len(in.Campaign.Entities) || len(again.Relations) != len(in.Campaign.Relations) || len(again.Facts) != len(in.Campaign.Facts) {
		t.Fatalf("of %d, %d and %d entries %d, %d and %d were written", len(in.Campaign.Entities), len(in.Campaign.Relations), len(in.Campaign.Facts), len(again.Entities), len(again.Relations), len(again.Facts))
	}
}

// FuzzJSON reads JSON as a single file, and as the lines of a collection.
func FuzzJSON(f *testing.F) {
	for _, name := range []string{"roll20.json", "roll20-character.json", "fvtt-Actor-maren.json", "foundry9/data/actors.db", "foundry9/data/journal.db"} {
		data, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Add(`{"characters":[{"id":"a","name":"A","inplayerjournals":"all","bio":"%3Cp%3E%zz"}],"handouts":[],"journalfolder":"[{\"n\":\"F\",\"i\":[\"a\",null]}]"}`)
	f.Add(`[{"_key":"!adventures!x","name":"X","journal":[{"_id":"y","name":"Y","pages":[{"name":"Z","text":{"content":"<p>@UUID[.z]{}[[/r 1]]"}}]}]}]`)
	f.Add(`{"name":"\u0000\u2028","type":"9.-","tokens":[{"actorId":"x"}],"folder":"x","ownership":{"default":"2"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, tree := range []fstest.MapFS{
			{"a.json": {Data: []byte(text)}},
			{"world.json": {Data: []byte(`{"title":"T"}`)}, "data/journal.db": {Data: []byte(text)}},
		} {
			if in, err := readFS(t, tree); err == nil {
				checkSound(t, in)
			}
		}
	})
}

// FuzzLevel changes one byte of a Foundry VTT database: the import is refused or valid.
func FuzzLevel(f *testing.F) {
	f.Add(0, 0, byte(1))
	f.Add(1, 40, byte(0xff))
	f.Add(2, 100, byte(0x80))
	names := []string{"journal/000005.ldb", "journal/MANIFEST-000002", "actors/000003.log", "actors/MANIFEST-000002"}
	files := map[string][]byte{}
	for _, dir := range []string{"journal", "actors"} {
		all, err := filepath.Glob(filepath.Join("testdata", "foundry13", "data", dir, "*"))
		if err != nil || len(all) == 0 {
			f.Fatal(err)
		}
		for _, path := range all {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			files[dir+"/"+filepath.Base(path)] = data
		}
	}
	f.Fuzz(func(t *testing.T, which, at int, by byte) {
		tree := fstest.MapFS{"world.json": {Data: []byte(`{"title":"T"}`)}}
		broken := names[max(0, which)%len(names)]
		for name, data := range files {
			data = bytes.Clone(data)
			if name == broken {
				data[max(0, at)%len(data)] ^= by
			}
			tree["data/"+name] = &fstest.MapFile{Data: data}
		}
		if in, err := readFS(t, tree); err == nil {
			checkSound(t, in)
		}
	})
}

// FuzzParagraphs reads HTML: text in a secret block is always secret.
func FuzzParagraphs(f *testing.F) {
	f.Add("<p>a", "</p><b>x</div>")
	f.Add("<section>", "</p></section ><script>")
	f.Add("<table><tr><td>", "<li><![CDATA[ ]]> @UUID[a]{b} [[/r 1d6]]")
	f.Fuzz(func(t *testing.T, before, within string) {
		const word = "zyxxyz"
		if strings.Contains(strings.ToLower(within), "section") || strings.ContainsAny(before, "<!'\"=") && !strings.HasSuffix(before, ">") {
			return // it may end the block, or hide its start
		}
		for _, b := range paragraphs(before + `<section class="secret">` + within + word) {
			b.resolve(func(string) (string, string) { return "", "" })
			if strings.Contains(b.text, word) && !b.secret && !strings.Contains(before, "<") {
				t.Errorf("what is secret is told: %q", b.text)
			}
		}
	})
}

// TestAThousandTimesTheUsual reads a journal of 9,000 entries, each with a link to the next
// one.
func TestAThousandTimesTheUsual(t *testing.T) {
	const n = 9000
	var lines strings.Builder
	for i := range n {
		text, err := json.Marshal(fmt.Sprintf("<p>%s @JournalEntry[%016d]{the next}.</p><section class=\"secret\">The %dth secret.</section>", strings.Repeat("The marsh remembers who crossed it. ", 20), (i+1)%n, i))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&lines, `{"_id":"%016d","name":"Entry %d","permission":{"default":2},"content":%s}`+"\n", i, i%(n/2), text)
	}
	in, err := readFS(t, fstest.MapFS{"world.json": {Data: []byte(`{"title":"Large"}`)}, "data/journal.db": {Data: []byte(lines.String())}})
	if err != nil {
		t.Fatal(err)
	}
	if len(in.Campaign.Entities) != n || len(in.Campaign.Relations) != n || in.Hidden != n {
		t.Errorf("%d entities, %d relations, %d hidden; want %d of each", len(in.Campaign.Entities), len(in.Campaign.Relations), in.Hidden, n)
	}
	checkSound(t, in)
}
