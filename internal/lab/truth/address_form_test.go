package truth

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var updateHeard = flag.Bool("update", false, "write the heard column of testdata/truth/address anew")

// checkExpected checks an expected answer at a table.
func checkExpected(tt *truthTable, expected string) error {
	kind, rest, _ := strings.Cut(expected, ":")
	ids := strings.Split(rest, ",")
	switch {
	case expected == "none" || expected == "room":
		return nil
	case kind == "npc" && len(ids) == 1, kind == "group" && len(ids) > 1:
	default:
		return fmt.Errorf("%q is no expected answer", expected)
	}
	for i, id := range ids {
		if tt.place(id) < 0 || slices.Contains(ids[:i], id) {
			return fmt.Errorf("%q: %q is not at the table, or there twice", expected, id)
		}
	}
	return nil
}

// checkTruthLine checks the form of one line.
func checkTruthLine(tt *truthTable, l *truthLine) error {
	if !slices.Contains(tt.Languages, l.language) {
		return fmt.Errorf("language %q is not spoken at this table", l.language)
	}
	if s, err := strconv.ParseFloat(l.after, 64); err != nil || s < 0 || s > 120 {
		return fmt.Errorf("after is %q, want 0 to 120 s", l.after)
	}
	if l.class == byNPC {
		if tt.place(l.speaker) < 0 || l.expected != "-" || l.also != "-" || l.misheard != "-" || l.heard != "-" {
			return fmt.Errorf("an NPC's line has a speaker of the table and nothing to score: %s", l.row())
		}
		return nil
	}
	if !slices.Contains(tt.Players, l.speaker) || !slices.Contains(truthClasses, l.class) {
		return fmt.Errorf("speaker %q or class %q is unknown", l.speaker, l.class)
	}
	if err := checkExpected(tt, l.expected); err != nil {
		return err
	}
	if l.also == "-" {
		return nil
	}
	if l.also == l.expected {
		return fmt.Errorf("the second accepted answer is the first")
	}
	return checkExpected(tt, l.also)
}

// truthParts are the two thirds for training and the third held back.
var truthParts = []string{"dev", "held"}

// addressParts are these, and lines written later for training.
var addressParts = append([]string{"train"}, truthParts...)

var truthClasses = []string{
	"call", "role", "answer", "follow", "join", "correction", "room", "group", "backchannel", "barge", "misheard",
	"ooc", "rules", "action", "about", "quote", "nameword", "initiative", "player", "outsider", "plan", "dm",
}

func truthLines(t *testing.T, part string) []truthLine {
	t.Helper()
	lines, err := repository.truthLines(part)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func truthTables(t *testing.T) map[string]*truthTable {
	t.Helper()
	tables, err := repository.truthTables()
	if err != nil {
		t.Fatal(err)
	}
	return tables
}

// TestTruthLinesHaveTheirForm checks every row against its table, and the rows
// of a sequence together.
func TestTruthLinesHaveTheirForm(t *testing.T) {
	tables := truthTables(t)
	for name, tt := range tables {
		if n := len(tt.NPCs); n < 3 || n > 8 || !slices.Contains(tt.Players, tt.DM) {
			t.Errorf("table %s has %d NPCs, want 3 to 8, and its DM among the players", name, n)
		}
	}
	seen := map[string]bool{}
	closed := map[string]bool{}
	for _, part := range addressParts {
		var before truthLine
		n := 0
		for _, l := range truthLines(t, part) {
			if seen[l.id] {
				t.Errorf("%s.tsv: %s is there twice", part, l.id)
			}
			seen[l.id] = true
			tt := tables[l.table]
			if tt == nil {
				t.Errorf("%s.tsv: %s: table %q is not in tables.yaml", part, l.id, l.table)
				continue
			}
			if err := checkTruthLine(tt, &l); err != nil {
				t.Errorf("%s.tsv: %s: %v", part, l.id, err)
			}
			if n++; l.sequence() != before.sequence() {
				if closed[l.sequence()] {
					t.Errorf("%s.tsv: sequence %s is torn apart or in both parts", part, l.sequence())
				}
				closed[l.sequence()], n = true, 1
			} else if l.table != before.table || l.language != before.language {
				t.Errorf("%s.tsv: %s changes table or language within its sequence", part, l.id)
			}
			if want := fmt.Sprintf("%s/%02d", l.sequence(), n); l.id != want || n > 16 {
				t.Errorf("%s.tsv: id %q, want %q and at most 16 lines", part, l.id, want)
			}
			before = l
		}
	}
}

// TestTruthHasItsShare checks that the corpus has the promised share of each
// kind.
func TestTruthHasItsShare(t *testing.T) {
	type cell struct{ part, language, class string }
	count := map[cell]int{}
	lines, none := map[string]int{}, map[string]int{} // by part and language
	sequences := map[string]int{}
	tables := map[string]bool{}
	texts := map[string]string{}
	for _, part := range truthParts {
		for _, l := range truthLines(t, part) {
			sequences[l.sequence()]++
			tables[l.table] = true
			if l.class == byNPC {
				continue
			}
			key := l.language + " " + strings.ToLower(l.text)
			if other := texts[key]; other != "" {
				t.Errorf("%s and %s say the same", other, l.id)
			}
			texts[key] = l.id
			count[cell{part, l.language, l.class}]++
			lines[part+" "+l.language]++
			if l.expected == "none" {
				none[part+" "+l.language]++
			}
		}
	}
	english := lines["dev en"] + lines["held en"]
	german := lines["dev de"] + lines["held de"]
	if all := english + german; all < 1300 || len(sequences) < 150 || len(tables) < 6 {
		t.Errorf("%d lines in %d sequences at %d tables, want 1300 in 150 at 6", all, len(sequences), len(tables))
	}
	if share := float64(german) / float64(english+german); share < 0.45 || share > 0.55 {
		t.Errorf("%.1f %% of the lines are German, want 45 to 55 %%", 100*share)
	}
	for of, n := range lines {
		if share := float64(none[of]) / float64(n); share < 0.45 || share > 0.55 {
			t.Errorf("%.1f %% of %s are for nobody, want 45 to 55 %%", 100*share, of)
		}
	}
	for name, n := range sequences {
		if n < 4 {
			t.Errorf("sequence %s has %d lines, want 4 at least", name, n)
		}
	}
	for _, part := range truthParts {
		for _, language := range []string{"en", "de"} {
			for _, class := range truthClasses {
				if count[cell{part, language, class}] < 3 {
					t.Errorf("%s.tsv has %d lines of class %s in %s, want 3 at least", part, count[cell{part, language, class}], class, language)
				}
			}
		}
	}
}

// TestTruthKeepsItsHeldThird checks the held lines against the fixed list of
// sequences.
func TestTruthKeepsItsHeldThird(t *testing.T) {
	data, err := os.ReadFile(repository.addressPart("sequences"))
	if err != nil {
		t.Fatal(err)
	}
	part := map[string]string{}
	held := 0
	for row := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n") {
		c := strings.Split(row, "\t")
		if len(c) != 4 {
			t.Fatalf("sequences.tsv: want 4 columns: %q", row)
		}
		if c[0] == "sequence" {
			continue
		}
		if part[c[0]] != "" || !slices.Contains(truthClasses, c[2]) || !slices.Contains(truthParts, c[3]) {
			t.Errorf("sequences.tsv: twice, or of an unknown class or part: %q", row)
		}
		part[c[0]] = c[3]
		if c[3] == "held" {
			held++
		}
	}
	if share := float64(held) / float64(len(part)); share < 0.30 || share > 0.36 {
		t.Errorf("%d of %d sequences are held back, want a third", held, len(part))
	}
	for _, p := range truthParts {
		for _, l := range truthLines(t, p) {
			if part[l.sequence()] != p {
				t.Errorf("%s.tsv has %s, which sequences.tsv has in %q", p, l.id, part[l.sequence()])
			}
		}
	}
}

// TestTruthIsHeard derives a recogniser's text from the written one; with
// -update it writes the result into the files.
func TestTruthIsHeard(t *testing.T) {
	tables := truthTables(t)
	for _, part := range addressParts {
		lines := truthLines(t, part)
		rows := []string{truthHeader}
		for i := range lines {
			l := &lines[i]
			if l.class != byNPC && tables[l.table] != nil {
				want, err := hear(tables[l.table], l)
				if err != nil {
					t.Errorf("%s.tsv: %s: %v", part, l.id, err)
				}
				if want != l.heard && !*updateHeard {
					t.Errorf("%s.tsv: %s is heard as %q, want %q (-update writes it)", part, l.id, l.heard, want)
				}
				l.heard = want
			}
			rows = append(rows, l.row())
		}
		if *updateHeard && !t.Failed() {
			if err := os.WriteFile(repository.addressPart(part), []byte(strings.Join(rows, "\n")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

var (
	notWord     = regexp.MustCompile(`[^\p{L}\p{N}']+`)
	endsClause  = regexp.MustCompile(`[.!?…:]["”]?$`)
	hesitations = map[string][]string{"en": {"uh", "um", "er", "erm"}, "de": {"äh", "ähm"}}
)

// hear returns a line as a recogniser without punctuation and sentence capitals
// delivers it: English in lower case, German with the capitals inside sentences
// and of names, without hesitations, and with names misheard as noted beside
// the line.
func hear(tt *truthTable, l *truthLine) (string, error) {
	var words []string
	start := true
	for token := range strings.FieldsSeq(l.text) {
		for w := range strings.FieldsSeq(notWord.ReplaceAllString(token, " ")) {
			w = strings.Trim(w, "'")
			if w == "" || slices.Contains(hesitations[l.language], strings.ToLower(w)) {
				continue
			}
			if l.language == "en" || start && !tt.isName(w) {
				w = strings.ToLower(w)
			}
			words = append(words, w)
			start = false
		}
		start = start || endsClause.MatchString(token)
	}
	heard := " " + strings.Join(words, " ") + " "
	if l.misheard == "-" {
		return strings.TrimSpace(heard), nil
	}
	for swap := range strings.SplitSeq(l.misheard, ";") {
		said, made, ok := strings.Cut(swap, "=")
		at := strings.Index(strings.ToLower(heard), " "+said+" ")
		if !ok || at < 0 {
			return "", fmt.Errorf("%q is not in what was said", swap)
		}
		heard = heard[:at+1] + made + heard[at+1+len(said):]
	}
	return strings.TrimSpace(heard), nil
}
