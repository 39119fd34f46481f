package ruleslookup_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/MrWong99/glyphoxa/internal/mcp/tools/ruleslookup"
)

const askedRules = `
- id: general-gate-toll
  category: general
  name: Gate Toll
  asked: {en: "pay the guard to enter the city", de: "Eintritt in die Stadt bezahlen"}
  summary: Two coppers.
  text: Nobody is exempt.
- id: general-night-watch
  category: general
  name: Night Watch
  summary: One hour each.
  text: Take turns.
`

func TestARuleIsFoundByHowItIsAskedFor(t *testing.T) {
	book := ruleslookup.Lazy(fstest.MapFS{"rules.yaml": {Data: []byte(askedRules)}})
	for _, query := range []string{"do we have to pay someone to get into town or city", "Müssen wir für die Stadt Eintritt bezahlen?", "Eintritt Stadt"} {
		if got := search(t, toolNamed(t, book, "search_rules"), query).ids(); len(got) == 0 || got[0] != "general-gate-toll" {
			t.Errorf("%q finds %v", query, got)
		}
	}
	text, err := toolNamed(t, book, "get_rule").Handler(t.Context(), `{"id":"general-gate-toll"}`)
	if err != nil || strings.Contains(text, "guard") {
		t.Errorf("get_rule gives %s, %v, want nothing of how it is asked for", text, err)
	}
}

const askedElsewhere = `
general-gate-toll:
  en:
    - how much do they want at the town gate
    - bribe to get past the sentry
  de: [Zoll am Tor, "was verlangt die Torwache von uns"]
`

func TestAFileOfItsOwnMaySayHowRulesAreAskedFor(t *testing.T) {
	files := fstest.MapFS{"rules.yaml": {Data: []byte(askedRules)}, "asked/all.yaml": {Data: []byte(askedElsewhere)}}
	find := toolNamed(t, ruleslookup.Lazy(files), "search_rules")
	for _, query := range []string{"do they want something at the gate of this town", "we bribe that sentry", "was verlangen die Torwachen", "Muss man hier am Tor Zoll zahlen?", "pay guard city"} {
		if got := search(t, find, query).ids(); len(got) == 0 || got[0] != "general-gate-toll" {
			t.Errorf("%q finds %v", query, got)
		}
	}
}

func TestWhatIsAskedOfNoRuleIsRefused(t *testing.T) {
	files := fstest.MapFS{"rules.yaml": {Data: []byte(askedRules)}, "asked.yaml": {Data: []byte("\ngeneral-gate-tool:\n  en: toll\n")}}
	err := ruleslookup.Lazy(files).Warm()
	if err == nil || !strings.Contains(err.Error(), `asked.yaml:2: there is no rule "general-gate-tool"`) {
		t.Errorf("error %v does not name the rule that is missing, and where", err)
	}
}

// A rule is found by a synonym of its subject if the query also has a word from the rule.
func TestOtherWordsForTheSameLiftARule(t *testing.T) {
	const rules = `
- {id: general-a, category: general, name: Amber, summary: The ship sails over the ocean., text: Nothing.}
- {id: general-b, category: general, name: Beryl, summary: The ship rises over the mountain., text: Nothing.}
`
	find := toolNamed(t, ruleslookup.Lazy(fstest.MapFS{"rules.yaml": {Data: []byte(rules)}}), "search_rules")
	for query, want := range map[string]string{"a ship on waves in the sea": "general-a", "the ship climbs a steep hill": "general-b"} {
		if got := search(t, find, query).ids(); len(got) == 0 || got[0] != want {
			t.Errorf("%q finds %v, want %s first", query, got, want)
		}
	}
}

func TestUnknownLanguagesAreRefused(t *testing.T) {
	book := ruleslookup.Lazy(fstest.MapFS{"rules.yaml": {Data: []byte(strings.Replace(askedRules, "de:", "fr:", 1))}})
	if err := book.Warm(); err == nil || !strings.Contains(err.Error(), `"fr"`) || !strings.Contains(err.Error(), "rules.yaml") {
		t.Errorf("error %v does not name the key", err)
	}
}
