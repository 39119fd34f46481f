package openai

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

func TestEventsBoundALine(t *testing.T) {
	e := newEvents(io.LimitReader(endless{}, longestAnswer))
	for {
		_, err := e.next()
		if err == nil {
			continue
		}
		if err != errLongLine {
			t.Errorf("err = %v, want %v", err, errLongLine)
		}
		return
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestEvents(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
		done     bool
	}{
		{"lines end with LF", "data: {\"a\":1}\n\ndata: [DONE]\n\n", []string{`{"a":1}`}, true},
		{"lines end with CRLF", "data: {\"a\":1}\r\n\r\ndata: {\"a\":2}\r\n\r\n", []string{`{"a":1}`, `{"a":2}`}, false},
		{"lines end with CR", "data: {\"a\":1}\r\rdata: {\"a\":2}\r\rdata: [DONE]\r\r", []string{`{"a":1}`, `{"a":2}`}, true},
		{"byte order mark", "\ufeffdata: {\"a\":1}\n\n", []string{`{"a":1}`}, false},
		{"no space after the colon", "data:{\"a\":1}\n\ndata:[DONE]", []string{`{"a":1}`}, true},
		{"several data lines", "data: {\"a\":\ndata: 1\ndata: }\n\n", []string{"{\"a\":\n1\n}"}, false},
		{"further lines without data", "data: {\"a\":\n 1\n}\n\n", []string{"{\"a\":\n1\n}"}, false},
		{"brackets in texts", "data: {\"a\":\"}\"\ndata: }\n\n", []string{"{\"a\":\"}\"\n}"}, false},
		{"no empty line between events", "data: {\"a\":1}\ndata: {\"a\":2}\ndata: [DONE]\n", []string{`{"a":1}`, `{"a":2}`}, true},
		{"no line end between events", "data: {\"a\":1}data: {\"a\":2}\ndata: {\"a\":3}data: [DONE]\n", []string{`{"a":1}`, `{"a":2}`, `{"a":3}`}, true},
		{"comments and other fields", ": hi\nid: 3\nretry: 5\nevent: x\ndata: {\"a\":1}\n\n", []string{`{"a":1}`}, false},
		{"an event named error", "event: error\ndata: {\"message\":\"no\"}\n\n", []string{`{"error":{"message":"no"}}`}, false},
		{"a whole answer", "{\n \"a\": 1\n}", []string{"{\n\"a\": 1\n}"}, false},
		{"an object per line", "{\"a\":1}\n{\"a\":2}\n", []string{`{"a":1}`, `{"a":2}`}, false},
		{"the last line has no end", "data: {\"a\":1}", []string{`{"a":1}`}, false},
		{"an event that was cut is left out", "data: {\"a\":\ndata: {\"a\":2}\n\n", []string{`{"a":2}`}, false},
		{"numbers and words that JSON does not know", "data: {\"a\":NaN,\"b\":-Infinity,\"c\":True,\"d\":\"None\"}\n\n", []string{`{"a":null,"b":null,"c":true,"d":"None"}`}, false},
		{"a tab in a text", "data: {\"a\":\"x\ty\"}\n\n", []string{`{"a":"x\u0009y"}`}, false},
		{"halves of a character", "data: {\"a\":\"x\\ud83d\"}\n\ndata: {}\n\ndata: {\"a\":\"\\ude00y\"}\n\n", []string{`{"a":"x"}`, `{}`, `{"a":"\ud83d\ude00y"}`}, false},
		{"a backslash before letters", "data: {\"a\":\"\\\\ud83d\"}\n\n", []string{`{"a":"\\ud83d"}`}, false},
		{"whole characters", "data: {\"a\":\"\\ud83d\\ude00\"}\n\ndata: {\"a\":\"\\ud83d\\ude00\"}\n\n", []string{`{"a":"\ud83d\ude00"}`, `{"a":"\ud83d\ude00"}`}, false},
		{"nothing after the end", "data: [DONE]\n\ndata: {\"a\":1}\n\n", nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for name, in := range map[string]io.Reader{"at once": strings.NewReader(tt.in), "byte by byte": iotest.OneByteReader(strings.NewReader(tt.in))} {
				e := newEvents(in)
				var got []string
				for {
					event, err := e.next()
					if err != nil {
						break
					}
					got = append(got, string(event))
				}
				if diff := cmp.Diff(tt.want, got); diff != "" || e.done != tt.done {
					t.Errorf("%s: done = %t, events (-want +got):\n%s", name, e.done, diff)
				}
			}
		})
	}
}

func TestUnrepeated(t *testing.T) {
	tests := []struct {
		name  string
		in    []string // pieces; whole messages begin with "="
		wants string
	}{
		{"pieces", []string{"The bridge ", "is ", "out."}, "The bridge is out."},
		{"each piece holds everything", []string{"The", "The bridge", "The bridge is out", "The bridge is out."}, "The bridge is out."},
		{"each piece holds everything, from one letter on", []string{"T", "Th", "The", "The b", "The bridge is", "The bridge is out."}, "The bridge is out."},
		{"two long pieces, the second with everything", []string{"The bridge is out.", "The bridge is out. Go round."}, "The bridge is out. Go round."},
		{"everything again at the end", []string{"The bridge ", "is out.", "The bridge is out."}, "The bridge is out."},
		{"a stutter", []string{"No. ", "No. I will not.", " Go."}, "No. No. I will not. Go."},
		{"a stutter at the end", []string{"No. ", "No. Go."}, "No. No. Go."},
		{"laughter", []string{"ha", "ha", "ha", "ha", "!"}, "hahahaha!"},
		{"the message so far beside each piece", []string{"The ", "=The ", "bridge", "=The bridge", " is out.", "=The bridge is out."}, "The bridge is out."},
		{"the message at the end", []string{"The bridge", " is out.", "=The bridge is out."}, "The bridge is out."},
		{"the message at the end, trimmed", []string{" The bridge", " is out. ", "=The bridge is out."}, " The bridge is out. "},
		{"the message knows more", []string{"The bridge", "=The bridge is out."}, "The bridge is out."},
		{"messages alone, each with everything", []string{"=The", "=The bridge", "=The bridge is out."}, "The bridge is out."},
		{"messages alone, in pieces", []string{"=The ", "=bridge ", "=is out."}, "The bridge is out."},
		{"a message between held pieces", []string{"The", "The bridge", "=The bridge is"}, "The bridge is"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var u unrepeated
			got := ""
			for _, s := range tt.in {
				if message, ok := strings.CutPrefix(s, "="); ok {
					got += u.whole(message)
				} else {
					got += u.piece(s)
				}
			}
			if got += u.end(); got != tt.wants {
				t.Errorf("said %q, want %q", got, tt.wants)
			}
		})
	}
}

func TestFinishedArguments(t *testing.T) {
	const want = `{"bridge":"north"}`
	tests := []struct {
		name  string
		parts []string
		want  string
	}{
		{"parts", []string{`{"bridge":`, `"north"}`}, want},
		{"none", nil, "{}"},
		{"null", []string{"null"}, "{}"},
		{"encoded twice", []string{`"{\"bridge\":\"north\"}"`}, want},
		{"encoded three times", []string{`"\"{\\\"bridge\\\":\\\"north\\\"}\""`}, want},
		{"everything again", []string{`{"bridge":`, `"north"}`, want}, want},
		{"everything again after an incomplete part", []string{`{"bridge":`, want}, want},
		{"each part holds everything", []string{`{"bri`, `{"bridge":"no`, want}, want},
		{"an empty object first", []string{"{}", want}, want},
		{"something behind", []string{want, "</call>"}, want},
		{"incomplete", []string{`{"bridge":`}, `{"bridge":`},
		{"a text", []string{`"north"`}, `"north"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := finished(tt.parts); got != tt.want {
				t.Errorf("finished = %s, want %s", got, tt.want)
			}
		})
	}
}

// FuzzAssembler feeds arbitrary fragments: every call that results has an ID of its own and arguments.
func FuzzAssembler(f *testing.F) {
	f.Add(`[{"index":0,"id":"a","function":{"name":"roll","arguments":"{\"e\""}},{"index":0,"function":{"arguments":":1}"}}]`)
	f.Add(`[{"id":"a","function":{"name":"x","arguments":"{}"}},{"id":"a","function":{"name":"x","arguments":"{}"}}]`)
	f.Add(`[{"index":3},{"index":-1,"function":{"arguments":{"a":[]}}},{"function":{"name":"y"}}]`)
	f.Fuzz(func(t *testing.T, in string) {
		var fragments list[fragment]
		decode([]byte(in), &fragments)
		var a assembler
		for _, fr := range fragments {
			a.addFragment(fr)
			a.addWhole(fr)
		}
		seen := map[string]bool{}
		for _, c := range a.result(1) {
			if c.ID == "" || seen[c.ID] || c.Arguments == "" {
				t.Fatalf("call %+v: id missing or taken, or no arguments", c)
			}
			seen[c.ID] = true
		}
	})
}

func BenchmarkAssemble(b *testing.B) {
	index := quantity{given: true}
	head := fragment{Index: index, ID: "call_1"}
	head.Function.Name = "roll"
	piece := fragment{Index: index}
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
