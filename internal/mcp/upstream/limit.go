package upstream

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

// limiter bounds the answers of a web server; the SDK would read any length. A
// call whose answer is too long gets one that says so, or none.
type limiter struct {
	base http.RoundTripper
	// logged is given the params of log messages; nil means nobody wants them.
	logged func(params json.RawMessage)
}

func (l *limiter) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		if r.Method == http.MethodPost {
			resp.Body = &stream{resp.Body, maxMessage}
		}
		if l.logged != nil {
			resp.Body = &tap{ReadCloser: resp.Body, logged: l.logged}
		}
		if call, ok := r.Context().Value(callKey{}).(string); ok {
			resp.Body = &marker{ReadCloser: resp.Body, call: call}
		}
		return resp, nil // the SDK bounds the events of others
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

// stream is an event stream that answers a call. It breaks off when it becomes
// too long; the SDK then ends the call and keeps the connection.
type stream struct {
	io.ReadCloser
	left int64 // bytes it may still have
}

func (s *stream) Read(p []byte) (int, error) {
	if s.left <= 0 {
		return 0, errors.New(tooLong)
	}
	n, err := s.ReadCloser.Read(p[:min(int64(len(p)), s.left)])
	s.left -= int64(n)
	return n, err
}
