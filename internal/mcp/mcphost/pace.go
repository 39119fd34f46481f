package mcphost

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const (
	// defaultPause is how long a server that answers 429 is left alone if it
	// does not say; longestPause bounds what it says.
	defaultPause = 5 * time.Second
	longestPause = 5 * time.Minute
)

// errPaused is how a request ends that the server answers with 429: nothing
// was done, and the connection is as good as before.
var errPaused = errors.New("the server asked for a pause")

// pause is a time a server asked to be left alone, and whether it turned the
// last requests away. The zero value is no pause.
type pause struct {
	until   atomic.Int64 // Unix nanoseconds
	refused atomic.Bool  // the server is there and does not want us
}

// left is how long the pause still lasts.
func (p *pause) left() time.Duration {
	until := p.until.Load()
	if until == 0 {
		return 0
	}
	return max(time.Until(time.Unix(0, until)), 0)
}

// pacer keeps the pauses a server asks for with 429 and bounds the farewell.
type pacer struct {
	base  http.RoundTripper
	pause *pause
}

func (p *pacer) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodDelete {
		ctx, cancel := context.WithTimeout(r.Context(), farewellTimeout)
		defer cancel() // nobody reads the answer's body
		r = r.WithContext(ctx)
	}
	resp, err := p.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 400 && resp.StatusCode < 500 {
		p.pause.refused.Store(true)
	}
	if resp.StatusCode == http.StatusTooManyRequests {
		p.pause.until.Store(time.Now().Add(retryAfter(resp.Header.Get("Retry-After"))).UnixNano())
		_ = resp.Body.Close() // it says no more than its status
		return nil, errPaused
	}
	return resp, nil
}

// retryAfter reads the header of that name (RFC 9110, section 10.2.3).
func retryAfter(header string) time.Duration {
	d := defaultPause
	if seconds, err := strconv.Atoi(strings.TrimSpace(header)); err == nil {
		d = time.Duration(min(max(seconds, 0), 3600)) * time.Second
	} else if at, err := http.ParseTime(header); err == nil {
		d = time.Until(at)
	}
	return min(max(d, 0), longestPause)
}

// limiter bounds answers that are no event streams, which the SDK reads whole.
// A call whose answer is too long gets one that says so.
type limiter struct{ base http.RoundTripper }

func (l *limiter) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.base.RoundTrip(r)
	if err != nil || strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return resp, err
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
