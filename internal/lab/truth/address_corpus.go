package truth

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"
)

const (
	truthHeader = "id\ttable\tlanguage\tafter\tspeaker\texpected\talso\tclass\ttext\tmisheard\theard"

	// byNPC is the class of an NPC's line in a sequence; it is not scored.
	byNPC = "npc"
)

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

// place returns an NPC's seat, or a negative number if it is not at the table.
func (tt *truthTable) place(id string) int {
	for i, n := range tt.NPCs {
		if n.ID == id {
			return i
		}
	}
	return -1
}

// isName reports whether word is part of a name at the table.
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

// addressPart is the path of a part of the corpus.
func (o Options) addressPart(part string) string { return o.corpus("address", part+".tsv") }

// truthLines reads a part of the corpus.
func (o Options) truthLines(part string) ([]truthLine, error) {
	data, err := os.ReadFile(o.addressPart(part))
	if err != nil {
		return nil, err
	}
	rows := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if rows[0] != truthHeader {
		return nil, fmt.Errorf("%s.tsv: the first row is %q, want %q", part, rows[0], truthHeader)
	}
	var lines []truthLine
	for i, row := range rows[1:] {
		c := strings.Split(row, "\t")
		if len(c) != 11 || slices.Contains(c, "") {
			return nil, fmt.Errorf("%s.tsv:%d: want 11 columns, none of them empty: %q", part, i+2, row)
		}
		lines = append(lines, truthLine{c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9], c[10]})
	}
	return lines, nil
}

// truthTables reads the tables of the corpus.
func (o Options) truthTables() (tables map[string]*truthTable, err error) {
	data, err := os.ReadFile(o.corpus("address", "tables.yaml"))
	if err != nil {
		return nil, err
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	err = dec.Decode(&tables)
	return tables, err
}

// setAside reports whether a sequence of train.tsv is excluded from training.
func setAside(sequence string) bool {
	return strings.HasPrefix(sequence, "train-") && sha256.Sum256([]byte(sequence))[0]%3 == 0 && !slices.Contains([]string{"train-en-01", "train-en-02", "train-en-03"}, sequence)
}
