package mcphost

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const (
	// defaultPause is the pause after a 429 response without a Retry-After header.
	defaultPause = 5 * time.Second
	// longestPause bounds the pause that a server may request.
	longestPause = 5 * time.Minute
)

// errPaused is the error of a request that the server answered with 429. The request had no effect, and the
// connection is still good.
var errPaused = errors.New("the server asked for a pause")

// pause records how long a server wants no requests, and whether it rejected recent ones. The zero value
// means no pause.
type pause struct {
	until    atomic.Int64 // Unix nanoseconds
	rejected atomic.Bool  // the server answered with a status of 400 to 499
}

// remaining returns the rest of the pause.
func (p *pause) remaining() time.Duration {
	until := p.until.Load()
	if until == 0 {
		return 0
	}
	return max(time.Until(time.Unix(0, until)), 0)
}

// pacer records the pauses that a server requests, and bounds the request that ends a session.
type pacer struct {
	base  http.RoundTripper
	pause *pause
}

func (p *pacer) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodDelete {
		ctx, cancel := context.WithTimeout(r.Context(), goodbyeTimeout)
		defer cancel() // the answer's body is not read
		r = r.WithContext(ctx)
	}
	resp, err := p.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 400 && resp.StatusCode < 500 {
		p.pause.rejected.Store(true)
	}
	if resp.StatusCode == http.StatusTooManyRequests {
		p.pause.until.Store(time.Now().Add(retryAfter(resp.Header.Get("Retry-After"))).UnixNano())
		_ = resp.Body.Close() // the body is not needed
		return nil, errPaused
	}
	return resp, nil
}

// retryAfter reads a Retry-After header (RFC 9110, section 10.2.3).
func retryAfter(header string) time.Duration {
	d := defaultPause
	if seconds, err := strconv.Atoi(strings.TrimSpace(header)); err == nil {
		d = time.Duration(min(max(seconds, 0), 3600)) * time.Second
	} else if at, err := http.ParseTime(header); err == nil {
		d = time.Until(at)
	}
	return min(max(d, 0), longestPause)
}
