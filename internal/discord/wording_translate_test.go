package discord_test

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	. "github.com/MrWong99/glyphoxa/internal/discord"
)

// root is the root of the repository.
const root = "../.."

// files parses the files of a directory of the repository that match glob, without tests and
// without the catalogue.
func files(t *testing.T, dir, glob string) (all []*ast.File) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, dir, glob))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(filepath.Base(path), "wording") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	return all
}

// constants returns the texts in the product's source, one per line.
func constants(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, top := range []string{"internal", "pkg"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			dir, err := filepath.Rel(root, path)
			if err != nil || strings.Contains(dir, "testdata") {
				return err
			}
			for _, f := range files(t, dir, "*.go") {
				ast.Inspect(f, func(n ast.Node) bool {
					e, ok := n.(ast.Expr)
					if !ok {
						return true
					}
					s, ok := constant(e)
					if ok {
						all.WriteString(strings.ReplaceAll(s, "%%", "%") + "\n")
					}
					return !ok
				})
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all.String()
}

// TestWhatIsTranslatedIsSaid finds each text of elsewhere in its package, so that a changed
// text there fails here.
func TestWhatIsTranslatedIsSaid(t *testing.T) {
	source := constants(t)
	blank := regexp.MustCompile(`%(\[\d+\])?[dqsv]`)
	seen := 0
	for _, e := range catalogue(t) {
		if e.name != "elsewhere" {
			continue
		}
		seen++
		for _, part := range blank.Split(e.en, -1) {
			if part = strings.Trim(part, ":, ()"); len(part) > 3 && !strings.Contains(source, part) {
				t.Errorf("nobody says %q, of %q", part, e.en)
			}
		}
	}
	if seen < 100 {
		t.Errorf("the test finds %d texts", seen)
	}
}

// said describes which texts of a package people may read: arguments of functions, or values of
// fields.
type said struct {
	dir    string
	files  string   // a glob; if empty, all
	funcs  []string // by name, such as forbidden or errors.New
	fields []string // such as Reason
	// not matches texts that are never shown on Discord.
	not string
}

// TestWhatPeopleAreToldIsTranslated checks that every refusal of these packages has a German
// text.
func TestWhatPeopleAreToldIsTranslated(t *testing.T) {
	for _, from := range []said{
		{dir: "internal/mcp/access", funcs: []string{"forbidden"}, fields: []string{"Reason", "Hint"}},
		{dir: "internal/play", files: "guilds*.go", funcs: []string{"errors.New", "fmt.Errorf"}, not: `data_dir|directory of the servers|^(reading|recording|locking|asking|there is no profile) |is full`},
		{dir: "internal/mcp/tools/diceroller", funcs: []string{"p.fault", "p.here"}},
		{dir: "internal/discord/voice", fields: []string{"reason"}, funcs: []string{"k.interrupt", "k.disconnect", "rx.s.fail", "tx.s.fail"},
			not: `was moved|goes to another|was replaced`},
		{dir: "internal/discord", files: "rest*.go", funcs: []string{"errors.New", "fmt.Errorf"}, not: `token|api_url|encoding|^reading|without saying`},
		{dir: "internal/mcp", funcs: []string{"errors.New"}, not: `^(sampling|elicit|no )`},
	} {
		skip := regexp.MustCompile(from.not)
		n := 0
		for _, f := range files(t, from.dir, cmp.Or(from.files, "*.go")) {
			ast.Inspect(f, func(node ast.Node) bool {
				for _, text := range from.texts(node) {
					if from.not != "" && skip.MatchString(text) {
						continue
					}
					n++
					if got := Translate(German, sample(text)); strings.HasPrefix(got, "„") {
						t.Errorf("%s: there is no German for %q", from.dir, text)
					}
				}
				return true
			})
		}
		if n < 4 {
			t.Errorf("%s says %d texts; the test does not find them", from.dir, n)
		}
	}
}

// texts returns the texts in a syntax node.
func (s said) texts(n ast.Node) (all []string) {
	add := func(e ast.Expr) {
		if c, ok := e.(*ast.CallExpr); ok && len(c.Args) > 0 { // fmt.Sprintf, fmt.Errorf
			e = c.Args[0]
		}
		if text, ok := prefixed(e); ok && strings.Contains(text, " ") {
			all = append(all, strings.TrimPrefix(text, "%w: "))
		}
	}
	switch n := n.(type) {
	case *ast.CallExpr:
		var name string
		switch f := n.Fun.(type) {
		case *ast.Ident:
			name = f.Name
		case *ast.SelectorExpr:
			name = selector(f)
		}
		for _, want := range s.funcs {
			if name == want {
				for _, a := range n.Args {
					add(a)
				}
			}
		}
	case *ast.KeyValueExpr:
		if k, ok := n.Key.(*ast.Ident); ok {
			for _, want := range s.fields {
				if k.Name == want {
					add(n.Value)
				}
			}
		}
	case *ast.CompositeLit: // ending{resume, "…"}
		if id, ok := n.Type.(*ast.Ident); ok && id.Name == "ending" && len(s.fields) > 0 && len(n.Elts) == 2 {
			add(n.Elts[1])
		}
		if n.Type == nil && len(s.fields) > 0 && len(n.Elts) == 2 {
			add(n.Elts[1])
		}
	}
	return all
}

// selector returns a dotted name.
func selector(s *ast.SelectorExpr) string {
	switch x := s.X.(type) {
	case *ast.Ident:
		return x.Name + "." + s.Sel.Name
	case *ast.SelectorExpr:
		return selector(x) + "." + s.Sel.Name
	}
	return s.Sel.Name
}

// prefixed returns a text in which each non-constant part is %v.
func prefixed(e ast.Expr) (string, bool) {
	if s, ok := constant(e); ok {
		return s, true
	}
	if b, ok := e.(*ast.BinaryExpr); ok && b.Op == token.ADD {
		x, okX := prefixed(b.X)
		y, okY := prefixed(b.Y)
		switch {
		case okX && okY:
			return x + y, true
		case okX:
			return x + "%v", true
		case okY:
			return "%v" + y, true
		}
	}
	return "", false
}

// sample returns a format with its verbs filled in.
func sample(format string) string {
	return strings.ReplaceAll(verbs.ReplaceAllStringFunc(format, func(v string) string {
		switch v[len(v)-1] {
		case 'd':
			return "7"
		case 'q':
			return `"Old \"Ted\""`
		}
		return "no connection to Discord"
	}), "%%", "%")
}

var verbs = regexp.MustCompile(`%(\[\d+\])?[dqsvw]`)

func TestTranslate(t *testing.T) {
	for text, want := range map[string]string{
		"not allowed at this time; try again later": "das ist um diese Zeit nicht erlaubt; versuch es später noch einmal",
		`calling "roll": invalid arguments: dice expression "2d6x", at character 4, "x": put + or - between two terms`: `der Wurf "2d6x", beim 4. Zeichen, "x": zwischen zwei Teile gehört + oder -`,
		"the sound connection broke: read udp: refused":                                                                "die Tonverbindung ist abgerissen: „read udp: refused“",
		"the voice server crashed; the bot is reconnecting (close code 4015)":                                          "der Sprachserver ist abgestürzt; der Bot verbindet sich wieder (Code 4015)",
		"the model is away: 503": "„the model is away: 503“",
		"":                       "„“",
	} {
		if got := Translate(German, text); got != want {
			t.Errorf("%q is in German %q, want %q", text, got, want)
		}
		if got := Translate(English, text); got != text {
			t.Errorf("%q is in English %q", text, got)
		}
	}
	err := fmt.Errorf("joining: %w", errors.New("gone"))
	if got := TranslateError(German, err); got != "das ging nicht; die Meldung dazu gibt es nur auf Englisch: „joining: gone“" {
		t.Errorf("an error that nobody knows is %q", got)
	}
	if got := VoiceMissing.In(German, err); !strings.Contains(got, "es gibt keinen Ton: „joining: gone“;") {
		t.Errorf("within a sentence it is %q", got)
	}
}

// FuzzTranslate checks that no text makes translate panic.
func FuzzTranslate(f *testing.F) {
	for _, s := range []string{"wait 5s; ask for x", `location: entity "a" is`, "%s %d %!", strings.Repeat("invalid arguments: ", 99), strings.Repeat("; ", 99)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := Translate(German, text); strings.Contains(got, "%!") && !strings.Contains(text, "%!") {
			t.Errorf("%q becomes %q", text, got)
		}
	})
}
