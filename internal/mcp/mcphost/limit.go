package mcphost

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// limiter bounds the messages of a web server; the SDK would read any length.
// A call whose answer is too long gets one that says so.
type limiter struct{ base http.RoundTripper }

func (l *limiter) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		resp.Body = &events{src: resp.Body, in: bufio.NewReader(resp.Body), call: r}
		return resp, nil
	}
	if n := resp.ContentLength; 0 <= n && n <= maxMessage {
		return resp, nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxMessage+1))
	_ = resp.Body.Close() // all that is wanted of it has been read
	if err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	if len(body) > maxMessage {
		if body, err = refusal(r); err != nil {
			return nil, err
		}
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return resp, nil
}

// refusal is the answer to a call whose own answer is too long.
func refusal(r *http.Request) ([]byte, error) {
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

// events passes an event stream on event by event. One that is too long is
// replaced by a refusal, and ends the stream.
type events struct {
	src  io.ReadCloser
	in   *bufio.Reader
	call *http.Request // the stream answers it
	buf  []byte        // of the event
	left []byte        // what is still to be passed on
	err  error         // what comes after it
}

func (e *events) Read(p []byte) (int, error) {
	if len(e.left) == 0 && e.err == nil {
		e.next()
	}
	if len(e.left) == 0 {
		return 0, e.err
	}
	n := copy(p, e.left)
	e.left = e.left[n:]
	return n, nil
}

// next reads an event, to the blank line that ends it.
func (e *events) next() {
	e.buf = e.buf[:0]
	if cap(e.buf) > readAhead {
		e.buf = nil
	}
	for start := 0; ; {
		piece, err := e.in.ReadSlice('\n')
		e.buf = append(e.buf, piece...)
		switch {
		case len(e.buf) > maxMessage:
			e.refuse()
			return
		case errors.Is(err, bufio.ErrBufferFull):
			continue // the line is not over
		case err != nil:
			e.left, e.err = e.buf, err
			return
		case len(bytes.TrimRight(e.buf[start:], "\r\n")) == 0:
			e.left = e.buf
			return
		}
		start = len(e.buf)
	}
}

func (e *events) refuse() {
	answer, err := refusal(e.call)
	e.buf = nil
	if e.err = err; err == nil {
		e.left, e.err = fmt.Appendf(nil, "data: %s\n\n", answer), io.EOF
	}
}

func (e *events) Close() error { return e.src.Close() }
