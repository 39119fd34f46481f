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

func TestUnknownLanguagesAreRefused(t *testing.T) {
	book := ruleslookup.Lazy(fstest.MapFS{"rules.yaml": {Data: []byte(strings.Replace(askedRules, "de:", "fr:", 1))}})
	if err := book.Warm(); err == nil || !strings.Contains(err.Error(), `"fr"`) || !strings.Contains(err.Error(), "rules.yaml") {
		t.Errorf("error %v does not name the key", err)
	}
}
