package mcphost

import (
	"bufio"
	"bytes"
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
