package observe

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

const (
	// checkTimeout limits one check.
	checkTimeout = 2 * time.Second
	// checkCache is how long a result is reused, so that probes cannot load the server.
	checkCache = time.Second
	// maxReason is the longest reason in runes.
	maxReason = 100
)

// Reason is an error that may be shown to any client that probes: it names no address,
// path or secret. Checks return it or wrap it; of every other error the probe learns only
// that the check fails.
type Reason string

// Error returns the reason.
func (r Reason) Error() string { return string(r) }

// Health reports whether the process is alive and whether it is ready for work. It is
// safe for concurrent use.
type Health struct {
	mu       sync.Mutex // guards the fields below
	log      *slog.Logger
	checks   []*check
	draining bool
	closed   bool
	round    *round
	running  sync.WaitGroup // calls of checks; Add happens under mu
}

// check is one condition of readiness.
type check struct {
	name string
	run  func(ctx context.Context) error

	// Guarded by the mutex of Health.
	busy    bool // a call of run has not returned
	failing bool // the last outcome
}

// round is one run of all checks. Its results are valid once done is closed.
type round struct {
	done    chan struct{}
	at      time.Time
	results []result
}

type result struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Reason string `json:"reason,omitempty"`
}

// NewHealth returns a Health without checks: ready until it drains.
func NewHealth() *Health { return &Health{log: slog.New(slog.DiscardHandler)} }

// SetLogger logs changes of a check's result, with the whole error.
func (h *Health) SetLogger(log *slog.Logger) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.log = log
}

// Add adds a check, which succeeds if it returns nil. run has two seconds, and must
// return once its context is done; it is not called again while a call is still running.
func (h *Health) Add(name string, run func(ctx context.Context) error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.checks = append(h.checks, &check{name: untrusted.Clean(name, maxReason), run: run})
	h.round = nil
}

// SetDraining makes the process permanently not ready, because it finishes its work and
// accepts no more.
func (h *Health) SetDraining() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.draining = true
}

// Shutdown drains and waits until no check runs, or until ctx is done.
func (h *Health) Shutdown(ctx context.Context) error {
	h.mu.Lock()
	h.draining, h.closed = true, true
	h.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.running.Wait()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for health checks: %w", ctx.Err())
	}
}

// Live reports whether the process runs at all: 200 and "ok".
func (h *Health) Live() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !reading(w, r) {
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		writeAnswer(w, http.StatusOK, []byte("ok\n"))
	})
}

// reading reports whether a request only reads; otherwise it has been refused.
func reading(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	http.Error(w, "use GET", http.StatusMethodNotAllowed)
	return false
}

func writeAnswer(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may have left
}

// describeError returns the part of an error that a probe may see.
func describeError(err error) string {
	var shown Reason
	switch {
	case err == nil:
		return ""
	case errors.As(err, &shown):
		return untrusted.Clean(string(shown), maxReason)
	case errors.Is(err, context.DeadlineExceeded):
		return "timed out"
	}
	return "failing"
}
