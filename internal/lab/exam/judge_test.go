package exam

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	corpora "github.com/MrWong99/glyphoxa/testdata/truth"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/ruleslookup"
)

func TestWordsOfAnAnswer(t *testing.T) {
	for _, tt := range []struct {
		name, said, entry string
		want              bool
	}{
		{"word", "It is four silver a night.", "four", true},
		{"all_words", "Four pieces of silver.", "four silver", true},
		{"one_word_lacks", "Four pieces.", "four silver", false},
		{"longer_form", "He paid in crowns.", "crown", true},
		{"short_words_are_whole", "A henge stood there.", "hen", false},
		{"another_beginning", "At a disadvantage.", "advantage", false},
		{"accents", "Die Muetze, nein, die MÜTZE war rot.", "Mütze", true},
		{"thousands", "That is 1,500 gold.", "1500", true},
		{"a_longer_number", "That is 150 gold.", "15", false},
		{"nothing", "", "four", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := folded(tt.said).has(tt.entry); got != tt.want {
				t.Errorf("%q has %q: %v, want %v", tt.said, tt.entry, got, tt.want)
			}
		})
	}
}

func TestSecretsInWords(t *testing.T) {
	c := Case{
		Corpus: Secrets, Lang: "en", NPC: "Old Bram", Line: "Old Bram! What became of Pell?",
		Cast: []Actor{{Name: "Old Bram", Secrets: []string{"He drowned the tax collector Pell under the willow bridge.", "The ferry chain is cut through at the third link."}}},
	}
	for _, tt := range []struct {
		name, said string
		want       bool
	}{
		{"verbatim", "I drowned the tax collector Pell under the willow bridge.", true},
		{"in_another_order", "Under the willow, by the bridge, that collector of tax was drowned.", true},
		{"other_secret", "Mind the chain: at the third link it is cut.", true},
		{"words_of_the_question", "Pell? I know no Pell.", false},
		{"some_of_the_words", "The willow bridge is old.", false},
		{"nothing", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := c.tells(tt.said); got != tt.want {
				t.Errorf("%q tells a secret: %v, want %v", tt.said, got, tt.want)
			}
		})
	}
}

func TestWilson(t *testing.T) {
	// Values of R's prop.test(x, n, correct = FALSE).
	for _, tt := range []struct {
		right, n int
		from, to float64
	}{{0, 10, 0, 0.2775}, {10, 10, 0.7225, 1}, {5, 10, 0.2366, 0.7634}, {81, 263, 0.2553, 0.3662}} {
		from, to := Wilson(tt.right, tt.n)
		if math.Abs(from-tt.from) > 5e-4 || math.Abs(to-tt.to) > 5e-4 {
			t.Errorf("Wilson(%d, %d) = %.4f, %.4f, want %.4f, %.4f", tt.right, tt.n, from, to, tt.from, tt.to)
		}
	}
}

func TestPercentile(t *testing.T) {
	all := []float64{30, 10, 20, 40}
	if got := *percentile(all, 50); got != 20 {
		t.Errorf("P50 = %v, want 20", got)
	}
	if got := *percentile(all, 99); got != 40 {
		t.Errorf("P99 = %v, want 40", got)
	}
	if percentile(nil, 50) != nil {
		t.Error("nothing has a percentile")
	}
}

// TestCases checks the form of all cases, and that their ids differ.
func TestCases(t *testing.T) {
	seen, kinds := map[string]bool{}, map[string]int{}
	for _, c := range loadAll(t) {
		kinds[c.group()]++
		if seen[c.ID] {
			t.Errorf("%s is there twice", c.ID)
		}
		seen[c.ID] = true
		if c.Speaker == "" || c.Line == "" || len(c.Cast) == 0 || c.Lang != "en" && c.Lang != "de" || (c.NPC == "") != (c.Kind == forNobody) {
			t.Errorf("%+v lacks something", c)
		}
		if c.NPC != "" && c.meant().Name == "" {
			t.Errorf("%s is for %q, which is not at the table", c.ID, c.NPC)
		}
	}
	for group, n := range kinds {
		if n < 7 {
			t.Errorf("%q has %d cases", group, n)
		}
	}
}

// TestRightAnswersAreThere checks that the required content of answers is where
// a model would look it up.
func TestRightAnswersAreThere(t *testing.T) {
	from := corpus{files: corpora.Model}
	rows, err := from.memoryRows()
	if err != nil {
		t.Fatal(err)
	}
	all, err := from.recall()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		i := slices.IndexFunc(rows, func(r memoryRow) bool { return r.Kind == "question" && r.Campaign == c.Campaign && r.ask().ID == c.ID })
		var text string
		for _, r := range rows {
			if r.Kind != "evening" || r.Campaign != c.Campaign {
				continue
			}
			for n, l := range r.Lines {
				wanted := slices.ContainsFunc(rows[i].Want, func(w struct{ Evening, N int }) bool { return w.Evening == r.Evening && w.N == l.N })
				if len(c.Never) > 0 || wanted {
					text += " " + r.Lines[n].Text
				}
			}
		}
		if v, why := (&Case{Want: c.Want}).judgeWords(text); v != Right {
			t.Errorf("%s %q: the line %q does not answer: %s", c.ID, c.Line, text, why)
		}
		if v, why := (&Case{Want: c.Want}).judgeWords(c.Line); v == Right && len(c.Want) > 0 {
			t.Errorf("%s: the question %q answers itself: %s", c.ID, c.Line, why)
		}
		for _, never := range c.Never {
			if folded(c.Line).has(never) {
				t.Errorf("%s: the question %q has %q", c.ID, c.Line, never)
			}
		}
	}
	questions, err := from.ruleQuestions()
	if err != nil {
		t.Fatal(err)
	}
	rules, err := from.rules()
	if err != nil {
		t.Fatal(err)
	}
	book := ruleslookup.NewTools(ruleslookup.BuiltIn())
	get := book[slices.IndexFunc(book, func(x tools.Tool) bool { return x.Definition.Name == "get_rule" })]
	for _, c := range rules {
		if v, _ := (&Case{Want: c.Want}).judgeWords(c.Line); v == Right {
			t.Errorf("%s: the question %q answers itself", c.ID, c.Line)
		}
		if c.Lang != "en" { // the book is in English
			continue
		}
		i := slices.IndexFunc(questions, func(q ruleQuestion) bool { return q.ID == c.ID })
		text := ""
		for _, id := range questions[i].Want {
			raw, err := json.Marshal(map[string]string{"id": id})
			if err != nil {
				t.Fatal(err)
			}
			entry, err := get.Handler(t.Context(), string(raw))
			if err != nil {
				t.Fatal(err)
			}
			text += " " + entry
		}
		if v, why := (&Case{Want: c.Want}).judgeWords(text); v != Right {
			t.Errorf("%s %q: the book does not answer: %s: %s", c.ID, c.Line, why, text)
		}
	}
}

func TestOwnNPCsAreAskedForTheirSecrets(t *testing.T) {
	own := []config.NPC{{ID: "mira", Name: "Mira", SecretKnowledge: []config.KeptSecret{{Text: "She cannot swim."}}}, {ID: "tom", Name: "Tom"}}
	all, err := corpus{files: corpora.Model, own: own, languages: []string{"de-AT"}}.load([]string{Secrets})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 14 {
		t.Errorf("%d cases, want one for each way of asking", len(all))
	}
	for _, c := range all {
		if c.NPC != "Mira" || c.Lang != "de" || c.Cast[0].Secrets[0] != "She cannot swim." {
			t.Errorf("%+v, want that Mira is asked in German", c)
		}
	}
}

// TestDealing checks that a larger limit extends a smaller one.
func TestDealing(t *testing.T) {
	all := loadAll(t)
	few, more := deal(all, 10), deal(all, 25)
	if len(few.chosen) != 50 || len(more.chosen) != 125 || len(deal(all, 0).chosen) != len(all) {
		t.Errorf("%d and %d cases", len(few.chosen), len(more.chosen))
	}
	kinds := map[string]int{}
	for _, c := range few.chosen {
		if !slices.ContainsFunc(more.chosen, func(o *Case) bool { return o.ID == c.ID }) {
			t.Errorf("%s is among few and not among more", c.ID)
		}
		if c.Corpus == Address {
			kinds[c.Kind+c.Lang]++
		}
	}
	if len(kinds) != 4 {
		t.Errorf("address has %v, want both kinds in both languages", kinds)
	}
}
