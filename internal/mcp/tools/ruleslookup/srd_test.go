package ruleslookup_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp/tools/ruleslookup"
	"github.com/MrWong99/glyphoxa/srd"
)

func srdBook(t testing.TB) *ruleslookup.Book {
	t.Helper()
	book := ruleslookup.BuiltIn()
	if err := book.Warm(); err != nil {
		t.Fatalf("opening the embedded rules: %v", err)
	}
	return book
}

// questions are worded as players and models ask, with the rule that must rank first; if
// two rules answer equally well, both are given.
func questions() []struct{ kind, query, want string } {
	return []struct{ kind, query, want string }{
		// names, as get_rule's ids are looked up
		{"name", "blinded", "condition-blinded"},
		{"name", "Fireball", "spell-fireball"},
		{"name", "hunter's mark", "spell-hunters-mark"},
		{"name", "cone of cold", "spell-cone-of-cold"},
		{"name", "light", "spell-light"},
		{"name", "death saving throw", "combat-death-saving-throw"},
		{"name", "opportunity attack", "combat-opportunity-attack"},
		{"name", "Concentration", "general-concentration"},
		{"name", "heal", "spell-heal"},
		{"name", "shield", "spell-shield"},
		{"name", "help", "combat-help"},
		// questions
		{"question", "what does the blinded condition do?", "condition-blinded"},
		{"question", "how does grappling work", "combat-grappling"},
		{"question", "what happens when a character is stunned", "condition-stunned"},
		{"question", "how much damage does fireball do", "spell-fireball"},
		{"question", "how far can I jump", "general-jumping"},
		{"question", "what do I roll when I fall to 0 hit points", "combat-dropping-to-0-hit-points|combat-death-saving-throw|general-death-and-dying"},
		{"question", "how long does a long rest take?", "general-long-rest"},
		{"question", "can I cast two concentration spells at once", "general-concentration"},
		{"question", "what is the range of magic missile", "spell-magic-missile"},
		{"question", "how many spell slots do I have", "general-spell-slots"},
		{"question", "do I get an attack when an enemy walks away from me", "combat-opportunity-attack|combat-disengage"},
		{"question", "how does cover change my armor class", "combat-cover"},
		{"question", "what level is counterspell", "spell-counterspell"},
		{"question", "can a wizard cast spells in armor", "general-casting-in-armor"},
		{"question", "how do critical hits work", "combat-critical-hit"},
		{"question", "who goes first in combat", "combat-initiative"},
		{"question", "how do I calculate my spell save DC", "general-spell-save-dc"},
		{"question", "how much can my character carry", "general-carrying-capacity"},
		{"question", "how many levels of exhaustion until death", "condition-exhaustion|general-exhaustion-effects"},
		{"question", "how do I fight with two swords", "combat-two-weapon-fighting"},
		{"question", "what are the rules for fighting under water", "combat-underwater-combat"},
		// typing and hearing errors
		{"typo", "concentraton", "general-concentration"},
		{"typo", "firebal", "spell-fireball"},
		{"typo", "magic missle damage", "spell-magic-missile"},
		{"typo", "paralized", "condition-paralyzed"},
		{"typo", "oportunity atack", "combat-opportunity-attack"},
		{"typo", "incapacitaded", "condition-incapacitated"},
		{"typo", "what does graple do", "combat-grappling|condition-grappled"},
		{"typo", "invisable", "condition-invisible|spell-invisibility"},
		{"typo", "prestidigitaton", "spell-prestidigitation"},
		{"typo", "initative", "combat-initiative"},
		// wordsIn apart, together, unfinished
		{"joined", "fire ball damage", "spell-fireball"},
		{"joined", "counter spell", "spell-counterspell"},
		{"joined", "mistystep", "spell-misty-step"},
		{"joined", "hitpoints", "combat-hit-points"},
		{"prefix", "eldritch bl", "spell-eldritch-blast"},
		{"prefix", "polymor", "spell-polymorph"},
		// ordinary words for terms that the rules name differently
		{"plain", "take cover behind a wall", "combat-cover"},
		{"plain", "drowning", "general-suffocating"},
		{"plain", "bring someone back from the dead", "spell-raise-dead|spell-revivify|spell-resurrection|spell-true-resurrection"},
		{"plain", "push an enemy over", "combat-shoving"},
		{"plain", "sneak and stay unseen", "combat-hide|skill-stealth"},
		{"plain", "turn into an animal", "spell-polymorph"},
		{"plain", "read someone's mind", "spell-detect-thoughts"},
		{"plain", "teleport a short distance as a bonus action", "spell-misty-step"},
		{"plain", "falling damage", "general-falling"},
		{"plain", "knocked out instead of killed", "combat-knocking-a-creature-out"},
		{"plain", "seeing in the dark", "general-darkvision-sense|spell-darkvision|general-vision-and-light"},
		{"plain", "healing potion or spell to cure wounds", "spell-cure-wounds"},
		{"plain", "two handed weapon in the off hand bonus attack", "combat-two-weapon-fighting"},
		{"plain", "run away without being hit", "combat-disengage"},
		// categories
		{"category", "light spell", "spell-light"},
		{"category", "condition prone", "condition-prone"},
		{"category", "the invisible condition", "condition-invisible"},
		{"category", "darkvision spell", "spell-darkvision"},
		// as players talk at the table
		{"table", "I want to cast shield when the orc hits me", "spell-shield"},
		{"table", "does silence stop a wizard from casting fireball", "spell-silence|spell-fireball"},
		{"table", "can a frightened creature move closer", "condition-frightened"},
		{"table", "is a restrained target easier to hit", "condition-restrained"},
		{"table", "do I have advantage against a prone enemy", "condition-prone|combat-being-prone"},
		{"table", "how do death saves work", "combat-death-saving-throw"},
		{"table", "what's the difference between short and long rest", "general-short-rest|general-long-rest"},
		{"table", "when can I use a bonus action", "combat-bonus-action"},
		{"table", "how do I ready an action", "combat-ready"},
		{"table", "how do I stabilize a dying friend", "combat-stabilizing-a-creature|general-stabilising"},
		{"table", "can I hide in dim light", "combat-hide|general-vision-and-light|general-dim-light"},
		{"table", "how does advantage and disadvantage work", "general-advantage-and-disadvantage"},
		{"table", "what does poisoned do to attack rolls", "condition-poisoned"},
		{"table", "how does two weapon fighting work", "combat-two-weapon-fighting"},
		{"table", "what happens if I am surprised", "combat-surprise"},
		{"table", "how high can I climb", "general-climbing-and-swimming"},
		{"table", "how do temporary hit points stack", "combat-temporary-hit-points"},
		{"table", "can I cast a ritual without a spell slot", "general-rituals"},
		{"table", "what are verbal and somatic components", "general-spell-components"},
		{"table", "how fast do we travel in a day", "general-travel-pace"},
		{"table", "how many magic items can I attune to", "general-attunement"},
		{"table", "fighting on horseback", "combat-mounted-combat"},
		{"table", "shooting a bow next to an enemy", "combat-ranged-attacks-in-close-combat|combat-ranged-attack"},
		{"table", "resistance to fire damage", "combat-damage-resistance-and-vulnerability|spell-protection-from-energy"},
		{"table", "which spell lets me talk to animals", "spell-speak-with-animals"},
		{"table", "spell to open a locked door", "spell-knock"},
		{"table", "walk on water", "spell-water-walk"},
		{"table", "make me invisible", "spell-invisibility|condition-invisible"},
		{"table", "web spell saving throw", "spell-web"},
		{"table", "charm person duration", "spell-charm-person"},
		{"table", "what is the DC of a hard task", "general-difficulty-class"},
		// German, which the aliases cover
		{"german", "geblendet", "condition-blinded"},
		{"german", "was passiert bei Erschöpfung?", "condition-exhaustion|general-exhaustion-effects"},
		{"german", "was macht der Zustand vergiftet", "condition-poisoned"},
		{"german", "Wie funktioniert der Zauber Wunsch", "spell-wish"},
	}
}

func TestQuestionsFindTheirRule(t *testing.T) {
	tool := toolNamed(t, srdBook(t), "search_rules")
	first, among := 0, 0
	list := questions()
	for _, q := range list {
		got := search(t, tool, q.query).ids()
		want := strings.Split(q.want, "|")
		if len(got) > 0 && slices.Contains(want, got[0]) {
			first++
		} else {
			t.Logf("%s: search(%q) = %v, want %s first", q.kind, q.query, got, q.want)
		}
		if slices.ContainsFunc(got, func(id string) bool { return slices.Contains(want, id) }) {
			among++
		}
	}
	t.Logf("first: %d of %d, among the first five: %d", first, len(list), among)
	if first*100 < len(list)*90 {
		t.Errorf("the right rule came first for %d of %d questions, want at least 90 %%", first, len(list))
	}
	if among*100 < len(list)*95 {
		t.Errorf("the right rule was among the first five for %d of %d questions, want at least 95 %%", among, len(list))
	}
}

// A rule's name must always find the rule, whatever other rules mention it.
func TestEveryNameAndIDFindsItsRule(t *testing.T) {
	book := srdBook(t)
	find, get := toolNamed(t, book, "search_rules"), toolNamed(t, book, "get_rule")
	for _, r := range allRules(t) {
		res := search(t, find, r.Name)
		if res.Count == 0 || res.Results[0].Name != r.Name || res.Results[0].Score != 1 {
			t.Errorf("search(%q) = %v, want the rule of that name first", r.Name, res.ids())
		}
		if out, err := get.Handler(t.Context(), `{"id":"`+r.ID+`"}`); err != nil || !strings.HasPrefix(out, `{"id":"`+r.ID+`"`) {
			t.Errorf("get_rule(%q) = %.60s, %v, want that rule", r.ID, out, err)
		}
		for _, alias := range r.Aliases {
			ids := search(t, find, alias).ids()
			if !slices.Contains(ids, r.ID) {
				t.Errorf("search(%q) = %v, want %s among them: it is an alias", alias, ids, r.ID)
			}
		}
	}
}

func TestSRDProbes(t *testing.T) {
	for _, tool := range ruleslookup.NewTools(ruleslookup.BuiltIn()) {
		out, err := tool.Handler(t.Context(), tool.Probe)
		if err != nil || !strings.Contains(out, `"condition-blinded"`) {
			t.Errorf("%s %s = %s, %v, want condition-blinded", tool.Definition.Name, tool.Probe, out, err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		srdBook(b)
	}
}

func BenchmarkSearchRules(b *testing.B) {
	tool := toolNamed(b, srdBook(b), "search_rules")
	for _, row := range []struct{ name, args string }{
		{"name", `{"query":"fireball"}`},
		{"question", `{"query":"what does the blinded condition do?"}`},
		{"typos", `{"query":"oportunity atack"}`},
		{"unknown_words", `{"query":"` + strings.Repeat("xylophonist qwertyuiop ", 12) + `"}`},
	} {
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := tool.Handler(b.Context(), row.args); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("all_questions", func(b *testing.B) {
		var took []time.Duration
		for b.Loop() {
			for _, q := range questions() {
				start := time.Now()
				search(b, tool, q.query)
				took = append(took, time.Since(start))
			}
		}
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
		b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "p95-µs")
		b.ReportMetric(float64(took[len(took)-1].Microseconds()), "max-µs")
	})
}

func BenchmarkGetRule(b *testing.B) {
	tool := toolNamed(b, srdBook(b), "get_rule")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := tool.Handler(b.Context(), `{"id":"spell-fireball"}`); err != nil {
			b.Fatal(err)
		}
	}
}

// TestCompiledRulesAreCurrent compares the embedded rules with the files they are built
// from.
func TestCompiledRulesAreCurrent(t *testing.T) {
	compiled, err := ruleslookup.ReadCompiled(srd.Compiled)
	if err != nil {
		t.Fatal(err)
	}
	again, err := ruleslookup.Compile(srd.FS)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := ruleslookup.ReadCompiled(again)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(compiled, parsed) {
		t.Error("srd/rules.gob.gz is out of date; run: go generate ./srd")
	}
}

// BenchmarkFirstGetRule measures a process's first call, which loads the rules.
func BenchmarkFirstGetRule(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		tool := toolNamed(b, ruleslookup.BuiltIn(), "get_rule")
		if _, err := tool.Handler(b.Context(), `{"id":"spell-fireball"}`); err != nil {
			b.Fatal(err)
		}
	}
}
