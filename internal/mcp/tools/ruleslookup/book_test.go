package ruleslookup_test

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa/internal/mcp/tools/ruleslookup"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/srd"
)

const goodRule = `- id: general-resting
  category: general
  name: Resting
  summary: Short and long rests.
  text: A short rest takes an hour.
`

const goodSpell = `- id: spell-light
  category: spell
  name: Light
  summary: An object glows.
  text: It sheds light.
  spell:
    level: 0
    school: evocation
    casting_time: 1 action
    range: Touch
    components: V
    duration: 1 hour
`

const goodMonster = `- id: monster-rat
  category: monster
  name: Rat
  summary: A tiny rodent.
  text: It bites.
  monster:
    size: tiny
    type: beast
    alignment: unaligned
    armor_class: 10
    hit_points: 1
    hit_dice: 1d4-1
    speed: {walk: 20}
    abilities: {str: 2, dex: 11}
    challenge: "0"
    xp: 10
    actions:
      - {name: Bite, to_hit: 0, damage: [1 piercing]}
`

func TestOpenReportsProblems(t *testing.T) {
	for _, row := range []struct {
		name  string
		files map[string]string
		want  []string // error lines, "file:line: what"
	}{
		{"no_files", map[string]string{"readme.md": "hello"}, []string{"there are no rules files"}},
		{"empty_file", map[string]string{"a.yaml": ""}, []string{"a.yaml:1: the file is not a list of rules"}},
		{"mapping_at_the_top", map[string]string{"a.yaml": "id: x\n"}, []string{"a.yaml:1: the file is not a list of rules"}},
		{"broken_yaml", map[string]string{"a.yaml": "- id: x\n  name: [\n"}, []string{"a.yaml:"}},
		{"unknown_key", map[string]string{"a.yaml": goodRule + "  summry: twice\n"}, []string{`a.yaml:6: there is no key "summry"; did you mean "summary"?`}},
		{"repeated_key", map[string]string{"a.yaml": goodRule + "  name: Again\n"}, []string{`a.yaml:6: key "name" is given twice`}},
		{"missing_keys", map[string]string{"a.yaml": "- id: general-x\n  category: general\n"}, []string{
			`a.yaml:1: key "name" is missing`, `a.yaml:1: key "summary" is missing`, `a.yaml:1: key "text" is missing`,
		}},
		{"unknown_category", map[string]string{"a.yaml": strings.Replace(goodRule, "category: general", "category: magic", 1)}, []string{`a.yaml:1: there is no category "magic"`}},
		{"malformed_id", map[string]string{"a.yaml": strings.Replace(goodRule, "general-resting", "General Resting", 1)}, []string{`a.yaml:1: id "General Resting" is malformed`}},
		{"same_id_in_two_files", map[string]string{"a.yaml": goodRule, "b.yaml": goodRule}, []string{`b.yaml:1: id "general-resting" is taken by a.yaml:1`}},
		{"spell_without_block", map[string]string{"a.yaml": strings.Replace(goodRule, "category: general", "category: spell", 1)}, []string{`a.yaml:1: spell "Resting" has no level`}},
		{"block_without_spell", map[string]string{"a.yaml": strings.Replace(goodSpell, "category: spell", "category: combat", 1)}, []string{`a.yaml:1: "Light" is no spell`}},
		{"level_out_of_range", map[string]string{"a.yaml": strings.Replace(goodSpell, "level: 0", "level: 10", 1)}, []string{`a.yaml:7: expected a level from 0 to 9, got "10"`}},
		{"flag_that_is_none", map[string]string{"a.yaml": goodSpell + "    ritual: maybe\n"}, []string{`a.yaml:13: expected true or false, got "maybe"`}},
		{"blank_text", map[string]string{"a.yaml": strings.Replace(goodRule, "Short and long rests.", `" "`, 1)}, []string{"a.yaml:4: expected text, got nothing"}},
		{"list_that_is_none", map[string]string{"a.yaml": goodRule + "  tags: rest\n"}, []string{`a.yaml:6: expected a list, got "rest"`}},
		{"rule_that_is_none", map[string]string{"a.yaml": "- just words\n"}, []string{`a.yaml:1: expected keys and values, got "just words"`}},
		{"monster_without_block", map[string]string{"a.yaml": strings.Replace(goodRule, "category: general", "category: monster", 1)}, []string{`a.yaml:1: monster "Resting" has no block of figures`}},
		{"block_of_another_category", map[string]string{"a.yaml": strings.Replace(goodMonster, "category: monster", "category: general", 1)}, []string{`a.yaml:1: "Rat" is no monster`}},
		{"unknown_figure", map[string]string{"a.yaml": strings.Replace(goodMonster, "hit_points", "hit_point", 1)}, []string{`a.yaml:11: there is no key "hit_point"; did you mean "hit_points"?`, `a.yaml:7: key "hit_points" is missing`}},
		{"figure_that_is_none", map[string]string{"a.yaml": strings.Replace(goodMonster, "armor_class: 10", "armor_class: ten", 1)}, []string{`a.yaml:10: expected a number, got "ten"`}},
		{"figure_twice", map[string]string{"a.yaml": goodMonster + "    size: huge\n"}, []string{`a.yaml:19: key "size" is given twice`}},
		{"list_of_figures_that_is_none", map[string]string{"a.yaml": strings.Replace(goodMonster, "[1 piercing]", "piercing", 1)}, []string{`a.yaml:18: expected a list, got "piercing"`}},
		{"problems_of_all_files", map[string]string{"a.yaml": "- 1\n", "sub/b.yaml": "\n- 2\n"}, []string{"a.yaml:1: expected", "sub/b.yaml:2: expected"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			fsys := fstest.MapFS{}
			for name, text := range row.files {
				fsys[name] = &fstest.MapFile{Data: []byte(text)}
			}
			_, err := ruleslookup.Open(fsys)
			var list userfile.Problems
			if !errors.As(err, &list) {
				t.Fatalf("Open() error = %v, want userfile.Problems", err)
			}
			got := list.Error()
			for _, want := range row.want {
				if !strings.Contains(got, want) {
					t.Errorf("problems =\n%s\nwant one with %q", got, want)
				}
			}
			if lines := strings.Count(got, "\n") + 1; lines != len(row.want) {
				t.Errorf("got %d problems, want %d:\n%s", lines, len(row.want), got)
			}
		})
	}
}

func TestGetRuleReturnsTheBlockOfFigures(t *testing.T) {
	book, err := ruleslookup.Open(fstest.MapFS{"a.yaml": {Data: []byte(goodMonster)}})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	got, err := toolNamed(t, book, "get_rule").Handler(t.Context(), `{"id":"monster-rat"}`)
	want := `{"id":"monster-rat","category":"monster","name":"Rat","system":"dnd5e","summary":"A tiny rodent.","text":"It bites.",` +
		`"monster":{"size":"tiny","type":"beast","alignment":"unaligned","armor_class":10,"hit_points":1,"hit_dice":"1d4-1","speed":{"walk":20},` +
		`"abilities":{"str":2,"dex":11},"challenge":"0","xp":10,"actions":[{"name":"Bite","to_hit":0,"damage":["1 piercing"]}]}}`
	if err != nil || got != want {
		t.Errorf("get_rule = %s, %v\nwant %s", got, err, want)
	}
}

func TestOpenReadsEveryFile(t *testing.T) {
	book, err := ruleslookup.Open(fstest.MapFS{
		"a.yaml":     {Data: []byte(goodRule)},
		"sub/b.yaml": {Data: []byte(goodSpell)},
		"notes.txt":  {Data: []byte("no rules here")},
	})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	if got := book.Len(); got != 2 {
		t.Errorf("Len() = %d, want 2", got)
	}
}

// countingFS counts how often each file is opened.
type countingFS struct {
	fs.FS
	mu    sync.Mutex // guards opens
	opens map[string]int
}

func (c *countingFS) Open(name string) (fs.File, error) {
	c.mu.Lock()
	c.opens[name]++
	c.mu.Unlock()
	return c.FS.Open(name)
}

func TestLazyReadsOnceAndOnlyWhenUsed(t *testing.T) {
	fsys := &countingFS{FS: os.DirFS("testdata"), opens: map[string]int{}}
	book := ruleslookup.Lazy(fsys)
	search := toolNamed(t, book, "search_rules")
	if len(fsys.opens) != 0 {
		t.Fatalf("files opened before the first use: %v", fsys.opens)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := search.Handler(t.Context(), `{"query":"blinded"}`); err != nil {
				t.Errorf("search: %v", err)
			}
		})
	}
	wg.Wait()
	if got := fsys.opens["rules.yaml"]; got != 1 {
		t.Errorf("rules.yaml was opened %d times, want 1", got)
	}
}

func TestLazyReportsWhatIsWrongOnUse(t *testing.T) {
	book := ruleslookup.Lazy(fstest.MapFS{"a.yaml": {Data: []byte("- 1\n")}})
	if err := book.Warm(); err == nil || !strings.Contains(err.Error(), "a.yaml:1") {
		t.Errorf("Warm() = %v, want an error that names a.yaml:1", err)
	}
	if _, err := toolNamed(t, book, "get_rule").Handler(t.Context(), `{"id":"x"}`); err == nil || !strings.Contains(err.Error(), "a.yaml:1") {
		t.Errorf("get_rule error = %v, want one that names a.yaml:1", err)
	}
	if got := book.Len(); got != 0 {
		t.Errorf("Len() = %d, want 0", got)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add([]byte(goodRule))
	f.Add([]byte(goodSpell))
	f.Add([]byte(goodMonster))
	f.Add([]byte("- &a {id: *a}\n"))
	f.Add([]byte("- id: !!int 5\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		book, err := ruleslookup.Open(fstest.MapFS{"a.yaml": {Data: data}})
		if err != nil {
			if !strings.Contains(err.Error(), "a.yaml") {
				t.Errorf("error %q does not name the file", err)
			}
			return
		}
		if _, err := toolNamed(t, book, "search_rules").Handler(t.Context(), `{"query":"light"}`); err != nil {
			t.Errorf("searching what was read: %v", err)
		}
	})
}

// listed holds the fields of a rule as its file has them.
type listed struct {
	ID      string   `yaml:"id"`
	Name    string   `yaml:"name"`
	Aliases []string `yaml:"aliases"`
}

// allRules reads the embedded files without the package's own reader.
func allRules(t testing.TB) []listed {
	t.Helper()
	files, err := fs.Glob(srd.FS, "*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all []listed
	for _, name := range files {
		data, err := fs.ReadFile(srd.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		var part []listed
		if err := yaml.Unmarshal(data, &part); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, part...)
	}
	if len(all) < 100 {
		t.Fatalf("only %d rules are embedded", len(all))
	}
	return all
}
