package srd_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// figures are the reference values of one spell. Dice, Save, Area and Price are
// empty for spells without them, or whose value follows only from prose.
type figures struct {
	Level         int      `json:"level"`
	School        string   `json:"school"`
	CastingTime   string   `json:"casting_time"`
	Range         string   `json:"range"`
	Components    string   `json:"components"`
	Duration      string   `json:"duration"`
	Concentration bool     `json:"concentration"`
	Ritual        bool     `json:"ritual"`
	Classes       []string `json:"classes"`
	// Dice are all dice of damage, healing and growth ("8d6").
	Dice []string `json:"dice"`
	// Save is the ability of the saving throw.
	Save string `json:"save"`
	// Area is the size, in feet, in the area of effect.
	Area int `json:"area"`
	// Price lists the cost of materials in gold pieces.
	Price []int `json:"gp"`
}

func reference(t *testing.T) map[string]figures {
	t.Helper()
	f, err := os.Open("testdata/spell_figures.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	dec := json.NewDecoder(f)
	dec.DisallowUnknownFields()
	var m map[string]figures
	if err := dec.Decode(&m); err != nil {
		t.Fatalf("decoding %s: %v", f.Name(), err)
	}
	return m
}

func spells(t *testing.T) map[string]entry {
	t.Helper()
	m := byID(t)
	for id, e := range m {
		if e.Spell == nil {
			delete(m, id)
		}
	}
	return m
}

func TestSpellsAndReferenceCoverEachOther(t *testing.T) {
	have, want := spells(t), reference(t)
	if len(have) < 75 {
		t.Errorf("%d spells, want at least 75", len(have))
	}
	levels := map[int]int{}
	for id, e := range have {
		levels[e.Spell.Level]++
		if _, ok := want[id]; !ok {
			t.Errorf("%s has no reference figures", id)
		}
	}
	for id := range want {
		if _, ok := have[id]; !ok {
			t.Errorf("%s has reference figures but no entry", id)
		}
	}
	for level := range 10 {
		if levels[level] < 10 {
			t.Errorf("%d spells of level %d, want at least 10", levels[level], level)
		}
	}
}

func TestSpellBlocksMatchReference(t *testing.T) {
	want := reference(t)
	for id, e := range spells(t) {
		letters, _, _ := strings.Cut(e.Spell.Components, " (")
		origin, _, _ := strings.Cut(e.Spell.Range, " (")
		w := want[id]
		rows := []struct{ name, got, want string }{
			{"level", strconv.Itoa(e.Spell.Level), strconv.Itoa(w.Level)},
			{"school", e.Spell.School, w.School},
			{"casting_time", e.Spell.CastingTime, w.CastingTime},
			{"range", origin, w.Range},
			{"components", strings.ReplaceAll(letters, ", ", ""), w.Components},
			{"duration", e.Spell.Duration, w.Duration},
			{"concentration", strconv.FormatBool(e.Spell.Concentration), strconv.FormatBool(w.Concentration)},
			{"ritual", strconv.FormatBool(e.Spell.Ritual), strconv.FormatBool(w.Ritual)},
			{"classes", strings.Join(e.Spell.Classes, " "), strings.Join(w.Classes, " ")},
		}
		for _, row := range rows {
			if row.got != row.want {
				t.Errorf("%s: %s = %q, want %q", id, row.name, row.got, row.want)
			}
		}
	}
}

// proseDice are dice without a field in the reference.
func proseDice() map[string][]string {
	return map[string][]string{
		"spell-arcane-hand":     {"2d6"},
		"spell-bane":            {"1d4"},
		"spell-bless":           {"1d4"},
		"spell-color-spray":     {"6d10", "2d10"},
		"spell-control-weather": {"1d4"},
		"spell-earthquake":      {"1d6", "1d10"},
		"spell-enhance-ability": {"2d6"},
		"spell-enlarge-reduce":  {"1d4"},
		"spell-flame-blade":     {"1d6"},
		"spell-guidance":        {"1d4"},
		"spell-heroes-feast":    {"2d10"},
		"spell-resistance":      {"1d4"},
		"spell-sleep":           {"2d8"},
		"spell-time-stop":       {"1d4"},
		"spell-wall-of-ice":     {"1d6"},
		"spell-wall-of-thorns":  {"1d8"},
		"spell-wish":            {"2d4"},
	}
}

func TestSpellDiceMatchReference(t *testing.T) {
	want, extra := reference(t), proseDice()
	dice := regexp.MustCompile(`\b[0-9]+d[0-9]+\b`)
	for id, e := range spells(t) {
		expected := slices.Concat(want[id].Dice, extra[id])
		got := dice.FindAllString(e.Text, -1)
		for _, d := range expected {
			if !slices.Contains(got, d) {
				t.Errorf("%s: text lacks %s", id, d)
			}
		}
		for _, d := range append(got, dice.FindAllString(e.Summary, -1)...) {
			if !slices.Contains(expected, d) {
				t.Errorf("%s: %s is not among its dice %v", id, d, expected)
			}
		}
	}
}

func TestSpellTextsNameSaveAreaAndPrice(t *testing.T) {
	want := reference(t)
	for id, e := range spells(t) {
		w := want[id]
		if !strings.Contains(e.Text, w.Save) {
			t.Errorf("%s: text names no %s saving throw", id, w.Save)
		}
		if w.Area > 0 {
			size := regexp.MustCompile(fmt.Sprintf(`\b%d(-foot| feet)`, w.Area))
			if !size.MatchString(strings.ReplaceAll(e.Text, ",", "")) {
				t.Errorf("%s: text lacks its area of %d feet", id, w.Area)
			}
		}
		for _, gp := range w.Price {
			if price := strconv.Itoa(gp) + " gp"; !strings.Contains(strings.ReplaceAll(e.Spell.Components, ",", ""), price) {
				t.Errorf("%s: components %q lack the price of %s", id, e.Spell.Components, price)
			}
		}
		if material := strings.Contains(w.Components, "M"); !material && strings.Contains(e.Spell.Components, "(") {
			t.Errorf("%s: components %q name a material the spell has not", id, e.Spell.Components)
		}
	}
}
