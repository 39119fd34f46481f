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
	for _, line := range []string{`{"jsonrpc":"2.0","id":3,"result":{`, `,"id":7}`, `[1,2`, `[]`, `{}`, "\x1b[31m", `[{"jsonrpc":"2.0","method":"m"}]`} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		msgs, err := parseMessages(line)
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

func TestEventStreamsPassUnchanged(t *testing.T) {
	stream := ": hello\n\nid: 1\ndata: {\"a\":1}\n\r\n\r\ndata: half"
	for name, in := range map[string]io.Reader{"whole": strings.NewReader(stream), "byte by byte": iotest.OneByteReader(strings.NewReader(stream))} {
		resp, err := limited(in, "text/event-stream; charset=utf-8", -1)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := io.ReadAll(resp.Body); string(out) != stream || err != nil {
			t.Errorf("%s: %q, %v", name, out, err)
		}
	}
	if _, err := limited(iotest.ErrReader(errors.New("cut")), "application/json", -1); err == nil {
		t.Error("an answer that breaks off is passed on")
	}
}

// limited passes an answer to call 7 through the limiter.
func limited(body io.Reader, kind string, length int64) (*http.Response, error) {
	r, err := http.NewRequest(http.MethodPost, "http://example.com", strings.NewReader(`{"id":7}`))
	if err != nil {
		return nil, err
	}
	l := &limiter{base: tripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(body), ContentLength: length}, nil
	})}
	return l.RoundTrip(r)
}

type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
