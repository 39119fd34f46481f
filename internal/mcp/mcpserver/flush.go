package mcpserver

import (
	"net/http"
	"sync"
	"time"
)

// flushWithin is how long the first event may wait for the next. Most answers arrive within this time and are
// sent together with it. A stream whose next event comes later starts with a negligible delay.
const flushWithin = 5 * time.Millisecond

// lateFlush is a response that delays its first flush a little. With sessions, the SDK starts every event
// stream with an empty event, which is useless to the client unless the connection breaks, so it is sent
// together with the next event.
type lateFlush struct {
	http.ResponseWriter

	mu       sync.Mutex  // guards writing, and the fields below
	timer    *time.Timer // nil before the first flush
	waits    bool        // the first event is waiting
	finished bool        // the handler has returned
}

func (w *lateFlush) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ResponseWriter.Write(p)
}

func (w *lateFlush) WriteHeader(code int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ResponseWriter.WriteHeader(code)
}

// FlushError flushes. The first flush is delayed.
func (w *lateFlush) FlushError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer == nil {
		w.timer, w.waits = time.AfterFunc(flushWithin, w.flushPending), true
		return nil
	}
	w.timer.Stop()
	w.waits = false
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// flushPending flushes the first event if it is still waiting.
func (w *lateFlush) flushPending() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waits && !w.finished {
		w.waits = false
		_ = http.NewResponseController(w.ResponseWriter).Flush() // an error means that the client has gone
	}
}

// endResponse is called when the handler returns; net/http then flushes the rest.
func (w *lateFlush) endResponse() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.finished = true
	if w.timer != nil {
		w.timer.Stop()
	}
}

// Unwrap supports [http.ResponseController].
func (w *lateFlush) Unwrap() http.ResponseWriter { return w.ResponseWriter }
