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
	// checkTimeout bounds one check.
	checkTimeout = 2 * time.Second
	// checkCache is how long an outcome stands in for new checks, so that
	// probing cannot load the server.
	checkCache = time.Second
	// maxReason is the longest reason in runes.
	maxReason = 100
)

// Reason is an error that may be shown to whoever probes: it names no address,
// path or secret. Checks return it or wrap it; of every other error the probe
// learns only that the check fails.
type Reason string

// Error is the reason.
func (r Reason) Error() string { return string(r) }

// Health tells whether the process lives and whether it is ready for work. It
// is safe for concurrent use.
type Health struct {
	mu       sync.Mutex // guards the fields below
	log      *slog.Logger
	checks   []*check
	draining bool
	closed   bool
	round    *round
	running  sync.WaitGroup // calls of checks; Add happens under mu
}

// check is one thing that readiness depends on.
type check struct {
	name string
	run  func(ctx context.Context) error

	// The mutex of Health guards these.
	busy    bool // a call of run has not returned
	failing bool // the last outcome
}

// round is one run of all checks. Its results are there once done is closed.
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

// NewHealth returns a health without checks: ready until it drains.
func NewHealth() *Health { return &Health{log: slog.New(slog.DiscardHandler)} }

// SetLogger makes changes of a check's outcome known to log, with the whole
// error.
func (h *Health) SetLogger(log *slog.Logger) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.log = log
}

// Add adds a check, which is in order if it returns nil. run is given two
// seconds and returns once its context is done; while a call of it has not
// returned it is not called again.
func (h *Health) Add(name string, run func(ctx context.Context) error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.checks = append(h.checks, &check{name: untrusted.Clean(name, maxReason), run: run})
	h.round = nil
}

// SetDraining makes the process not ready for good: it ends its work and wants
// no more.
func (h *Health) SetDraining() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.draining = true
}

// Shutdown drains and waits until no check runs, or ctx is done.
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

// Live answers whether the process runs at all: 200 and "ok".
func (h *Health) Live() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !reading(w, r) {
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		writeAnswer(w, http.StatusOK, []byte("ok\n"))
	})
}

// reading reports whether a request only reads; else it has been refused.
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
	_, _ = w.Write(body) // a client that has left needs no answer
}

// describeError is what a probe may know of an error.
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
