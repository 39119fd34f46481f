package mcpserver_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
)

// expected is what the answer to a line must be: the id it carries in one
// spelling, "null" for none, and false if there must be no answer. It reads the
// line with the standard library alone.
func expected(line []byte) (id string, answered bool) {
	var m map[string]json.RawMessage
	if !utf8.Valid(line) || !json.Valid(line) || json.Unmarshal(line, &m) != nil || m == nil {
		return "null", true
	}
	_, method := m["method"]
	_, result := m["result"]
	_, failure := m["error"]
	if !method && (result || failure) {
		return "", false
	}
	raw, present := m["id"]
	if present {
		return wireSpelt(raw), true
	}
	params := m["params"]
	structured := params == nil || string(params) == "null" || params[0] == '{' || params[0] == '['
	var version, name *string
	note := json.Unmarshal(m["jsonrpc"], &version) == nil && version != nil && *version == "2.0" &&
		method && json.Unmarshal(m["method"], &name) == nil && name != nil && structured && !result && !failure
	return "null", !note
}

// wireSpelt returns an id in one spelling.
func wireSpelt(raw json.RawMessage) string {
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return "null"
	}
	switch v := v.(type) {
	case string:
		return strconv.Quote(v)
	case json.Number:
		n, err := v.Float64()
		if err != nil {
			return v.String()
		}
		return strconv.FormatFloat(n, 'g', -1, 64)
	}
	return "null"
}

func FuzzFrames(f *testing.F) {
	var all []string
	for _, row := range frames {
		f.Add([]byte(row.frame))
		all = append(all, row.frame)
	}
	f.Add([]byte(strings.Join(all, "\n")))
	f.Add([]byte(strings.Repeat("x", 5000) + "\n{}"))
	const longest = 4 << 10
	f.Fuzz(func(t *testing.T, input []byte) {
		// Fewer lines than malformed ones end a connection, and no long ones:
		// what is answered to those is told by their ends alone.
		lines := bytes.Split(input, []byte("\n"))
		if len(lines) > 90 {
			lines = lines[:90]
		}
		var want []string
		for i, l := range lines {
			l = bytes.TrimRight(l, "\r")
			if len(l) > longest {
				l = l[:longest]
			}
			lines[i] = l
			if len(bytes.TrimSpace(l)) == 0 {
				continue
			}
			if id, answered := expected(l); answered {
				want = append(want, id)
			}
		}
		var out bytes.Buffer
		in := io.NopCloser(bytes.NewReader(bytes.Join(lines, []byte("\n"))))
		c := mcpserver.NewConn(mcpserver.Lines(in, discardClose{&out}, longest), mcpserver.ConnOptions{})
		if err := wireEcho(t.Context(), c); err != io.EOF {
			t.Errorf("ended with %v, want EOF", err)
		}
		if err := c.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
		var got []string
		for line := range bytes.Lines(out.Bytes()) {
			var a struct {
				ID json.RawMessage `json:"id"`
			}
			if err := json.Unmarshal(line, &a); err != nil {
				t.Fatalf("answer %q: %v", line, err)
			}
			got = append(got, wireSpelt(a.ID))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("ids of the answers to %q (-want +got):\n%s", bytes.Join(lines, []byte("\n")), diff)
		}
	})
}

// discardClose is a writer that needs no closing.
type discardClose struct{ io.Writer }

func (discardClose) Close() error { return nil }
