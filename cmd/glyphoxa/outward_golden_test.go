package main_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden transcripts")

// TestTranscripts plays the exchanges of testdata/golden against the program
// and compares every answer. A file is a script and its record in one:
//
//	$ --profile dm         starts the program on its standard streams
//	@ --compact            starts it on the network and opens a WebSocket
//	= NAME VALUE           sets a variable of its environment before that
//	+ PATH                 writes a file of the following lines that begin with |
//	> MESSAGE              is sent
//	? METHOD               waits for a notification
//	~ TOOL                 lists tools until this one is there
//	< MESSAGE              is a received message, written by -update
//
// Times, dice and change numbers are written as 0, because they differ from run
// to run.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "golden", "*.txt"))
	if err != nil || len(files) < 4 {
		t.Fatalf("transcripts = %q, %v", files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p := player{t: t, h: newProgram(t)}
			p.h.configure("golden.yaml")
			p.h.set("ANNEX", newAnnex(t))
			p.play(string(want))
			if *update {
				if err := os.WriteFile(file, p.out.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(p.out.String(), "\n")); diff != "" {
				t.Errorf("transcript (-want +got; run with -update to take it over):\n%s", diff)
			}
		})
	}
}

// player plays one transcript.
type player struct {
	t    testing.TB
	h    *program
	wire *stream
	out  bytes.Buffer
}

// ownIDs begins above the ids of every script.
const ownIDs = 1000

func (p *player) play(script string) {
	p.t.Helper()
	lines := strings.Split(strings.TrimSuffix(script, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		mark, rest, _ := strings.Cut(lines[i], " ")
		if mark == "<" || strings.HasPrefix(lines[i], "  ") {
			continue // a recorded message; the server's new message replaces it
		}
		p.out.WriteString(lines[i] + "\n")
		switch mark {
		case "=":
			name, value, _ := strings.Cut(rest, " ")
			p.h.set(name, value)
		case "$":
			p.wire, _ = p.h.stdio(strings.Fields(rest)...)
		case "@":
			p.wire = p.h.serve(strings.Fields(rest)...).socket(secret("builder"))
		case "+":
			var text strings.Builder
			for ; i+1 < len(lines) && strings.HasPrefix(lines[i+1], "| "); i++ {
				p.out.WriteString(lines[i+1] + "\n")
				text.WriteString(lines[i+1][2:] + "\n")
			}
			p.h.write(rest, text.String())
		case ">":
			p.send(rest)
		case "?":
			p.heard(map[string]any{"method": rest, "params": p.wire.note(rest)})
		case "~":
			for !lists(p.t, p.wire, rest) {
				p.wire.last = max(p.wire.last, ownIDs)
			}
		case "", "#":
		default:
			p.t.Fatalf("line %d: %q is no part of a transcript", i+1, lines[i])
		}
	}
}

// send sends a message as written, and waits for the answer if it is a request.
func (p *player) send(message string) {
	p.t.Helper()
	p.wire.send([]byte(message))
	var m struct{ ID json.RawMessage }
	if json.Unmarshal([]byte(message), &m) != nil {
		m.ID = json.RawMessage("null") // invalid JSON is answered under no id
	}
	if m.ID == nil {
		return
	}
	for {
		id, r, n := p.wire.message()
		if n.Method != "" {
			p.wire.notes = append(p.wire.notes, n)
			continue
		}
		if id != string(m.ID) {
			p.t.Fatalf("%s is answered under the id %s", message, id)
		}
		answer := map[string]any{"id": m.ID}
		if r.Error != nil {
			answer["error"] = r.Error
		} else {
			answer["result"] = r.Result
		}
		p.heard(answer)
		return
	}
}

// heard records a message of the server.
func (p *player) heard(message map[string]any) {
	p.t.Helper()
	raw, err := json.Marshal(message)
	if err != nil {
		p.t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		p.t.Fatal(err)
	}
	var pretty bytes.Buffer
	e := json.NewEncoder(&pretty)
	e.SetEscapeHTML(false)
	e.SetIndent("  ", "  ")
	if err := e.Encode(steady("", value)); err != nil {
		p.t.Fatal(err)
	}
	p.out.WriteString("< " + pretty.String())
}

// shifting are the members whose values differ from run to run.
var shifting = []string{
	"executionTimeMs", "ms", "seq", "tick", "rolls", "expected_ms", "retryAfterMs",
	"glyphoxa/p50Ms", "glyphoxa/p99Ms", "glyphoxa/estimatedDurationMs",
}

// waits matches waiting times within texts.
var waits = regexp.MustCompile(`(wait|retry after) [0-9][0-9hmsµ.]*`)

// steady returns a value with 0 in place of members that differ from run to
// run, also inside texts that are JSON.
func steady(key string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		if v["rolls"] != nil && v["total"] != nil {
			v["total"] = 0
		}
		for k := range v {
			v[k] = steady(k, v[k])
		}
	case []any:
		if slices.Contains(shifting, key) {
			return 0
		}
		for i := range v {
			v[i] = steady(key, v[i])
		}
	case string:
		var inner any
		if strings.HasPrefix(v, "{") && json.Unmarshal([]byte(v), &inner) == nil {
			if raw, err := json.Marshal(steady("", inner)); err == nil {
				return string(raw)
			}
		}
		if strings.HasPrefix(v, "data:") {
			return "data:…"
		}
		return waits.ReplaceAllString(v, "$1 0")
	default:
		if slices.Contains(shifting, key) {
			return 0
		}
	}
	return value
}
