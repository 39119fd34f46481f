package mcphost

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
)

const (
	// maxMessage bounds one message of a server, in bytes.
	maxMessage = 16 << 20
	// maxSkipped bounds how much of a longer message is skipped to find its end, in bytes.
	maxSkipped = 256 << 20
	// maxStray bounds what a server may write between two messages, in bytes.
	maxStray = 16 << 20
	// readAhead is the size of the read buffer, in bytes. Longer lines are copied.
	readAhead = 64 << 10
	// endRoom is how many bytes at each end of an oversized message are searched for its id.
	endRoom = 128
)

// errEndlessLine means that a line is longer than maxSkipped.
var errEndlessLine = fmt.Errorf("a line of more than %d MiB", maxSkipped>>20)

// oversized is the error for a message longer than maxMessage. It keeps both ends, because encoders put the
// id there.
type oversized struct{ head, tail []byte }

func (o *oversized) Error() string {
	return fmt.Sprintf("a message of more than %d MiB", maxMessage>>20)
}

// Encoders put the id of a response before or after its result. These patterns cannot match an id inside the
// result, because in a string its quotes would be escaped, and in a nested object its brace would not be the
// first or the last.
var (
	idInFront  = regexp.MustCompile(`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,`)
	idAtTheEnd = regexp.MustCompile(`,\s*"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)
)

// responseID finds the id of a response in the two ends of its line.
func responseID(head, tail []byte) (int64, bool) {
	m := idInFront.FindSubmatch(head)
	if m == nil {
		if m = idAtTheEnd.FindSubmatch(tail); m == nil {
			return 0, false
		}
	}
	id, err := strconv.ParseInt(string(m[1]), 10, 64)
	return id, err == nil
}

// lineReader splits a stream into lines of bounded length.
type lineReader struct{ r *bufio.Reader }

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{bufio.NewReaderSize(r, readAhead)}
}

// nextLine returns the next line, which the caller may keep. It skips a line longer than limit and returns
// both ends of it as an *oversized error; the next call then reads the next line.
func (l *lineReader) nextLine(limit int) ([]byte, error) {
	piece, err := l.r.ReadSlice('\n')
	if err == nil {
		return bytes.Clone(piece), nil
	}
	if !errors.Is(err, bufio.ErrBufferFull) {
		return bytes.Clone(piece), err
	}
	line := append(make([]byte, 0, 4*readAhead), piece...)
	for len(line) <= limit {
		if piece, err = l.r.ReadSlice('\n'); err == nil || !errors.Is(err, bufio.ErrBufferFull) {
			return append(line, piece...), err
		}
		line = append(line, piece...)
	}
	return nil, l.skipLine(line)
}

// nextBody returns the n bytes after a Content-Length header and the headers that follow it.
func (l *lineReader) nextBody(n int) ([]byte, error) {
	for {
		line, err := l.nextLine(endRoom)
		if err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			break
		}
	}
	body := make([]byte, n)
	_, err := io.ReadFull(l.r, body)
	return body, err
}

var lengthHeader = regexp.MustCompile(`(?i)^content-length: *(\d{1,8})\s*$`)

// contentLength returns the length in a header with which some programs, used to editors' protocols, begin
// each message.
func contentLength(line []byte) (n int, ok bool) {
	m := lengthHeader.FindSubmatch(line)
	if m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(string(m[1]))
	return n, err == nil && n <= maxMessage
}

// spread joins the lines of a message that a program writes over several lines, as printers for people do: the
// first holds only a bracket, and no other begins with one.
type spread struct {
	text  []byte
	state nesting // of text
}

// join returns the text to decode, and whether it is whole. Otherwise it keeps the line. lost is how many bytes
// of an earlier text do not become a message.
func (s *spread) join(line []byte) (text []byte, whole bool, lost int) {
	opens := len(line) > 0 && (line[0] == '{' || line[0] == '[' || bytes.HasPrefix(line, byteOrderMark))
	if s.text == nil || opens || len(s.text)+len(line) > maxMessage {
		lost, s.text = len(s.text), nil
		if bare := trimMessage(line); len(bare) != 1 || bare[0] != '{' && bare[0] != '[' {
			return line, true, lost
		}
		s.state = nesting{}
	}
	s.text = append(s.text, line...)
	if s.state.scan(trimMessage(line)); s.state.depth > 0 {
		return nil, false, lost
	}
	text, s.text = s.text, nil
	return text, true, lost
}

// nesting follows the nesting of a JSON text.
type nesting struct {
	depth   int
	text    bool // within a string
	escaped bool // after a backslash
}

func (n *nesting) scan(part []byte) {
	for _, c := range part {
		switch {
		case n.escaped:
			n.escaped = false
		case n.text:
			n.text, n.escaped = c != '"', c == '\\'
		case c == '"':
			n.text = true
		case c == '{' || c == '[':
			n.depth++
		case c == '}' || c == ']':
			n.depth--
		}
	}
}

// findAnswer returns the first JSON-RPC answer within a line of other text, or nil.
func findAnswer(line []byte) []byte {
	for from, tries := 0, 0; tries < 8; tries++ {
		at := bytes.IndexByte(line[from:], '{')
		if at < 0 {
			return nil
		}
		from += at
		var raw json.RawMessage
		if json.NewDecoder(bytes.NewReader(line[from:])).Decode(&raw) == nil {
			if o := objectOf(raw); o["method"] == nil && (o["result"] != nil || o["error"] != nil) {
				return raw
			}
		}
		from++
	}
	return nil
}

// skipLine reads to the end of a line that is too long.
func (l *lineReader) skipLine(line []byte) error {
	over := &oversized{head: bytes.Clone(line[:endRoom]), tail: bytes.Clone(line[len(line)-endRoom:])}
	for skipped := len(line); ; {
		piece, err := l.r.ReadSlice('\n')
		if skipped += len(piece); skipped > maxSkipped {
			return errEndlessLine
		}
		over.tail = append(over.tail, piece...)
		over.tail = over.tail[max(0, len(over.tail)-endRoom):]
		if err == nil {
			return over
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}
