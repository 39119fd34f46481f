package repository

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// standIn is a search engine and an image model on this machine, with the
// interfaces of SearXNG and Gemini.
type standIn struct {
	mu    sync.Mutex // guards asked
	asked []string
}

// dot is a picture of one pixel.
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.asked = append(s.asked, r.URL.Path+"?"+r.URL.RawQuery+" "+string(body))
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.URL.Path == "/search":
		io.WriteString(w, `{"results":[{"title":"Bells of bronze","url":"http://bells.example/1","content":"How bells are cast.","engine":"x","score":1}]}`)
	case strings.HasSuffix(r.URL.Path, ":generateContent"):
		io.WriteString(w, `{"candidates":[{"content":{"role":"model","parts":[{"inlineData":{"mimeType":"image/png","data":"`+dot+`"}}]},"finishReason":"STOP"}]}`)
	default:
		http.NotFound(w, r)
	}
}

func (s *standIn) wasAsked(words string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.asked {
		if strings.Contains(a, words) {
			return true
		}
	}
	return false
}

// lastYAML returns the last configuration on a page.
func lastYAML(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	all := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(all) == 0 {
		t.Fatalf("%s shows no configuration", page)
	}
	return all[len(all)-1][1]
}

// TestDeepServersOfThePage runs the servers of docs/deep-tools.md as configured
// there, except for paths and addresses, with the built program: their tools
// are offered only in deep turns, and work.
func TestDeepServersOfThePage(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	modules, err := filepath.Abs("testdata/peers/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mcp-searxng", "mcp-image"} {
		if _, err := os.Stat(filepath.Join(modules, name)); err != nil {
			lacks(t, name+" is not installed in testdata/peers")
		}
	}
	node := program(t, "node")
	services := &standIn{}
	srv := httptest.NewServer(services)
	defer srv.Close()
	dir := t.TempDir()
	yaml := strings.NewReplacer(
		"npx -y mcp-searxng@2.4.0", node+" "+filepath.Join(modules, "mcp-searxng", "dist", "cli.js"),
		"npx -y mcp-image@0.14.0", node+" "+filepath.Join(modules, "mcp-image", "dist", "index.js"),
		"http://127.0.0.1:8080", srv.URL,
		"call_timeout:", "connect_timeout: 5m\n      call_timeout:", // Node is slow to start on a busy machine
		`"${GEMINI_API_KEY:-}"`, `not-a-key-of-anybody, GOOGLE_GEMINI_BASE_URL: "`+srv.URL+`"`,
		"/var/lib/glyphoxa/pictures", filepath.Join(dir, "pictures"),
	).Replace(lastYAML(t, "docs/deep-tools.md"))
	yaml = strings.Replace(yaml, "GEMINI_API_KEY: not-a-key-of-anybody, ", "GEMINI_API_KEY: not-a-key-of-anybody\n        ", 1)
	for _, version := range []string{`mcp-searxng": "2.4.0"`, `mcp-image": "0.14.0"`} {
		if packages, err := os.ReadFile("testdata/peers/package.json"); err != nil || !strings.Contains(string(packages), version) {
			t.Errorf("the peers are not of the page's versions: %s (%v)", version, err)
		}
	}
	binary, file := builtProgram(t), filepath.Join(dir, "glyphoxa.yaml")
	if err := os.WriteFile(file, []byte("data_dir: "+filepath.Join(dir, "data")+"\n"+yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		t.Helper()
		var complaints strings.Builder
		cmd := exec.CommandContext(t.Context(), binary, append(args, "--config", file)...)
		cmd.Stderr = &complaints
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("glyphoxa %s: %v\n%s", strings.Join(args, " "), err, complaints.String())
		}
		return string(out)
	}
	for tier, want := range map[string]bool{"standard": false, "deep": true} {
		offered := run("tools", "--tier", tier)
		for _, name := range []string{"searxng_web_search", "generate_image", "investigate"} {
			if strings.Contains(offered, name) != want {
				t.Errorf("offered in %s turns: %v, want %s to be there: %v", tier, offered, name, want)
			}
		}
	}
	if found := run("tools", "call", "searxng_web_search", `{"query":"bronze bells"}`); !strings.Contains(found, "http://bells.example/1") || !services.wasAsked("q=bronze") {
		t.Errorf("the web search returned %s", found)
	}
	made := run("tools", "call", "generate_image", `{"prompt":"a bell without a clapper"}`)
	if !json.Valid([]byte(made)) || !services.wasAsked("a bell without a clapper") {
		t.Errorf("the picture's maker returned %s", made)
	}
	if pictures, err := filepath.Glob(filepath.Join(dir, "pictures", "*.png")); err != nil || len(pictures) != 1 {
		t.Errorf("pictures made: %q, %v; want one", pictures, err)
	}
}
