package upstream

import (
	"bytes"
	"encoding/json"
	"io"
)

// metaCall is where a question's _meta says which call it is about.
const metaCall = "glyphoxa/call"

// marker is the event stream that answers a call. It marks the questions in it as that
// call's: the SDK gives all requests of a server alike, wherever they came from.
type marker struct {
	io.ReadCloser
	call string
	line []byte // read so far of the current one, and not handed on
	out  []byte // to be handed on
	over bool   // the current line is too long to be looked at
	err  error
}

func (m *marker) Read(p []byte) (int, error) {
	for len(m.out) == 0 {
		if m.err != nil {
			return 0, m.err
		}
		n, err := m.ReadCloser.Read(p)
		m.out = m.out[:0]
		m.take(p[:n])
		if m.err = err; err != nil {
			m.out, m.line = append(m.out, m.line...), nil
		}
	}
	n := copy(p, m.out)
	m.out = m.out[n:]
	return n, nil
}

// take hands on the lines that are whole, and keeps the beginning of the next.
func (m *marker) take(p []byte) {
	for len(p) > 0 {
		part, after, ended := bytes.Cut(p, []byte{'\n'})
		m.line = append(m.line, part...)
		p = after
		if !ended {
			if m.over = m.over || len(m.line) > maxQuestion; m.over {
				m.out, m.line = append(m.out, m.line...), m.line[:0]
			}
			return
		}
		if !m.over {
			m.line = m.mark(m.line)
		}
		m.out = append(append(m.out, m.line...), '\n')
		m.line, m.over = m.line[:0], false
	}
}

// mark returns a line, with the call in it if it is a question.
func (m *marker) mark(line []byte) []byte {
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	if !ok || !bytes.Contains(data, []byte(`"`+methodElicit+`"`)) && !bytes.Contains(data, []byte(`"`+methodSample+`"`)) {
		return line
	}
	var msg, params, meta map[string]json.RawMessage
	if json.Unmarshal(data, &msg) != nil || msg["method"] == nil || json.Unmarshal(msg["params"], &params) != nil || params == nil {
		return line
	}
	if json.Unmarshal(params["_meta"], &meta) != nil || meta == nil {
		meta = map[string]json.RawMessage{}
	}
	meta[metaCall], _ = json.Marshal(m.call) // texts and what was decoded can be encoded
	params["_meta"], _ = json.Marshal(meta)
	msg["params"], _ = json.Marshal(params)
	marked, _ := json.Marshal(msg)
	return append([]byte("data: "), marked...)
}
