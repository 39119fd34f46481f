package openai

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

const (
	// longestAnswer is the maximum number of bytes read of an answer.
	longestAnswer = 16 << 20
	// longestError is the maximum number of bytes read of an error.
	longestError = 256 << 10
	// longestLine is the maximum length of an event.
	longestLine = 4 << 20
	// drainTime is the maximum wait for the end of a body whose answer is complete. A drained connection can
	// be reused for the next turn.
	drainTime = 50 * time.Millisecond
	drainSize = 4 << 10
)

// exchange is the HTTP client of a single request. It adds to the request what the client library lacks, and
// keeps what the library discards: headers, the body of an error, and the events of the answer.
type exchange struct {
	client *http.Client
	query  *query
	header http.Header
	body   io.ReadCloser // nil until a response has arrived
	status int
	failed []byte // body of an error
	events *events
}

// Do implements the library's HTTPDoer.
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	if err := x.query.edit(req); err != nil {
		return nil, err
	}
	resp, err := x.client.Do(req)
	if err != nil {
		return nil, err
	}
	x.header, x.body, x.status = resp.Header, resp.Body, resp.StatusCode
	if resp.StatusCode >= http.StatusBadRequest || resp.StatusCode < http.StatusOK {
		// An error whose end is missing still says something.
		x.failed, _ = io.ReadAll(io.LimitReader(unzipped(resp), longestError))
		resp.Body = body{bytes.NewReader(x.failed), x.body}
		return resp, nil
	}
	x.events = newEvents(io.LimitReader(unzipped(resp), longestAnswer))
	return resp, nil
}

// unzipped returns the body of a response that is compressed although the request did not allow it, as some
// proxies do.
func unzipped(resp *http.Response) io.Reader {
	if !strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") {
		return resp.Body
	}
	return &unzipping{in: resp.Body}
}

// unzipping opens the archive with the first read, because that waits for data.
type unzipping struct {
	in  io.Reader
	out io.Reader
}

func (u *unzipping) Read(p []byte) (int, error) {
	if u.out == nil {
		z, err := gzip.NewReader(u.in)
		if err != nil {
			return 0, err
		}
		u.out = z
	}
	return u.out.Read(p)
}

// finishExchange drains a complete answer, so that its connection can be reused.
func (x *exchange) finishExchange(ctx context.Context, cancel context.CancelFunc) {
	if x.body == nil || ctx.Err() != nil {
		return
	}
	late := time.AfterFunc(drainTime, cancel)
	defer late.Stop()
	// On an error the connection is not reused, which is not a failure.
	_, _ = io.CopyN(io.Discard, x.body, drainSize)
}

// close releases the connection.
func (x *exchange) close() {
	if x.body != nil {
		_ = x.body.Close() // no more reads
	}
}

type body struct {
	io.Reader
	io.Closer
}

var errLongLine = errors.New("an event is longer than 4 MiB")

// events reads the events of an answer. It accepts any of the line ends of the standard, events over several
// data lines, events without an empty line between them, and JSON that is not part of an event stream: a whole
// answer, one object per line, or an error.
type events struct {
	in     *bufio.Reader
	skipLF bool // the last line ended with CR
	begun  bool // the first line was read
	name   string
	data   pieces   // data lines of the event so far
	plain  pieces   // lines that belong to no event stream
	queue  [][]byte // complete events
	half   []byte   // first half of a character whose second half begins the next event's text
	odd    int      // number of events that could not be read
	done   bool     // "[DONE]" was received
	page   bool     // a web page was received
	err    error
}

func newEvents(in io.Reader) *events { return &events{in: bufio.NewReader(in)} }

// next returns the next event, valid JSON. The error is that of the reader; io.EOF also follows "[DONE]".
func (e *events) next() ([]byte, error) {
	for len(e.queue) == 0 {
		if e.err != nil {
			return nil, e.err
		}
		line, err := e.readLine()
		if err != nil && err != io.EOF {
			e.err = err
			if err != errLongLine {
				// An incomplete line is no event, but what came before it may be one.
				e.endEvent()
			}
			continue
		}
		e.takeLine(line)
		if err == io.EOF {
			e.endEvent()
			e.endPlain()
			e.err = err
		}
	}
	event := e.queue[0]
	e.queue = e.queue[1:]
	return e.joinHalves(event), nil
}

// Patterns of escaped halves of a character at the end and at the beginning of a JSON text.
var (
	firstHalf  = regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}"`)
	secondHalf = regexp.MustCompile(`"\\u[dD][c-fC-F][0-9a-fA-F]{2}`)
)

// joinHalves moves the first half of a character at the end of a text to the beginning of the next, because some
// servers cut texts within a surrogate pair.
func (e *events) joinHalves(event []byte) []byte {
	if at := secondHalf.FindIndex(event); at != nil && e.half != nil {
		event = slices.Concat(event[:at[0]+1], e.half, event[at[0]+1:])
		e.half = nil
	}
	if at := firstHalf.FindIndex(event); at != nil && event[max(at[0]-1, 0)] != '\\' { // no escaped backslash
		e.half = slices.Clone(event[at[0] : at[1]-1])
		event = slices.Concat(event[:at[0]], event[at[1]-1:])
	}
	return event
}

// readLine returns the next line without its end.
func (e *events) readLine() ([]byte, error) {
	var line []byte
	for {
		if _, err := e.in.Peek(1); err != nil {
			return line, err
		}
		part, _ := e.in.Peek(e.in.Buffered()) // cannot fail
		if e.skipLF && part[0] == '\n' {
			part = part[1:]
			_, _ = e.in.Discard(1) // cannot fail
		}
		e.skipLF = false
		if len(part) == 0 {
			continue
		}
		end := bytes.IndexAny(part, "\r\n")
		if end < 0 {
			line = append(line, part...)
			_, _ = e.in.Discard(len(part)) // cannot fail
		} else {
			line = append(line, part[:end]...)
			e.skipLF = part[end] == '\r'
			_, _ = e.in.Discard(end + 1) // cannot fail
		}
		if len(line) > longestLine {
			return nil, errLongLine
		}
		if end >= 0 {
			return line, nil
		}
	}
}

// takeLine handles a line of the answer.
func (e *events) takeLine(line []byte) {
	if !e.begun {
		e.begun = true
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	text := bytes.TrimSpace(line)
	if len(text) == 0 {
		e.endEvent()
		return
	}
	name, value, ok := bytes.Cut(text, []byte(":"))
	switch field := strings.ToLower(strings.TrimSpace(string(name[:min(len(name), 8)]))); {
	case !ok:
	case field == "" || field == "id" || field == "retry":
		return
	case field == "event":
		e.name = strings.TrimSpace(string(value))
		return
	case field == "data":
		e.takeData(bytes.TrimSpace(value))
		return
	}
	if strings.EqualFold(string(text), "[DONE]") {
		e.takeData(text)
		return
	}
	if text[0] == '<' && len(e.plain.lines) == 0 {
		e.page = true
	}
	if e.data.open() { // an object whose further lines lack "data:"
		e.takeData(text)
		return
	}
	e.add(&e.plain, text)
}

// takeData handles a data line. A line that is complete by itself ends the event, because some vendors send no
// empty line.
func (e *events) takeData(value []byte) {
	if strings.EqualFold(string(value), "[DONE]") {
		e.endEvent()
		e.done, e.err = true, io.EOF
		return
	}
	e.add(&e.data, value)
}

// add adds a line and ends the event if it is complete.
func (e *events) add(to *pieces, line []byte) {
	if to.size+len(line) > longestLine {
		e.err = errLongLine
		return
	}
	to.add(line)
	if to.complete() {
		e.enqueue(to)
	}
}

func (e *events) endEvent() {
	if len(e.data.lines) > 0 {
		e.enqueue(&e.data)
	}
	e.name = ""
}

func (e *events) endPlain() {
	if len(e.plain.lines) > 0 && e.plain.begun {
		e.enqueue(&e.plain)
	}
}

// enqueue queues the event that p holds, or those of its lines that are events by themselves if it holds none.
func (e *events) enqueue(p *pieces) {
	whole := bytes.Join(p.lines, []byte("\n"))
	lines := p.lines
	*p = pieces{}
	if event, ok := repaired(whole); ok {
		e.queue = append(e.queue, e.named(event))
		return
	}
	found := false
	for _, line := range lines {
		for _, event := range e.glued(line) {
			e.queue, found = append(e.queue, event), true
		}
	}
	if !found {
		e.odd++
	}
}

// glued returns the events in a line that lacks the line ends between them.
func (e *events) glued(line []byte) (found [][]byte) {
	for len(line) > 0 && line[0] == '{' {
		d := json.NewDecoder(bytes.NewReader(line))
		var event json.RawMessage
		if d.Decode(&event) != nil {
			break
		}
		found = append(found, e.named(event))
		line = bytes.TrimSpace(line[d.InputOffset():])
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("data:")))
		if bytes.HasPrefix(line, []byte("[DONE]")) {
			e.done, e.err = true, io.EOF
		}
	}
	return found
}

// named returns an event, and that of an event named "error" as the protocol's error.
func (e *events) named(event []byte) []byte {
	if e.name != "error" || bytes.Contains(event, []byte(`"error"`)) || bytes.Contains(event, []byte(`"choices"`)) {
		return event
	}
	return fmt.Appendf(nil, `{"error":%s}`, event)
}

// pieces are the lines of an event. They track brackets, so that the end of a JSON value is known without
// parsing it after every line.
type pieces struct {
	lines                   [][]byte
	size, depth             int
	begun, inText, escaping bool
}

func (p *pieces) add(line []byte) {
	p.lines = append(p.lines, line)
	p.size += len(line)
	for _, c := range line {
		switch {
		case p.escaping:
			p.escaping = false
		case p.inText && c == '\\':
			p.escaping = true
		case c == '"':
			p.inText = !p.inText
		case p.inText:
		case c == '{' || c == '[':
			p.begun = true
			p.depth++
		case c == '}' || c == ']':
			p.depth--
		}
	}
}

func (p *pieces) complete() bool { return p.begun && p.depth <= 0 && !p.inText }

// open reports whether a JSON value has begun and not ended.
func (p *pieces) open() bool { return p.begun && !p.complete() }

// repaired returns data as valid JSON. It replaces what some servers write although JSON does not allow it:
// NaN, Infinity and None, and control characters in texts. ok is false if that does not help.
func repaired(data []byte) (out []byte, ok bool) {
	if json.Valid(data) {
		return data, true
	}
	inText := false
	for i := 0; i < len(data); i++ {
		c := data[i]
		switch {
		case inText && c == '\\' && i+1 < len(data):
			i++
			if strings.IndexByte(`"\/bfnrtu`, data[i]) < 0 { // an escape that JSON does not know
				out = append(out, data[i])
				continue
			}
			out = append(out, c, data[i])
			continue
		case inText && c < ' ':
			out = fmt.Appendf(out, `\u%04x`, c)
			continue
		case c == '"':
			inText = !inText
		case !inText:
			if n, word := bareWord(data[i:]); n > 0 {
				out = append(out, word...)
				i += n - 1
				continue
			}
		}
		out = append(out, c)
	}
	return out, json.Valid(out)
}

// bareWord returns the length of a word at the beginning of data that JSON does not know, and what it means.
func bareWord(data []byte) (n int, means string) {
	for _, w := range []struct{ word, means string }{
		{"NaN", "null"}, {"-Infinity", "null"}, {"Infinity", "null"}, {"None", "null"}, {"undefined", "null"}, {"True", "true"}, {"False", "false"},
	} {
		if bytes.HasPrefix(data, []byte(w.word)) {
			return len(w.word), w.means
		}
	}
	return 0, ""
}
