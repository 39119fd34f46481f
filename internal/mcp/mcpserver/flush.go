package mcpserver

import (
	"net/http"
	"sync"
	"time"
)

// flushWithin is how long the first event may wait for the next. Most answers
// come by then, and travel with it; a stream whose events come later begins
// hardly late.
const flushWithin = 5 * time.Millisecond

// lateFlush is a response whose first flush waits a little for more to flush:
// with sessions, the SDK begins every event stream with an empty event, of which
// the client has no use unless the connection breaks.
type lateFlush struct {
	http.ResponseWriter

	mu    sync.Mutex  // guards writing, and the fields below
	timer *time.Timer // nil before the first flush
	waits bool        // the first event waits
	over  bool        // the handler has returned
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

// FlushError flushes, the first time a little later.
func (w *lateFlush) FlushError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer == nil {
		w.timer, w.waits = time.AfterFunc(flushWithin, w.late), true
		return nil
	}
	w.timer.Stop()
	w.waits = false
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// late flushes the first event if it still waits.
func (w *lateFlush) late() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waits && !w.over {
		w.waits = false
		_ = http.NewResponseController(w.ResponseWriter).Flush() // whoever left needs nothing
	}
}

// endResponse is called when the handler returns, which flushes what is left.
func (w *lateFlush) endResponse() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	if w.timer != nil {
		w.timer.Stop()
	}
}

// Unwrap is for http.ResponseController.
func (w *lateFlush) Unwrap() http.ResponseWriter { return w.ResponseWriter }
