package upstream

import (
	"bytes"
	"encoding/json"
	"io"
)

// maxTapped bounds the event of a log message, in bytes; longer ones are passed over.
const maxTapped = 64 << 10

// tap is an event stream that hands on the log messages in it before whoever reads the
// stream sees what follows them. The SDK tells of them when the call's answer may have
// been there for long.
type tap struct {
	io.ReadCloser
	logged func(params json.RawMessage)
	line   []byte // read so far of the current one, without its end
	over   bool   // the current one is too long
}

func (t *tap) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		part, after, ended := bytes.Cut(rest, []byte{'\n'})
		if t.over = t.over || len(t.line)+len(part) > maxTapped; !t.over {
			t.line = append(t.line, part...)
		}
		if rest = after; !ended {
			break
		}
		if !t.over {
			t.handleLine()
		}
		t.line, t.over = t.line[:0], false
	}
	return n, err
}

// handleLine looks whether a line is the data of a log message.
func (t *tap) handleLine() {
	data, ok := bytes.CutPrefix(t.line, []byte("data:"))
	if !ok || !bytes.Contains(data, []byte(`"notifications/message"`)) {
		return
	}
	var m struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if json.Unmarshal(data, &m) == nil && m.Method == "notifications/message" {
		t.logged(m.Params)
	}
}
