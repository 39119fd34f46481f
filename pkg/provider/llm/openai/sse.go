package openai

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
)

const (
	// longestAnswer is the maximum number of bytes read of an answer, including errors.
	longestAnswer = 16 << 20
	// longestLine is the maximum length of an event.
	longestLine = 4 << 20
	// drainTime is the maximum wait for the end of a body whose answer is complete. A drained connection can
	// be reused for the next turn.
	drainTime = 50 * time.Millisecond
	drainSize = 4 << 10
)

// exchange is the HTTP client of a single request. It records what the client library discards (headers, the
// body, whether the stream was complete) and passes on a body that the library reads reliably.
type exchange struct {
	client *http.Client
	header http.Header
	body   io.ReadCloser // nil until a response has arrived
	done   bool          // "[DONE]" was received
}

// Do implements the library's HTTPDoer.
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	resp, err := x.client.Do(req)
	if err != nil {
		return nil, err
	}
	x.header, x.body = resp.Header, resp.Body
	limited := io.LimitReader(resp.Body, longestAnswer)
	switch {
	case resp.StatusCode >= http.StatusBadRequest || resp.StatusCode < http.StatusOK:
		resp.Body = body{limited, x.body}
	case isJSON(resp.Header):
		resp.Body = body{wholeAnswer(limited), x.body}
	default:
		resp.Body = body{&dataLines{in: bufio.NewReader(limited), x: x}, x.body}
	}
	return resp, nil
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

func isJSON(h http.Header) bool {
	mt, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && mt == "application/json"
}

// wholeAnswer converts an answer that was not streamed to a stream of one event.
func wholeAnswer(r io.Reader) io.Reader {
	raw, err := io.ReadAll(r)
	if err != nil {
		return failing{err}
	}
	var line bytes.Buffer
	line.WriteString("data: ")
	if err := json.Compact(&line, raw); err != nil {
		return failing{fmt.Errorf("reading a whole answer: %w", err)}
	}
	line.WriteString("\n\n")
	return &line
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

var errLongLine = errors.New("an event is longer than 4 MiB")

// dataLines passes on the data lines of an event stream. It drops comments and other fields, because the
// library tolerates few of them, and terminates the last line if the vendor did not. It passes on lines that
// are not part of an event stream, because some vendors report errors that way.
type dataLines struct {
	in      *bufio.Reader
	x       *exchange
	pending []byte
	err     error
}

func (d *dataLines) Read(p []byte) (int, error) {
	for len(d.pending) == 0 {
		if d.err != nil {
			return 0, d.err
		}
		d.next()
	}
	n := copy(p, d.pending)
	d.pending = d.pending[n:]
	return n, nil
}

func (d *dataLines) next() {
	var line []byte
	for {
		part, err := d.in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > longestLine {
			d.err = errLongLine
			return
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		d.err = err
		break
	}
	text := strings.TrimSpace(string(line))
	if text == "" || isField(text) {
		return
	}
	if d.err != nil && d.err != io.EOF {
		return // an incomplete line is not an event
	}
	if data, ok := strings.CutPrefix(text, "data:"); ok && strings.TrimSpace(data) == "[DONE]" {
		d.x.done = true
	}
	d.pending = append([]byte(text), '\n')
}

// isField reports whether a line of an event stream is not data.
func isField(line string) bool {
	for _, prefix := range []string{":", "event:", "id:", "retry:"} {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return false
}
