package upstream

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

// remaining is how long the pause still lasts.
func (p *pause) remaining() time.Duration {
	until := p.until.Load()
	if until == 0 {
		return 0
	}
	return max(time.Until(time.Unix(0, until)), 0)
}

// pacer keeps the pauses a server asks for with 429 and bounds the request that ends a session.
type pacer struct {
	base  http.RoundTripper
	pause *pause
}

func (p *pacer) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodDelete {
		ctx, cancel := context.WithTimeout(r.Context(), goodbyeTimeout)
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
