package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
)

// TestTopicsAreReadStrictly checks that a problem names the file, the line and the mistake.
func TestTopicsAreReadStrictly(t *testing.T) {
	dir := t.TempDir()
	text := `npcs:
  - name: Mira
    topics:
      - words: {en: [jetty]}
        lines: {en: [Rotten.]}
      - lines: {en: [Hm.]}
      - words: {fr: [quai]}
        lines: {en: [Hm.]}
      - intents: [prise]
        lines: {en: [Two.]}
      - words: {en: [one two three four five]}
        lines: {en: [Hm.]}
      - words: {en: [a]}
        lines: {en: [" "]}
      - words: {en: [b]}
      - words: {en: [c]}
        line: {en: [Hm.]}
        lines: {en: [Hm.]}
      - words: {en: [d]}
        lines: {en: [` + strings.Repeat("x", 401) + `]}
`
	path := filepath.Join(dir, "glyphoxa.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := config.Load(path, nil)
	if err == nil {
		t.Fatal("the faults are not found")
	}
	got := err.Error()
	for _, want := range []string{
		"glyphoxa.yaml:6: topics[1]: the topic has neither words nor intents",
		`glyphoxa.yaml:7: words: unknown key "fr"`,
		`glyphoxa.yaml:9: intents[0]: "prise" is not one of`,
		"glyphoxa.yaml:11: en[0]: an entry has 5 words",
		"glyphoxa.yaml:14: en[0]: the line is empty",
		"glyphoxa.yaml:15: lines: is missing",
		`glyphoxa.yaml:17: topics[7]: unknown key "line"`,
		"glyphoxa.yaml:20: en[0]: the line has 401 characters",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("problems lack %q:\n%s", want, got)
		}
	}
}
