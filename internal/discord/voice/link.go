package voice

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// link is one connection to the gateway. It belongs to the goroutine of serve.
type link struct {
	ws       socket
	in       chan inbound
	interval time.Duration
	beat     *time.Timer
	nonce    int64 // of the last heartbeat
	sentAt   time.Time
	awaited  bool        // its answer has not come
	agreeing bool        // agree runs
	resuming bool        // nothing but heartbeats is sent before Resumed
	due      *time.Timer // when the encryption has something to do
	company  *time.Timer // when it is clear whether the bot is alone
	agree    *time.Timer // when the encryption must be agreed on anew
	limit    *time.Timer // when the session must have got on
}

// inbound is a message as it was read, or why there are no more.
type inbound struct {
	isBinary bool
	data     []byte
	err      error
}

// read passes messages on until the connection ends or ctx does, then why.
func (l *link) read(ctx context.Context) {
	for {
		isBinary, data, err := l.ws.read(ctx)
		select {
		case l.in <- inbound{isBinary, data, err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// whyClosed returns what the end of a connection means.
func whyClosed(err error) ending {
	var closed closedError
	if errors.As(err, &closed) {
		return endingOf(closed.code)
	}
	return endingOf(0)
}

// whyBroken returns why a write failed: what the reader learns at the same time
// says more than that.
func (l *link) whyBroken(ctx context.Context) ending {
	timer := time.NewTimer(closeTimeout)
	defer timer.Stop()
	for {
		select {
		case m := <-l.in:
			if m.err != nil {
				return whyClosed(m.err)
			}
		case <-timer.C:
			return endingOf(0)
		case <-ctx.Done():
			return ending{}
		}
	}
}

func (l *link) stopTimers() {
	for _, t := range []*time.Timer{l.beat, l.due, l.company, l.agree, l.limit} {
		t.Stop()
	}
}

// awaitEncryption has due tell when the encryption has something to do.
func (l *link) awaitEncryption(at time.Time) {
	if at.IsZero() {
		l.due.Stop()
		return
	}
	l.due.Reset(time.Until(at))
}

// send writes a message of JSON.
func (l *link) send(ctx context.Context, op int, data any) error {
	message, err := json.Marshal(struct {
		Op int `json:"op"`
		D  any `json:"d"`
	}{op, data})
	if err != nil {
		return err
	}
	return l.write(ctx, false, message)
}

func (l *link) write(ctx context.Context, isBinary bool, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	return l.ws.write(ctx, isBinary, data)
}
