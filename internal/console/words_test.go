package console_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// translated matches the texts of a page that are to be there in each language. Those that
// are made of a word and a value, such as `route ${x}`, are not among them.
var (
	translated = regexp.MustCompile(`\bt\("([^"]+)"`)
	listed     = regexp.MustCompile(`name: "([^"]+)", load`)
	entry      = regexp.MustCompile(`"([^"]+)": "([^"]*)"`)
	place      = regexp.MustCompile(`\{[a-z]+\}`)
)

func TestEveryTextIsThereInGerman(t *testing.T) {
	read := func(name string) string {
		raw, err := os.ReadFile(filepath.Join("web", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	german := map[string]string{}
	for _, m := range entry.FindAllStringSubmatch(read("german.js"), -1) {
		german[m[1]] = m[2]
	}
	english := map[string]string{}
	for _, m := range entry.FindAllStringSubmatch(read("words.js"), -1) {
		english[m[1]] = m[2]
	}
	files, err := filepath.Glob("web/*.js")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d modules, %v", len(files), err)
	}
	wanted := map[string]string{}
	for _, file := range files {
		text := read(filepath.Base(file))
		for _, m := range append(translated.FindAllStringSubmatch(text, -1), listed.FindAllStringSubmatch(text, -1)...) {
			wanted[m[1]] = m[1]
		}
	}
	for key, text := range english {
		wanted[key] = text
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
