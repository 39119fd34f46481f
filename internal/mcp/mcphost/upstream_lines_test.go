package mcphost

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
)

func TestLabelsOfResponses(t *testing.T) {
	for _, row := range []struct {
		name, line string
		id         int64 // -1 is none
	}{
		{"id in front", `{"jsonrpc":"2.0","id":3,"result":{"a":"…`, 3},
		{"id first", ` { "id" : 12 , "result":`, 12},
		{"id at the end", `…"}},"jsonrpc":"2.0","id":7}` + "\n", 7},
		{"id before the version", `…"}}, "id": 8, "jsonrpc": "2.0" }`, 8},
		{"id of something inside", `{"result":{"structuredContent":{"a":1,"id":5}}}`, -1},
		{"id in a text", `{"result":{"text":",\"id\":5}"}}`, -1},
		{"id that is a text", `{"jsonrpc":"2.0","id":"a","result":`, -1},
		{"id beyond numbers", `{"id":99999999999999999999,`, -1},
		{"nothing", ``, -1},
	} {
		id, ok := responseID([]byte(row.line), []byte(row.line))
		if !ok {
			id = -1
		}
		if id != row.id {
			t.Errorf("%s: id = %d, want %d", row.name, id, row.id)
		}
	}
}

func TestLongLinesAreSkipped(t *testing.T) {
	long := strings.Repeat("x", 3*readAhead)
	r := newLineReader(iotest.HalfReader(strings.NewReader("first\n" + long + "\n" + "last")))
	line, err := r.nextLine(2 * readAhead)
	if string(line) != "first\n" || err != nil {
		t.Errorf("first line = %q, %v", line, err)
	}
	var over *oversized
	if _, err = r.nextLine(2 * readAhead); !errors.As(err, &over) || len(over.head) != endRoom || len(over.tail) != endRoom {
		t.Errorf("long line: %v with ends of %d and %d bytes", err, len(over.head), len(over.tail))
	}
	if line, err = r.nextLine(2 * readAhead); string(line) != "last" || !errors.Is(err, io.EOF) {
		t.Errorf("last line = %q, %v", line, err)
	}
	r = newLineReader(strings.NewReader(long + "\n"))
	if line, err = r.nextLine(4 * readAhead); len(line) != len(long)+1 || err != nil {
		t.Errorf("a line within the limit has %d bytes, %v", len(line), err)
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\n\nc"))
	f.Add([]byte(strings.Repeat("x", readAhead) + "\n"))
	f.Add([]byte(strings.Repeat("y", readAhead-1) + "\nz"))
	f.Fuzz(func(t *testing.T, in []byte) {
		r := newLineReader(bytes.NewReader(in))
		var out []byte
		for {
			line, err := r.nextLine(len(in) + 1)
			out = append(out, line...)
			if n := bytes.IndexByte(line, '\n'); n >= 0 && n != len(line)-1 {
				t.Fatalf("line %q holds two", line)
			}
			if err != nil {
				break
			}
		}
		if !bytes.Equal(in, out) {
			t.Errorf("lines make up %q, want %q", out, in)
		}
	})
}

// Whatever a stray line looks like, reading it neither fails nor panics, and
// what is taken for a response has a number for an id.
func FuzzStrayLines(f *testing.F) {
	for _, line := range []string{`{"jsonrpc":"2.0","id":3,"result":{`, `,"id":7}`, `[1,2`, `[]`, `{}`, "\x1b[31m", `[{"jsonrpc":"2.0","method":"m"}]`, "null", "[null]", "42", `"text"`, `INFO {"id":"1","result":NaN}`} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		msgs, err := (&pipes{wire: newWire()}).parseMessages(line)
		if err != nil && len(msgs) > 0 {
			t.Error("messages with an error")
		}
		for _, m := range msgs {
			if m == nil {
				t.Error("no message")
			}
		}
		if id, ok := responseID(line, line); ok && id < 0 {
			t.Errorf("id = %d", id)
		}
	})
}

func TestAnAnswerThatBreaksOffIsAnError(t *testing.T) {
	if _, err := limited(iotest.ErrReader(errors.New("cut")), "application/json", -1); err == nil {
		t.Error("an answer that breaks off is passed on")
	}
}

// limited passes an answer to call 7 through the mender.
func limited(body io.Reader, kind string, length int64) (*http.Response, error) {
	r, err := http.NewRequest(http.MethodPost, "http://example.com", strings.NewReader(`{"jsonrpc":"2.0","id":7,"method":"tools/call"}`))
	if err != nil {
		return nil, err
	}
	m := &mender{wire: newWire(), next: tripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(body), ContentLength: length}, nil
	})}
	return m.RoundTrip(r)
}

type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestEventStreamsAreWrittenInOneForm(t *testing.T) {
	const message = `{"jsonrpc":"2.0","id":7,"result":{}}`
	for _, row := range []struct{ name, in, want string }{
		{"plain", "data: " + message + "\n\n", "data: " + message + "\n\n"},
		{"named, with an id", "event: message\nid: 5\ndata: " + message + "\n\n", "id: 5\ndata: " + message + "\n\n"},
		{"returns", "id: 5\r\rdata:" + message + "\r\n\r\n", "id: 5\n\ndata: " + message + "\n\n"},
		{"byte order mark", "\ufeffdata: " + message + "\n\n", "data: " + message + "\n\n"},
		{"several lines", "data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":7,\ndata: \"result\":{}}\n\n", `data: {"jsonrpc":"2.0", "id":7, "result":{}}` + "\n\n"},
		{"another name", "event: answer\ndata: " + message + "\n\n", "data: " + message + "\n\n"},
		{"what means nothing", ": hi\n\nevent: ping\ndata: {}\n\ndata\n\ndata: [DONE]\n\n\n\n", ""},
		{"without an end", "data: " + message, "data: " + message + "\n\n"},
		{"too long", "id: 1\ndata: " + strings.Repeat("x", maxMessage) + "y\n\ndata: " + message + "\n\n", "id: 1\n\ndata: " + message + "\n\n"},
		{"too long in many lines", strings.Repeat("data: "+strings.Repeat("x", 1<<20)+"\n", 17) + "\ndata: " + message + "\n\n", "data: " + message + "\n\n"},
		{"an endpoint", "event: endpoint\ndata: /say\n\n", "event: endpoint\ndata: /say\n\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			for way, in := range map[string]io.Reader{"whole": strings.NewReader(row.in), "byte by byte": iotest.OneByteReader(strings.NewReader(row.in))} {
				if way != "whole" && len(row.in) > 1<<20 {
					continue
				}
				s := newEventStream(io.NopCloser(in), -1, func(data []byte) [][]byte {
					messages, _ := newWire().repair(data, -1) // none if it fails
					return messages
				})
				if out, err := io.ReadAll(s); string(out) != row.want || err != nil {
					t.Errorf("%s: %q, %v, want %q", way, out, err, row.want)
				}
			}
		})
	}
}

func TestUsualResponsesAreRecognised(t *testing.T) {
	for _, row := range []struct {
		name, message string
		id            int64
		usual         bool
	}{
		{"id in front", `{"jsonrpc":"2.0","id":7,"result":{}}`, 7, true},
		{"with spaces", `{"jsonrpc": "2.0", "id": 12, "result": {"a": 1}}`, 12, true},
		{"id at the end", `{"result":{"id":9},"jsonrpc":"2.0","id":7}`, 7, true},
		{"version within the result", `{"result":{"jsonrpc":"2.0","id":9}}`, 0, false},
		{"id as text", `{"jsonrpc":"2.0","id":"7","result":{}}`, 0, false},
		{"id with a fraction", `{"jsonrpc":"2.0","id":7.0,"result":{}}`, 0, false},
		{"other version", `{"jsonrpc":"1.0","id":7,"result":{}}`, 0, false},
		{"result is no object", `{"jsonrpc":"2.0","id":7,"result":[]}`, 0, false},
		{"error", `{"jsonrpc":"2.0","id":7,"error":{}}`, 0, false},
		{"error beside the result", `{"jsonrpc":"2.0","id":7,"result":{},"error":{}}`, 0, false},
		{"request", `{"jsonrpc":"2.0","id":7,"method":"ping"}`, 0, false},
		{"cut", `{"jsonrpc":"2.0","id":7,"result":{"a"`, 0, false},
		{"nothing", ``, 0, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			if id, usual := plainID([]byte(row.message)); usual != row.usual || usual && id != row.id {
				t.Errorf("plainID = %d, %v, want %d, %v", id, usual, row.id, row.usual)
			}
		})
	}
}
