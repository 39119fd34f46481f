package truth_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"gopkg.in/yaml.v3"
)

const (
	truthHeader = "id\ttable\tlanguage\tafter\tspeaker\texpected\talso\tclass\ttext\tmisheard\theard"

	// byNPC is the class of what an NPC says in a sequence; it is not scored.
	byNPC = "npc"
)

// truthParts are the two thirds to learn from and the third held back.
var truthParts = []string{"dev", "held"}

// addressParts are these, and lines that were written later to learn from.
var addressParts = append([]string{"train"}, truthParts...)

var truthClasses = []string{
	"call", "role", "answer", "follow", "join", "correction", "room", "group", "backchannel", "barge", "misheard",
	"ooc", "rules", "action", "about", "quote", "nameword", "initiative", "player", "outsider", "plan", "dm",
}

// truthTable is one entry of tables.yaml.
type truthTable struct {
	Languages []string `yaml:"languages"`
	DM        string   `yaml:"dm"`
	Players   []string `yaml:"players"`
	NPCs      []struct {
		ID      string   `yaml:"id"`
		Name    string   `yaml:"name"`
		Aliases []string `yaml:"aliases"`
		Role    string   `yaml:"role"`
	} `yaml:"npcs"`
}

// place is where an NPC sits, below zero if it is not at the table.
func (tt *truthTable) place(id string) int {
	for i, n := range tt.NPCs {
		if n.ID == id {
			return i
		}
	}
	return -1
}

// isName reports whether word is part of what somebody at the table is called.
func (tt *truthTable) isName(word string) bool {
	for _, n := range tt.NPCs {
		for _, name := range append([]string{n.Name}, n.Aliases...) {
			for w := range strings.FieldsSeq(name) {
				if w == word && w != "Der" && unicode.IsUpper([]rune(w)[0]) {
					return true
				}
			}
		}
	}
	return slices.Contains(tt.Players, word)
}

// truthLine is one row of dev.tsv or held.tsv.
type truthLine struct {
	id, table, language, after, speaker, expected, also, class, text, misheard, heard string
}

func (l *truthLine) sequence() string {
	name, _, _ := strings.Cut(l.id, "/")
	return name
}

func (l *truthLine) row() string {
	return strings.Join([]string{l.id, l.table, l.language, l.after, l.speaker, l.expected, l.also, l.class, l.text, l.misheard, l.heard}, "\t")
}

// addressFile is where a part of the corpus lies.
func addressFile(part string) string { return filepath.Join(corpora, "address", part+".tsv") }

func readTruth(t *testing.T, part string) []truthLine {
	t.Helper()
	data, err := os.ReadFile(addressFile(part))
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if rows[0] != truthHeader {
		t.Fatalf("%s.tsv: the first row is %q, want %q", part, rows[0], truthHeader)
	}
	var lines []truthLine
	for i, row := range rows[1:] {
		c := strings.Split(row, "\t")
		if len(c) != 11 || slices.Contains(c, "") {
			t.Fatalf("%s.tsv:%d: want 11 columns, none of them empty: %q", part, i+2, row)
		}
		lines = append(lines, truthLine{c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9], c[10]})
	}
	return lines
}

func readTruthTables(t *testing.T) map[string]*truthTable {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpora, "address", "tables.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	var tables map[string]*truthTable
	if err := dec.Decode(&tables); err != nil {
		t.Fatal(err)
	}
	return tables
}
