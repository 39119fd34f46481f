package discord_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	. "github.com/MrWong99/glyphoxa/internal/discord"
)

// entry is a text of the catalogue.
type entry struct{ name, en, de string }

// catalogue reads all texts from the source, including those with counts.
func catalogue(t *testing.T) (all []entry) {
	t.Helper()
	files, err := filepath.Glob("wording*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				ast.Inspect(v, func(n ast.Node) bool {
					c, ok := n.(*ast.CompositeLit)
					if !ok {
						return true
					}
					var both []string
					for _, e := range c.Elts {
						if k, ok := e.(*ast.KeyValueExpr); ok {
							e = k.Value
						}
						if s, ok := constant(e); ok {
							both = append(both, s)
						}
					}
					if len(both) == 0 {
						return true
					}
					both = append(both, "")
					all = append(all, entry{v.Names[0].Name, both[0], both[1]})
					return false
				})
			}
		}
	}
	return all
}

// constant returns the value of a literal string or a sum of them.
func constant(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil
	case *ast.BinaryExpr:
		a, ok := constant(e.X)
		b, too := constant(e.Y)
		return a + b, ok && too
	}
	return "", false
}

var verb = regexp.MustCompile(`%(?:\[(\d+)\])?([a-z%])`)

// filled returns the arguments of a format: the number of each, with its verb.
func filled(format string) (all []string) {
	next := 1
	for _, m := range verb.FindAllStringSubmatch(format, -1) {
		if m[2] == "%" {
			continue
		}
		if m[1] != "" {
			next, _ = strconv.Atoi(m[1])
		}
		all = append(all, fmt.Sprint(next, m[2]))
		next++
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// TestEveryTextIsInBothLanguages also checks that both languages take the same arguments.
func TestEveryTextIsInBothLanguages(t *testing.T) {
	all := catalogue(t)
	if len(all) < 50 {
		t.Fatalf("the catalogue has %d texts; the test does not find them", len(all))
	}
	for _, e := range all {
		if strings.TrimSpace(e.en) == "" || strings.TrimSpace(e.de) == "" {
			t.Errorf("%s: English %q, German %q", e.name, e.en, e.de)
		}
		if a, b := filled(e.en), filled(e.de); !slices.Equal(a, b) {
			t.Errorf("%s: the English takes %q, the German %q", e.name, a, b)
		}
		for _, prefix := range []string{"Cmd", "Opt", "Choice"} {
			if n := max(utf8.RuneCountInString(e.en), utf8.RuneCountInString(e.de)); strings.HasPrefix(e.name, prefix) && n > 100 {
				t.Errorf("%s has %d characters; Discord shows 100 of a description", e.name, n)
			}
		}
	}
}

// programmers matches jargon that players should not read.
var programmers = regexp.MustCompile(`(?i)\b(P50|P95|P99|MCP|JSON|HTTP|API|env(ironment)?|cascaded|engine|token|latency|budget|OPENAI\w*)\b`)

func TestTextsAreForPeopleWhoDoNotProgram(t *testing.T) {
	for _, e := range catalogue(t) {
		texts := []string{e.en, e.de}
		if e.name == "elsewhere" { // its English comes from other packages
			texts = texts[1:]
		}
		for _, text := range texts {
			if m := programmers.FindString(text); m != "" {
				t.Errorf("%s says %q in %q", e.name, m, text)
			}
		}
	}
}

// TestEveryTextIsSaid checks that the bot's source uses each text.
func TestEveryTextIsSaid(t *testing.T) {
	var source strings.Builder
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(raw)
	}
	words := map[string]int{}
	for _, w := range regexp.MustCompile(`\w+`).FindAllString(source.String(), -1) {
		words[w]++
	}
	for _, e := range catalogue(t) {
		if words[e.name] < 2 {
			t.Errorf("%s is said nowhere", e.name)
		}
	}
}

func TestLanguages(t *testing.T) {
	for tag, want := range map[string]Language{"de": German, "de-AT": German, "DE_ch": German, "en-US": English, "fr": English, "": English, "den": English} {
		if got := LanguageOf(tag); got != want {
			t.Errorf("LanguageOf(%q) = %d, want %d", tag, got, want)
		}
	}
}

func TestPhrases(t *testing.T) {
	lost := Text{"%s lost %s", "%[2]s ging %[1]s verloren"}
	keys := Count{Text{"one key", "ein Schlüssel"}, Text{"%d keys", "%d Schlüssel"}}
	cause := errors.New("gone")
	p := lost.With("Bartok", keys.Of(2))
	if got := p.Error(); got != "Bartok lost 2 keys" {
		t.Errorf("in English %q", got)
	}
	if got := TranslateError(German, p); got != "2 Schlüssel ging Bartok verloren" {
		t.Errorf("in German %q", got)
	}
	if got := keys.In(German, 1); got != "ein Schlüssel" {
		t.Errorf("one is %q", got)
	}
	if !errors.Is(fmt.Errorf("losing: %w", p), lost.With()) || errors.Is(p, Text{"other", "anders"}.With()) || !errors.Is(lost.With("x", cause), cause) {
		t.Error("a phrase is not known by its text, or does not wrap what is filled in")
	}
	if got := TranslateError(English, cause); got != "gone" {
		t.Errorf("another error is %q", got)
	}
}
