package main_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
)

const indexedTable = `data_dir: data
providers:
  llm: offline
  tts: silent
  stt: none
  embeddings: {name: openai, base_url: "${EMBEDDER_URL}", model: "${EMBEDDER}"}
npcs:
  - name: Bart
`

// embedded counts how often the embedder received each line as a fact.
func embedded(s *fakeopenai.Server) map[string]int {
	n := map[string]int{}
	for _, r := range s.Requests() {
		var body struct{ Input []string }
		if json.Unmarshal(r.Body, &body) != nil {
			continue
		}
		for _, text := range body.Input {
			if strings.HasPrefix(text, "Player: ") {
				n[text]++
			}
		}
	}
	return n
}

// meant counts the facts found by a question that shares no word with any of
// them.
func (h *program) meant() int {
	h.t.Helper()
	var found struct{ Count int }
	out := h.run("", "tools", "call", "search_facts", `{"query":"`+likeBart+`","top_k":20}`).ok(h.t).stdout
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		h.t.Fatalf("%v in %s", err, out)
	}
	return found.Count
}

// likeBart is a word that no player says and whose embedding is close to
// "bart".
const likeBart = "xyzzy189840"

// TestIndexingMakesUpForTime plays without a campaign's world while the
// embedder is down, restarts the embedder, and changes the model before the
// next start. Search finds old lines throughout, and each model embeds each
// line once.
func TestIndexingMakesUpForTime(t *testing.T) {
	t.Parallel()
	server := fakeopenai.Start(t, nil, &fakeopenai.Options{NoAuth: true})
	to, err := url.Parse(strings.TrimSuffix(server.URL(), "/v1"))
	if err != nil {
		t.Fatal(err)
	}
	var up atomic.Bool
	forward := httputil.NewSingleHostReverseProxy(to)
	vendor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !up.Load() {
			http.Error(w, "maintenance", http.StatusServiceUnavailable)
			return
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(vendor.Close)
	h := newProgram(t)
	h.write("glyphoxa.yaml", indexedTable)
	h.set("EMBEDDER_URL", vendor.URL+"/v1")
	h.set("EMBEDDER", "house-model") // a model of unknown dimension

	s := h.start("play", "--json")
	s.say("Bart, the griffon sleeps")
	s.wait("turn.ended")
	s.say("Bart, the crown is gone")
	s.wait("turn.ended")
	up.Store(true)
	waitFor(t, "two lines at the embedder", func() bool { return len(embedded(server)) == 2 })
	s.say("Bart, good night")
	s.wait("turn.ended")
	tr := parse(t, s.leave().ok(t).stdout)
	told := 0
	for _, n := range tr.notices("warning") {
		if strings.Contains(n, "cannot search by meaning for now") && strings.Contains(n, "status 503") {
			told++
		}
	}
	if told != 1 {
		t.Errorf("people were told %d times, want once: %q", told, tr.notices("warning"))
	}
	lines := embedded(server)
	if len(lines) != 3 {
		t.Errorf("the embedder has %v, want three lines", lines)
	}
	for text, n := range lines {
		if n != 1 {
			t.Errorf("the embedder was given %q %d times, want once", text, n)
		}
	}
	before := h.meant()
	if before < 3 {
		t.Errorf("%d facts are found by meaning, want the three lines at least", before)
	}

	h.set("EMBEDDER", "another-model")
	s = h.start("play", "--json")
	waitFor(t, "all lines at the other model", func() bool {
		lines := embedded(server)
		for _, n := range lines {
			if n < 2 {
				return false
			}
		}
		return len(lines) == 3
	})
	s.leave().ok(t)
	if got := h.meant(); got < before {
		t.Errorf("%d facts are found by meaning, want %d as before", got, before)
	}
	for text, n := range embedded(server) {
		if n != 2 {
			t.Errorf("the embedder was given %q %d times, want once by each model", text, n)
		}
	}
}

// waitFor polls until another process has done something.
func waitFor(t testing.TB, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("still waiting for %s", what)
		}
	}
}
