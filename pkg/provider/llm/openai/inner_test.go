package openai

import (
	"bufio"
	"encoding/json"
	"io"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

func TestDataLinesBoundALine(t *testing.T) {
	d := &dataLines{in: bufio.NewReader(io.LimitReader(endless{}, longestAnswer)), x: &exchange{}}
	if _, err := io.Copy(io.Discard, d); err != errLongLine {
		t.Errorf("err = %v, want %v", err, errLongLine)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// FuzzAssembler feeds arbitrary fragments: every call that results has an id
// of its own and arguments, and no argument text is lost.
func FuzzAssembler(f *testing.F) {
	f.Add(`[{"index":0,"id":"a","function":{"name":"roll","arguments":"{\"e\""}},{"index":0,"function":{"arguments":":1}"}}]`)
	f.Add(`[{"id":"a","function":{"name":"x","arguments":"{}"}},{"id":"a","function":{"name":"x","arguments":"{}"}}]`)
	f.Add(`[{"index":3},{"index":-1,"function":{"arguments":{"a":[]}}},{"function":{"name":"y"}}]`)
	f.Fuzz(func(t *testing.T, in string) {
		var fragments []fragment
		if json.Unmarshal([]byte(in), &fragments) != nil {
			return
		}
		var a assembler
		total := 0
		for _, fr := range fragments {
			total += len(fr.arguments())
			a.addFragment(fr)
		}
		seen, got := map[string]bool{}, 0
		for i, c := range a.result(1) {
			if c.ID == "" || seen[c.ID] || c.Arguments == "" {
				t.Fatalf("call %+v: id missing or taken, or no arguments", c)
			}
			seen[c.ID] = true
			got += a.calls[i].arguments.Len()
		}
		if got != total {
			t.Fatalf("calls hold %d bytes of arguments, fragments held %d", got, total)
		}
	})
}

// FuzzThinking cuts a text in two at any place: what is said does not depend
// on where the vendor cut it.
func FuzzThinking(f *testing.F) {
	for _, s := range []string{"", "Aye.", "<think>no</think> Aye.", "  <think>", "<thi", "<think>a</think></think>b"} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, text string, at int) {
		var whole, cut thinking
		want := whole.feed(text) + whole.end()
		at = min(max(at, 0), len(text))
		got := cut.feed(text[:at]) + cut.feed(text[at:]) + cut.end()
		if got != want {
			t.Errorf("cut at %d: said %q, whole %q", at, got, want)
		}
	})
}

func BenchmarkAssemble(b *testing.B) {
	index := 0
	head := fragment{Index: &index, ID: "call_1"}
	head.Function.Name = "roll"
	piece := fragment{Index: &index}
	piece.Function.Arguments = json.RawMessage(`"{\"ex"`)
	var out []llm.ToolCall
	b.ReportAllocs()
	for b.Loop() {
		var a assembler
		a.addFragment(head)
		for range 5 {
			a.addFragment(piece)
		}
		out = a.result(1)
	}
	if len(out) != 1 {
		b.Fatalf("%d calls, want 1", len(out))
	}
}
