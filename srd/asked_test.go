package srd_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa/srd"
)

// TestRulesSayHowTheyAreAskedFor checks that every rule can be found without
// its name in both languages, and that no two rules share a phrase.
func TestRulesSayHowTheyAreAskedFor(t *testing.T) {
	all, names := byID(t), asked(t)
	owner := map[string]string{}
	for id, e := range all {
		more, there := names[id]
		delete(names, id)
		if !there {
			t.Errorf("no file says how %s is asked for", id)
			continue
		}
		if (e.Asked.English == "") != (e.Asked.German == "") || len(more.English) == 0 || len(more.German) == 0 {
			t.Errorf("%s is asked for as %q and %q, and %d and %d times, want both languages", id, e.Asked.English, e.Asked.German, len(more.English), len(more.German))
		}
		for _, phrase := range slices.Concat(more.English, more.German) {
			key := strings.ToLower(phrase)
			if other := owner[key]; other != "" {
				t.Errorf("%s and %s are both asked for as %q", other, id, phrase)
			}
			owner[key] = id
			if len(phrase) > 160 || strings.TrimSpace(phrase) != phrase {
				t.Errorf("%s is asked for as %q, want a short phrase", id, phrase)
			}
		}
	}
	for id := range names {
		t.Errorf("there is no rule %q to be asked for", id)
	}
}

// phrases are the phrases in asked, by id.
type phrases struct {
	English []string `yaml:"en"`
	German  []string `yaml:"de"`
}

func asked(t *testing.T) map[string]phrases {
	t.Helper()
	files, err := fs.Glob(srd.FS, "asked/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("files in asked: %v, %v", files, err)
	}
	all := map[string]phrases{}
	for _, name := range files {
		data, err := fs.ReadFile(srd.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		var file map[string]phrases
		dec := yaml.NewDecoder(strings.NewReader(string(data)))
		dec.KnownFields(true)
		if err := dec.Decode(&file); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for id, p := range file {
			if _, twice := all[id]; twice {
				t.Errorf("%s: %s is in another file, too", name, id)
			}
			all[id] = p
		}
	}
	return all
}
