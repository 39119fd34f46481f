package web_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// translated matches the texts of a page that need a translation. Texts made of a word and a
// value, such as `route ${x}`, are excluded.
var (
	translated = regexp.MustCompile(`\bt\("([^"]+)"`)
	listed     = regexp.MustCompile(`name: "([^"]+)", load`)
	entry      = regexp.MustCompile(`"([^"]+)": "([^"]*)"`)
	place      = regexp.MustCompile(`\{[a-z]+\}`)
)

func TestEveryTextIsThereInGerman(t *testing.T) {
	for page, modules := range map[string]int{"console": 10, "room": 10} {
		t.Run(page, func(t *testing.T) { checkWords(t, page, modules) })
	}
}

// checkWords checks that every text of a page has a German translation, and that the page has
// at least the given number of modules.
func checkWords(t *testing.T, page string, modules int) {
	read := func(name string) string {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	german, wanted := map[string]string{}, map[string]string{}
	for _, name := range []string{filepath.Join(page, "german.js"), filepath.Join("shared", "language.js")} {
		for _, m := range entry.FindAllStringSubmatch(read(name), -1) {
			german[m[1]] = m[2]
		}
	}
	files, err := filepath.Glob(filepath.Join(page, "*.js"))
	if err != nil || len(files) < modules {
		t.Fatalf("%d modules, %v", len(files), err)
	}
	shared, err := filepath.Glob("shared/*.js")
	if err != nil || len(shared) == 0 {
		t.Fatalf("%d shared modules, %v", len(shared), err)
	}
	for _, file := range append(files, shared...) {
		text := read(file)
		for _, m := range append(translated.FindAllStringSubmatch(text, -1), listed.FindAllStringSubmatch(text, -1)...) {
			wanted[m[1]] = m[1]
		}
	}
	for _, m := range entry.FindAllStringSubmatch(read(filepath.Join(page, "words.js")), -1) {
		wanted[m[1]] = m[2]
	}
	for key, text := range wanted {
		other, ok := german[key]
		if !ok {
			t.Errorf("german.js lacks %q", key)
			continue
		}
		for _, p := range place.FindAllString(text, -1) {
			if !strings.Contains(other, p) {
				t.Errorf("the German of %q lacks %s", key, p)
			}
		}
	}
}
