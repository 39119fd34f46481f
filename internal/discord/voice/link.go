package voice

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// link is one connection to the gateway. Only the goroutine of serve uses it.
type link struct {
	ws       socket
	in       chan inbound
	interval time.Duration
	beat     *time.Timer
	nonce    int64 // of the last heartbeat
	sentAt   time.Time
	awaited  bool        // no acknowledgement has arrived
	agreeing bool        // agree is running
	resuming bool        // send only heartbeats before Resumed
	due      *time.Timer // when the encryption's next action is due
	company  *time.Timer // when it is clear whether the bot is alone
	agree    *time.Timer // when the encryption must have been agreed on again
	limit    *time.Timer // when the session must have made progress
}

// inbound is a received message, or the error that ended the connection.
type inbound struct {
	isBinary bool
	data     []byte
	err      error
}

// read passes on messages until the connection or ctx ends, and then the error.
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

// whyClosed returns the meaning of a connection's end.
func whyClosed(err error) ending {
	var closed closedError
	if errors.As(err, &closed) {
		return endingOf(closed.code)
	}
	return endingOf(0)
}

// whyBroken returns why a write failed. It waits for the reader's error, which is more specific.
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

// awaitEncryption sets due to the encryption's next action.
func (l *link) awaitEncryption(at time.Time) {
	if at.IsZero() {
		l.due.Stop()
		return
	}
	l.due.Reset(time.Until(at))
}

// send sends a JSON message.
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
