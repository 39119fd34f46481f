package vendor

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

const (
	// openTimeout is the maximum duration of the handshake.
	openTimeout = 5 * time.Second
	// writeTimeout is how long a write may block before the peer counts as gone.
	writeTimeout = 10 * time.Second
	// goodbyeTimeout is the maximum duration of sending the last message.
	goodbyeTimeout = 250 * time.Millisecond
	// maxMessage is the maximum size of a vendor message in bytes.
	maxMessage = 1 << 20
	// tick is how often a stream that waits for a final checks the clock.
	tick = 100 * time.Millisecond
	// takeSamples is the maximum number of samples taken from the queue at a time.
	takeSamples = 4800
)

// Stream implements [stt.Stream].
type Stream struct {
	dialect Dialect
	service Service
	conn    *websocket.Conn
	audio   *Audio
	results *Results
	heard   *hearing
	convert *Converter
	cancel  context.CancelCauseFunc
	tasks   sync.WaitGroup
	close   func()
}

var _ stt.Stream = (*Stream)(nil)

// Open connects and starts the stream. Its errors are those of [stt.Provider].Open.
func Open(ctx context.Context, r Request, d Dialect, o stt.Options) (*Stream, error) {
	convert, err := NewConverter(o)
	if err != nil {
		return nil, err
	}
	conn, err := dial(ctx, r)
	if err != nil {
		return nil, err
	}
	s := &Stream{
		dialect: d, service: r.Service, conn: conn, convert: convert,
		audio: NewAudio(Limit(o)), results: NewResults(),
	}
	s.heard = &hearing{results: s.results, timed: d.Timed, interim: o.Interim}
	life, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	s.cancel = cancel
	s.close = sync.OnceFunc(s.shutDown)
	s.tasks.Go(func() { s.endStream(s.writeSound(life)) })
	s.tasks.Go(func() { s.endStream(s.readEvents(life)) })
	return s, nil
}

// dial opens the connection.
func dial(ctx context.Context, r Request) (*websocket.Conn, error) {
	ctx, cancel := r.Service.Opening(ctx, openTimeout)
	defer cancel()
	h := Handshake{URL: r.URL, Header: r.Header, Client: r.Service.Client(r.Client), MaxMessage: maxMessage}
	if r.Reason != nil {
		h.Refused = func(status int, body []byte) error {
			return r.Service.Refused(r.Service.ByStatus(status), status, r.Reason(body))
		}
	}
	return r.Service.DialWebSocket(ctx, h)
}

// Send implements [stt.Stream].
func (s *Stream) Send(samples []int16) error { return s.audio.Push(samples) }

// Finish implements [stt.Stream].
func (s *Stream) Finish(ctx context.Context) (int, error) {
	if ctx.Err() != nil {
		return 0, Stopped(ctx)
	}
	return s.audio.Finish(s.results)
}

// Recv implements [stt.Stream].
func (s *Stream) Recv(ctx context.Context) (stt.Result, error) { return s.results.Recv(ctx) }

// Stats implements [stt.Stream].
func (s *Stream) Stats() stt.Stats {
	return stt.Stats{Dropped: s.audio.Dropped(), Late: s.results.Late()}
}

// Close implements [stt.Stream].
func (s *Stream) Close() error {
	s.close()
	return nil
}

func (s *Stream) shutDown() {
	s.audio.Fail(stt.ErrClosed)
	if s.results.Err() == nil && len(s.dialect.Goodbye) > 0 {
		ctx, cancel := context.WithTimeout(context.Background(), goodbyeTimeout)
		_ = s.conn.Write(ctx, websocket.MessageText, s.dialect.Goodbye) // best effort
		cancel()
	}
	s.endStream(stt.ErrClosed)
	s.tasks.Wait()
	_ = s.conn.CloseNow() // the peer may have closed it
}

// endStream ends all tasks of the stream; the first error counts.
func (s *Stream) endStream(err error) {
	s.audio.Fail(err)
	s.results.Fail(err)
	s.cancel(err)
}

// writeSound sends audio and requests for finals until the stream ends.
func (s *Stream) writeSound(ctx context.Context) error {
	var (
		taken   = make([]int16, takeSamples)
		pending []int16 // converted but not yet sent
		message []byte
		sent    int
		idle    = time.Now()
	)
	for {
		n, mark := s.audio.Pop(taken)
		if n == 0 && !mark {
			if err := s.awaitWork(ctx, idle); err != nil {
				return err
			}
			if time.Since(idle) >= s.dialect.Idle {
				if err := s.putMessage(ctx, websocket.MessageText, s.dialect.KeepAlive); err != nil {
					return err
				}
				idle = time.Now()
			}
			continue
		}
		pending = append(pending, s.convert.Convert(taken[:n], mark)...)
		if len(pending) > 0 && (mark || len(pending) >= s.dialect.MinAudio) {
			message = s.dialect.Audio(message[:0], pending)
			if err := s.putMessage(ctx, s.dialect.Type, message); err != nil {
				return err
			}
			sent += len(pending)
			pending = pending[:0]
		}
		if mark {
			s.heard.recordRequest(placeOf(sent))
			if err := s.putMessage(ctx, websocket.MessageText, s.dialect.Finish); err != nil {
				return err
			}
		}
		idle = time.Now()
	}
}

// placeOf returns the stream time of a sample count.
func placeOf(samples int) time.Duration {
	return time.Duration(samples) * time.Second / Rate
}

// awaitWork waits until there may be something to do. An error ends the stream.
func (s *Stream) awaitWork(ctx context.Context, idle time.Time) error {
	pause := time.Until(idle.Add(s.dialect.Idle))
	if s.heard.isWaiting() {
		pause = min(pause, tick)
	}
	timer := time.NewTimer(max(pause, 0))
	defer timer.Stop()
	select {
	case <-s.audio.Ready():
		return nil
	case <-timer.C:
		return s.heard.expireFinal(time.Now())
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// putMessage sends one message.
func (s *Stream) putMessage(ctx context.Context, kind websocket.MessageType, message []byte) error {
	bounded, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	err := s.conn.Write(bounded, kind, message)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case bounded.Err() != nil:
		return fmt.Errorf("%w: it took no sound for %s", stt.ErrUnavailable, writeTimeout)
	}
	return s.service.Unreachable(ctx, err)
}

// readEvents handles the vendor's messages until the stream ends.
func (s *Stream) readEvents(ctx context.Context) error {
	for {
		_, data, err := s.conn.Read(ctx)
		if err != nil {
			return s.whyBroken(ctx, err)
		}
		event, err := s.dialect.Parse(data)
		if err != nil {
			return fmt.Errorf("hearing: %w", redacted{err, s.service})
		}
		s.heard.handleEvent(event)
	}
}

// whyBroken returns the reason why the connection ended.
func (s *Stream) whyBroken(ctx context.Context, err error) error {
	var closed websocket.CloseError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &closed):
		return fmt.Errorf("%w: it closed the connection with code %d: %s",
			stt.ErrUnavailable, closed.Code, s.service.Printable(closed.Reason))
	}
	return s.service.Unreachable(ctx, err)
}

// redacted is an error whose text does not contain the key.
type redacted struct {
	error
	service Service
}

func (r redacted) Error() string { return r.service.Printable(r.error.Error()) }
func (r redacted) Unwrap() error { return r.error }
