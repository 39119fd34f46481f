package mcpserver_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
)

// idOf returns the id that a line's answer must carry, empty if there is none
// or the line is no request. It reads the line with the standard library alone.
func idOf(line []byte) string {
	var m map[string]json.RawMessage
	if !json.Valid(line) || json.Unmarshal(line, &m) != nil {
		return ""
	}
	_, method := m["method"]
	_, result := m["result"]
	_, failure := m["error"]
	if !method && (result || failure) {
		return ""
	}
	return spelt(m["id"])
}

// spelt returns an id in one spelling, empty if it is none.
func spelt(raw json.RawMessage) string {
	var s string
	var n json.Number
	switch {
	case len(raw) == 0 || string(raw) == "null":
	case json.Unmarshal(raw, &s) == nil:
		return "s" + s
	case raw[0] != '"' && json.Unmarshal(raw, &n) == nil:
		if f, err := n.Float64(); err == nil {
			b, err := json.Marshal(f)
			if err == nil {
				return string(b)
			}
		}
		return n.String()
	}
	return ""
}

// FuzzDialect says lines and checks that every request with an id gets one
// answer with that id, whatever is in it, and that nothing else is heard but
// complaints and notifications. Time is virtual, so that slow calls take none.
func FuzzDialect(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		script, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		var said []string
		for line := range strings.Lines(string(script)) {
			if rest, ok := strings.CutPrefix(line, "> "); ok {
				said = append(said, strings.TrimSpace(rest))
			}
		}
		f.Add([]byte(strings.Join(said, "\n")))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		lines := bytes.Split(bytes.ToValidUTF8(input, []byte("?")), []byte("\n"))
		if len(lines) > 90 { // more could be malformed in a row and end it
			lines = lines[:90]
		}
		var want, got []string
		for _, l := range lines {
			if id := idOf(bytes.TrimSpace(l)); id != "" {
				want = append(want, id)
			}
		}
		synctest.Test(t, func(t *testing.T) {
			s := sit(t.Context(), mcpserver.ConnOptions{MaxInFlight: 10})
			for _, l := range lines {
				got = append(got, answers(t, s.say(string(l)))...)
			}
			s.in.Close()
			time.Sleep(2 * time.Minute)
			got = append(got, answers(t, s.listen())...)
			if err := <-s.end; err != nil {
				t.Errorf("Serve: %v, want no error", err)
			}
			if opened, closed := s.world.opened.Load(), s.world.closed.Load(); opened != closed {
				t.Errorf("%d of %d sessions were closed", closed, opened)
			}
		})
		sorted := cmpopts.SortSlices(func(a, b string) bool { return a < b })
		if diff := cmp.Diff(want, got, sorted, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("ids of the answers (-want +got):\n%s", diff)
		}
	})
}

// answers returns the ids of the answers among what was heard.
func answers(t *testing.T, heard []string) []string {
	t.Helper()
	var ids []string
	for _, h := range heard {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Result json.RawMessage `json:"result"`
			Error  *struct {
				Code    int    `json:"code"`
				Message string `json:"message"`
			} `json:"error"`
		}
		if err := json.Unmarshal([]byte(h), &m); err != nil {
			t.Fatalf("heard %q: %v", h, err)
		}
		switch {
		case m.Method != "":
			if m.ID != nil {
				t.Errorf("asked the client: %s", h)
			}
		case (m.Result == nil) == (m.Error == nil):
			t.Errorf("answer %s is neither a result nor an error, or both", h)
		case spelt(m.ID) == "" && m.Error == nil:
			t.Errorf("answer %s is to nobody", h)
		}
		if m.Error != nil && (m.Error.Code == 0 || m.Error.Message == "") {
			t.Errorf("answer %s does not say what is wrong", h)
		}
		if id := spelt(m.ID); id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}
