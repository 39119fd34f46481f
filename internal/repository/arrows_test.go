package repository

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/MrWong99/glyphoxa"

// fronts turn people's input into speech, and speech into frames or text. They
// do not import each other.
var fronts = []string{"internal/terminal", "internal/discord", "internal/web"}

// arrows are the imports that docs/architecture.md forbids. The compiler
// rejects cycles; these rules keep the direction. A path stands for the package
// and those below it.
var arrows = []struct {
	why  string
	from []string
	not  []string
	// except lists packages exempt from the rule.
	except []string
}{
	{"the product does not import the lab, because fakes and rigs must not ship",
		[]string{"cmd/glyphoxa", "internal", "pkg", "srd"}, []string{"internal/lab", "pkg/provider/stt/stttest", "internal/repository"}, []string{"internal/lab"}},
	{"only commands know the wiring",
		[]string{"internal", "pkg"}, []string{"internal/app"}, []string{"internal/app"}},
	{"fronts do not know the terminal",
		[]string{"internal/discord", "internal/web", "internal/play"}, []string{"internal/terminal"}, nil},
	{"fronts do not know Discord",
		[]string{"internal/terminal", "internal/web", "internal/play"}, []string{"internal/discord"}, nil},
	{"fronts do not know the pages for browsers",
		[]string{"internal/terminal", "internal/discord", "internal/play"}, []string{"internal/web"}, nil},
	{"the table does not know who opens it",
		[]string{"internal/table", "internal/agent", "internal/engine", "internal/floor", "internal/mixer", "internal/address", "internal/guard", "internal/ear", "internal/speech"},
		append([]string{"internal/play", "internal/mcp/mcpserver"}, fronts...), nil},
	{"the tool host does not know who calls it",
		[]string{"internal/mcp/mcphost", "internal/mcp/tools", "internal/mcp/workflow"},
		append([]string{"internal/table", "internal/agent", "internal/engine", "internal/play", "internal/mcp/mcpserver"}, fronts...), nil},
	{"public packages stand on their own but for small helpers",
		[]string{"pkg"},
		append([]string{"internal/config", "internal/table", "internal/agent", "internal/engine", "internal/play", "internal/mcp", "internal/world", "internal/providers"}, fronts...), []string{"pkg/glyphoxa"}},
}

// within reports whether pkg is one of paths or below one.
func within(pkg string, paths []string) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return pkg == p || strings.HasPrefix(pkg, p+"/") })
}

// TestArrows checks the imports of all packages, without tests, against the
// rules above.
func TestArrows(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := 0
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		pkg := strings.TrimPrefix(strings.TrimPrefix(words[0], module), "/")
		packages++
		for _, rule := range arrows {
			if !within(pkg, rule.from) || within(pkg, rule.except) {
				continue
			}
			for _, imported := range words[1:] {
				if dep, ok := strings.CutPrefix(imported, module+"/"); ok && within(dep, rule.not) && !within(pkg, []string{dep}) {
					t.Errorf("%s imports %s: %s", pkg, dep, rule.why)
				}
			}
		}
	}
	if packages < 20 {
		t.Errorf("go list shows %d packages, want the whole module", packages)
	}
	for _, rule := range arrows { // a rule about deleted packages would always pass
		for _, path := range slices.Concat(rule.from, rule.not, rule.except) {
			if !strings.Contains(string(out), module+"/"+path+" ") && !strings.Contains(string(out), module+"/"+path+"/") {
				t.Errorf("the rule %q names %s, and there is no such package", rule.why, path)
			}
		}
	}
}
