package mcpserver

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// flushes counts flushes and what was written before the last.
type flushes struct {
	header           http.Header
	n, bytes, behind int
}

// flushed is how often a response was flushed so far.
func flushed(w *lateFlush, under *flushes) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return under.n
}

func (f *flushes) Header() http.Header { return f.header }
func (f *flushes) WriteHeader(int)     {}
func (f *flushes) Flush()              { f.n++; f.bytes += f.behind; f.behind = 0 }
func (f *flushes) Write(p []byte) (int, error) {
	f.behind += len(p)
	return len(p), nil
}

func TestFirstFlushWaitsForTheNext(t *testing.T) {
	event := []byte("event")
	for _, row := range []struct {
		name string
		// after are the times between the events.
		after []time.Duration
		want  int
	}{
		{name: "the answer comes at once", after: []time.Duration{0, 0}, want: 1},
		{name: "the answer comes in time", after: []time.Duration{0, flushWithin - 1}, want: 1},
		{name: "the answer is late", after: []time.Duration{0, flushWithin + 1}, want: 2},
		{name: "progress before the answer", after: []time.Duration{0, 0, time.Second, time.Second}, want: 3},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				under := &flushes{}
				w := &lateFlush{ResponseWriter: under}
				for _, d := range row.after {
					time.Sleep(d)
					if _, err := w.Write(event); err != nil {
						t.Fatalf("Write = %v", err)
					}
					if err := http.NewResponseController(w).Flush(); err != nil {
						t.Fatalf("Flush = %v", err)
					}
				}
				w.endResponse()
				time.Sleep(time.Second)
				if under.n != row.want || under.behind > 0 {
					t.Errorf("flushed %d times with %d bytes left, want %d times and all", under.n, under.behind, row.want)
				}
			})
		})
	}
	t.Run("what comes alone is flushed in time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			under := &flushes{}
			w := &lateFlush{ResponseWriter: under}
			err := w.FlushError()
			if n := flushed(w, under); err != nil || n != 0 {
				t.Fatalf("FlushError = %v after %d flushes, want none yet", err, n)
			}
			time.Sleep(flushWithin)
			synctest.Wait()
			if n := flushed(w, under); n != 1 {
				t.Errorf("flushed %d times, want once", n)
			}
		})
	})
	t.Run("nothing is flushed behind the handler's back", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			under := &flushes{}
			w := &lateFlush{ResponseWriter: under}
			if err := w.FlushError(); err != nil {
				t.Fatalf("FlushError = %v", err)
			}
			w.endResponse()
			time.Sleep(time.Second)
			if under.n != 0 {
				t.Errorf("flushed %d times after the end, want none", under.n)
			}
		})
	})
}
