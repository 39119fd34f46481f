package mcphost

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// limiter bounds the size of a web server's answers, because the SDK reads answers of any length. A call
// whose answer is too long gets an error answer, or none.
type limiter struct {
	base   http.RoundTripper
	logged func(params json.RawMessage) // receives log messages; may be nil
}

func (l *limiter) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		if r.Method == http.MethodPost { // the SDK itself bounds the events of other streams
			resp.Body = &boundedStream{resp.Body, maxMessage}
		}
		if l.logged != nil {
			resp.Body = &logTap{ReadCloser: resp.Body, logged: l.logged}
		}
		if call, ok := r.Context().Value(callKey{}).(string); ok {
			resp.Body = &marker{ReadCloser: resp.Body, call: call}
		}
		return resp, nil
	}
	if n := resp.ContentLength; 0 <= n && n <= maxMessage {
		return resp, nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxMessage+1))
	_ = resp.Body.Close() // the rest is not needed
	if err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	if len(body) > maxMessage {
		if body, err = tooLongAnswer(r); err != nil {
			return nil, err
		}
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return resp, nil
}

// tooLongAnswer returns the error answer that replaces an answer that is too long.
func tooLongAnswer(r *http.Request) ([]byte, error) {
	var call struct {
		ID json.RawMessage `json:"id"`
	}
	if r.GetBody == nil {
		return nil, errors.New(tooLong)
	}
	body, err := r.GetBody()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tooLong, err)
	}
	if err := json.NewDecoder(body).Decode(&call); err != nil || call.ID == nil {
		return nil, errors.New(tooLong)
	}
	return json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": call.ID, "error": map[string]any{"code": jsonrpc.CodeInternalError, "message": tooLong},
	})
}

// boundedStream is the event stream that answers a call. It fails when it becomes too long; the SDK then ends
// the call and keeps the connection.
type boundedStream struct {
	io.ReadCloser
	left int64 // remaining bytes
}

func (s *boundedStream) Read(p []byte) (int, error) {
	if s.left <= 0 {
		return 0, errors.New(tooLong)
	}
	n, err := s.ReadCloser.Read(p[:min(int64(len(p)), s.left)])
	s.left -= int64(n)
	return n, err
}

// maxTapped bounds the event of a log message, in bytes. Longer events are ignored.
const maxTapped = 64 << 10

// logTap reports the log messages in an event stream before the reader sees the data after them. The SDK may
// report them long after the call's answer.
type logTap struct {
	io.ReadCloser
	logged func(params json.RawMessage)
	line   []byte // the current line so far, without its end
	over   bool   // the current line is too long
}

func (t *logTap) Read(p []byte) (int, error) {
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

// handleLine reports the current line if it contains a log message.
func (t *logTap) handleLine() {
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

// metaCall is the _meta key under which marker names the call that a question belongs to.
const metaCall = "glyphoxa/call"

// marker is the event stream that answers a call. It adds the call's key to the questions in the stream,
// because the SDK does not say which stream a request arrived on.
type marker struct {
	io.ReadCloser
	call string
	line []byte // the current line so far
	out  []byte // not yet read by the caller of Read
	over bool   // the current line is too long for a question
	err  error
}

func (m *marker) Read(p []byte) (int, error) {
	for len(m.out) == 0 {
		if m.err != nil {
			return 0, m.err
		}
		n, err := m.ReadCloser.Read(p)
		m.out = m.out[:0]
		m.handle(p[:n])
		if m.err = err; err != nil {
			m.out, m.line = append(m.out, m.line...), nil
		}
	}
	n := copy(p, m.out)
	m.out = m.out[n:]
	return n, nil
}

// handle appends complete lines to out and buffers the beginning of the next.
func (m *marker) handle(p []byte) {
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

// mark adds the call's key to a line that contains a question, and returns other lines unchanged.
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
	meta[metaCall], _ = json.Marshal(m.call) // cannot fail for text and for decoded JSON
	params["_meta"], _ = json.Marshal(meta)
	msg["params"], _ = json.Marshal(params)
	marked, _ := json.Marshal(msg)
	return append([]byte("data: "), marked...)
}
