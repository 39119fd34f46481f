package openai

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// wire is an in-memory connection. It accepts writes only if takes is set.
type wire struct {
	in     chan []byte
	out    chan []byte
	takes  bool
	closed chan struct{}
}

func newWire(takes bool) *wire {
	return &wire{in: make(chan []byte, 64), out: make(chan []byte, 64), takes: takes, closed: make(chan struct{})}
}

func (w *wire) Send(ctx context.Context, message []byte) error {
	if !w.takes {
		<-ctx.Done()
		return ctx.Err()
	}
	select {
	case w.out <- message:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *wire) Recv(ctx context.Context) ([]byte, error) {
	select {
	case m := <-w.in:
		return m, nil
	case <-w.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (w *wire) Close() error { w.Abort(); return nil }

func (w *wire) Abort() {
	select {
	case <-w.closed:
	default:
		close(w.closed)
	}
}

func open(t *testing.T, w *wire) *Session {
	t.Helper()
	p, err := New("", nil)
	if err != nil {
		t.Fatal(err)
	}
	return newSession(p, w, s2s.SessionOptions{})
}

// TestSilentSetup checks that a server that does not confirm the session gets three
// seconds, and that its errors during that time do not end the session.
func TestSilentSetup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(true)
		s := open(t, w)
		defer s.Close()
		start := time.Now()
		if err := s.awaitSetup(t.Context()); err != nil || time.Since(start) != setupTimeout {
			t.Errorf("setup took %v and ended with %v", time.Since(start), err)
		}
		w.in <- []byte(`{"type":"error","error":{"type":"invalid_request_error","message":"no such event"}}`)
		if e, err := s.Recv(t.Context()); err != nil {
			t.Errorf("received %v, %v", e, err)
		}
	})
}

// TestTroubleBeforeTheBeginning checks that events from before the session's confirmation
// are reported afterwards, and that an error ends the session.
func TestTroubleBeforeTheBeginning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(true)
		s := open(t, w)
		defer s.Close()
		w.in <- []byte(`{`)
		w.in <- []byte(`{"type":"session.updated"}`)
		if err := s.awaitSetup(t.Context()); err != nil {
			t.Fatal(err)
		}
		if e, err := s.Recv(t.Context()); err != nil || !errors.Is(e.(s2s.Failed).Err, errMalformed) {
			t.Errorf("received %v, %v", e, err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		w := newWire(true)
		s := open(t, w)
		defer s.Close()
		w.in <- []byte(`{"type":"error","error":{"type":"invalid_request_error","message":"no such voice"}}`)
		if err := s.awaitSetup(t.Context()); !errors.Is(err, s2s.ErrRejected) || errors.Is(err, s2s.ErrClosed) {
			t.Errorf("err = %v", err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		w := newWire(true)
		s := open(t, w)
		defer s.Close()
		w.Abort()
		if err := s.awaitSetup(t.Context()); !errors.Is(err, s2s.ErrUnavailable) {
			t.Errorf("err = %v", err)
		}
	})
}

// TestAnswersPileUp checks that the session ends if a service reads nothing and keeps
// causing messages to send.
func TestAnswersPileUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(false)
		s := open(t, w)
		defer s.Close()
		synctest.Wait() // the pending messages are being sent
		s.mu.Lock()
		s.conversation.ready = true
		s.queued = 2 * maxQueued
		s.mu.Unlock()
		w.in <- []byte(`{"type":"response.created","response":{"id":"nobodys"}}`)
		if _, err := s.Recv(t.Context()); !errors.Is(err, s2s.ErrClosed) || !errors.Is(err, s2s.ErrUnavailable) {
			t.Errorf("received %v", err)
		}
	})
}

// TestGoingAway checks that a session's end is reported a minute ahead, by the service's
// own statement or by the known limit.
func TestGoingAway(t *testing.T) {
	for _, row := range []struct {
		name string
		life any // seconds from now
		want time.Duration
	}{
		{"by_the_vendor", nil, 59 * time.Minute},
		{"sooner", 1800, 29 * time.Minute},
		{"a_clock_gone_wrong", -7200, 59 * time.Minute},
		{"nonsense", 1e300, 59 * time.Minute},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWire(true)
				s := open(t, w)
				defer s.Close()
				start := time.Now()
				var at any
				if seconds, ok := row.life.(int); ok {
					at = start.Unix() + int64(seconds)
				}
				data, err := json.Marshal(map[string]any{"type": sessionUpdated, "session": map[string]any{"expires_at": at}})
				if err != nil {
					t.Fatal(err)
				}
				w.in <- data
				if err := s.awaitSetup(t.Context()); err != nil {
					t.Fatal(err)
				}
				e, err := s.Recv(t.Context())
				if err != nil || e != (s2s.GoingAway{Left: time.Minute}) || time.Since(start) != row.want {
					t.Errorf("after %v received %v, %v", time.Since(start), e, err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				if e, err := s.Recv(ctx); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("then received %v, %v", e, err)
				}
			})
		})
	}
}

// TestServiceTakesNothing checks that senders wait for room within their contexts, and
// that the session ends.
func TestServiceTakesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, newWire(false))
		defer s.Close()
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var err error
		for err == nil {
			err = s.SendAudio(ctx, make([]int16, rate))
		}
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		if err := s.SendAudio(t.Context(), make([]int16, rate)); !errors.Is(err, s2s.ErrClosed) || !errors.Is(err, s2s.ErrUnavailable) || time.Since(start) != writeTimeout {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		if _, err := s.Recv(t.Context()); !errors.Is(err, s2s.ErrClosed) {
			t.Errorf("received %v", err)
		}
	})
}

// TestCloseUnblocks checks that Close ends a blocked Recv, and may be repeated.
func TestCloseUnblocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, newWire(true))
		done := make(chan error)
		go func() {
			_, err := s.Recv(t.Context())
			done <- err
		}()
		synctest.Wait()
		for range 2 {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		if err := <-done; !errors.Is(err, s2s.ErrClosed) || errors.Is(err, s2s.ErrUnavailable) {
			t.Errorf("received %v", err)
		}
	})
}
