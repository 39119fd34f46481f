package observe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"
)

var (
	errPanicked = errors.New("check panicked")
	errBusy     = Reason("an earlier check has not returned")
)

// readiness is the response to a probe.
type readiness struct {
	Ready    bool     `json:"ready"`
	Draining bool     `json:"draining"`
	Checks   []result `json:"checks"`
}

// Ready reports whether the process is ready for work: 200, or 503 while a check fails or
// the process drains, with a JSON object that lists the checks. The checks run
// concurrently; a result is reused for a second, and probes that come while the checks
// run share it.
func (h *Health) Ready() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !reading(w, r) {
			return
		}
		state := h.state(r.Context())
		body, err := json.Marshal(state)
		if err != nil {
			http.Error(w, "no answer", http.StatusInternalServerError)
			return
		}
		status := http.StatusOK
		if !state.Ready {
			status = http.StatusServiceUnavailable
		}
		w.Header().Set("Content-Type", "application/json")
		writeAnswer(w, status, append(body, '\n'))
	})
}

func (h *Health) state(ctx context.Context) readiness {
	h.mu.Lock()
	if h.draining {
		h.mu.Unlock()
		return readiness{Draining: true, Checks: []result{}}
	}
	current, mine := h.current()
	checks := slices.Clone(h.checks)
	h.mu.Unlock()
	if mine {
		// Other clients share the result, so it must not depend on this client's context.
		h.performRound(context.WithoutCancel(ctx), current, checks)
	}
	select {
	case <-current.done:
	case <-ctx.Done():
		return readiness{Checks: []result{}}
	}
	h.mu.Lock()
	draining := h.draining
	h.mu.Unlock()
	failed := slices.ContainsFunc(current.results, func(r result) bool { return !r.OK })
	return readiness{Ready: !failed && !draining, Draining: draining, Checks: current.results}
}

// current returns the current round, and whether the caller must perform it. h.mu is
// held.
func (h *Health) current() (r *round, mine bool) {
	if r := h.round; r != nil {
		select {
		case <-r.done:
			if time.Since(r.at) < checkCache {
				return r, false
			}
		default:
			return r, false
		}
	}
	h.round = &round{done: make(chan struct{})}
	return h.round, true
}

// performRound runs all checks concurrently and ends the round within two seconds in any
// case.
func (h *Health) performRound(ctx context.Context, r *round, checks []*check) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	type outcome struct {
		i   int
		err error
	}
	outcomes := make(chan outcome, len(checks))
	errs := make([]error, len(checks))
	for i, c := range checks {
		errs[i] = context.DeadlineExceeded
		h.startCheck(ctx, c, func(err error) { outcomes <- outcome{i, err} })
	}
	for range checks {
		select {
		case o := <-outcomes:
			errs[o.i] = o.err
			continue
		case <-ctx.Done():
		}
		break
	}
	r.results = make([]result, len(checks))
	for i, c := range checks {
		r.results[i] = result{Name: c.name, OK: errs[i] == nil, Reason: describeError(errs[i])}
	}
	r.at = time.Now()
	close(r.done)
	h.logChanges(ctx, checks, errs)
}

// startCheck runs a check in its own goroutine and calls then with its result. then never
// blocks.
func (h *Health) startCheck(ctx context.Context, c *check, then func(error)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.busy || h.closed {
		then(errBusy)
		return
	}
	c.busy = true
	h.running.Go(func() {
		err := safely(ctx, c.run)
		h.mu.Lock()
		c.busy = false
		h.mu.Unlock()
		then(err)
	})
}

// safely turns a panic into an error.
func safely(ctx context.Context, run func(ctx context.Context) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errPanicked, p)
		}
	}()
	return run(ctx)
}

// logChanges logs the checks whose result differs from the previous one.
func (h *Health) logChanges(ctx context.Context, checks []*check, errs []error) {
	h.mu.Lock()
	log := h.log
	var changed []int
	for i, c := range checks {
		if failing := errs[i] != nil; failing != c.failing {
			c.failing = failing
			changed = append(changed, i)
		}
	}
	h.mu.Unlock()
	for _, i := range changed {
		if errs[i] == nil {
			log.LogAttrs(ctx, slog.LevelInfo, "health check in order again", slog.String("check", checks[i].name))
		} else {
			log.LogAttrs(ctx, slog.LevelWarn, "health check fails", slog.String("check", checks[i].name), slog.Any("error", errs[i]))
		}
	}
}
