package mcphost

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// eventStream reads a server-sent event stream and writes it again in the form that the SDK accepts, one
// message on one line of data. It drops events that are not messages, such as keep-alives, and comments. It
// fails when it is longer than its limit; the SDK then ends the call and keeps the connection.
type eventStream struct {
	body io.ReadCloser
	// repair returns the messages in an event's data.
	repair func(data []byte) [][]byte
	// left is how many bytes may still be read; negative if there is no limit.
	left int64

	in      []byte // read buffer
	out     []byte // not yet read by the caller of Read
	line    []byte // the current line so far
	begun   bool   // the first line has been read
	afterCR bool   // the last line ended with \r, so a \n that follows belongs to it
	over    bool   // the current event is too long and is dropped
	name    string
	id      []byte
	lastID  string
	retry   []byte
	data    []byte
	hasData bool
	err     error
}

func newEventStream(body io.ReadCloser, limit int64, repair func([]byte) [][]byte) *eventStream {
	return &eventStream{body: body, repair: repair, left: limit, in: make([]byte, 4<<10)}
}

// Close implements [io.Closer].
func (s *eventStream) Close() error { return s.body.Close() }

// Read implements [io.Reader].
func (s *eventStream) Read(p []byte) (int, error) {
	for len(s.out) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		if s.left == 0 {
			return 0, errors.New(tooLong)
		}
		n, err := s.body.Read(s.in)
		if s.left > 0 {
			n = int(min(int64(n), s.left))
			s.left -= int64(n)
		}
		s.out = s.out[:0]
		s.handle(s.in[:n])
		if s.err = err; errors.Is(err, io.EOF) { // the last event may lack the blank line
			s.endLine(s.line)
			s.endEvent()
		}
	}
	n := copy(p, s.out)
	s.out = s.out[n:]
	return n, nil
}

// handle splits a chunk into lines, which end with \n, \r or both.
func (s *eventStream) handle(p []byte) {
	for len(p) > 0 {
		if s.afterCR && p[0] == '\n' {
			p = p[1:]
		}
		s.afterCR = false
		end := bytes.IndexAny(p, "\r\n")
		if end < 0 {
			s.extend(p)
			return
		}
		line := p[:end]
		if len(s.line) > 0 || s.over && end > 0 {
			s.extend(line)
			line = s.line
		}
		s.afterCR = p[end] == '\r'
		p = p[end+1:]
		if len(line) == 0 && s.begun {
			s.endEvent()
			continue
		}
		s.endLine(line)
	}
}

// extend appends to the current line. An event of more than maxMessage bytes is dropped.
func (s *eventStream) extend(p []byte) {
	if s.over = s.over || len(s.line)+len(s.data)+len(p) > maxMessage; s.over {
		s.line, s.data = append(s.line[:0], ':'), nil // a comment, so that the line is not taken for a blank one
		return
	}
	s.line = append(s.line, p...)
}

// endLine handles a whole line.
func (s *eventStream) endLine(line []byte) {
	if !s.begun {
		s.begun, line = true, bytes.TrimPrefix(line, byteOrderMark)
	}
	field, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(field) {
	case "event":
		s.name = string(value)
	case "id":
		s.id = bytes.Clone(value)
	case "retry":
		s.retry = bytes.Clone(value)
	case "data":
		if s.over = len(s.data)+len(value) > maxMessage; s.over {
			s.data = nil
			break
		}
		if s.hasData {
			s.data = append(s.data, ' ') // a line break between two lines of JSON is white space
		}
		s.data, s.hasData = append(s.data, value...), true
	}
	s.line = s.line[:0]
}

// eventEndpoint is the event with which a server of the older HTTP+SSE transport names the address for
// requests.
const eventEndpoint = "endpoint"

// endEvent writes the current event.
func (s *eventStream) endEvent() {
	var data [][]byte
	switch {
	case !s.hasData || s.over:
	case s.name == eventEndpoint:
		data = [][]byte{s.data}
	default:
		s.name = "" // servers send messages under other names, too
		data = s.repair(s.data)
	}
	if len(s.id) > 0 {
		s.lastID = string(s.id)
	}
	for i, one := range data {
		if s.name != "" {
			s.writeField("event", []byte(s.name))
		}
		if i == len(data)-1 {
			s.writeField("id", s.id)
		}
		s.writeField("retry", s.retry)
		s.writeField("data", one)
		s.out = append(s.out, '\n')
	}
	if len(data) == 0 && len(s.id)+len(s.retry) > 0 {
		s.writeField("id", s.id)
		s.writeField("retry", s.retry)
		s.out = append(s.out, '\n')
	}
	s.name, s.id, s.retry, s.data, s.hasData, s.over = "", nil, nil, nil, false, false // repair keeps the data
	s.line = s.line[:0]
}

func (s *eventStream) writeField(name string, value []byte) {
	if len(value) > 0 {
		s.out = append(append(append(append(s.out, name...), ": "...), bytes.ReplaceAll(value, []byte{'\n'}, []byte{' '})...), '\n')
	}
}

// logMessage returns the params of a log message, or nil for any other message. Log messages are reported
// before the reader sees the data after them, because the SDK may report them long after the call's answer.
func logMessage(message []byte) json.RawMessage {
	if len(message) > maxTapped || !bytes.Contains(message, []byte(`"notifications/message"`)) {
		return nil
	}
	var m struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if json.Unmarshal(message, &m) != nil || m.Method != "notifications/message" {
		return nil
	}
	return m.Params
}

// maxTapped bounds a log message, in bytes. Longer ones are ignored.
const maxTapped = 64 << 10

// metaCall is the _meta key under which markQuestion names the call that a question belongs to.
const metaCall = "glyphoxa/call"

// markQuestion adds the key of a call to a question that arrived on the call's stream, because the SDK does
// not say which stream a request arrived on. It returns other messages unchanged.
func markQuestion(message []byte, call string) []byte {
	if len(message) > maxQuestion || !bytes.Contains(message, []byte(`"`+methodElicit+`"`)) && !bytes.Contains(message, []byte(`"`+methodSample+`"`)) {
		return message
	}
	var msg, params, meta map[string]json.RawMessage
	if json.Unmarshal(message, &msg) != nil || msg["method"] == nil || json.Unmarshal(msg["params"], &params) != nil || params == nil {
		return message
	}
	if json.Unmarshal(params["_meta"], &meta) != nil || meta == nil {
		meta = map[string]json.RawMessage{}
	}
	meta[metaCall], _ = json.Marshal(call) // cannot fail for text and for decoded JSON
	params["_meta"], _ = json.Marshal(meta)
	msg["params"], _ = json.Marshal(params)
	marked, _ := json.Marshal(msg)
	return marked
}
