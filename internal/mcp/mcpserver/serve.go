package mcpserver

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// Stdio returns the frames of this process's standard streams.
func Stdio() Frames { return Lines(os.Stdin, os.Stdout, 0) }

// Serve serves one client over frames until the client leaves or ctx ends. After ctx has ended, it reads no
// more requests and gives running ones ten seconds to finish. A client that opens with the older dialect's
// handshake is served in that dialect.
func (s *Server) Serve(ctx context.Context, subject *access.Subject, frames Frames) error {
	return s.serveFrames(ctx, subject, frames, nil, 0)
}

// serveFrames is Serve with a share, which may be nil, for the memory of requests, and a deadline for the
// client's first message. If the deadline is not 0, a meaningful request must also follow soon.
func (s *Server) serveFrames(ctx context.Context, subject *access.Subject, frames Frames, share Share, first time.Duration) error {
	life, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	defer context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(drainTime, func() { end(errStopping) })
		context.AfterFunc(life, func() { timer.Stop() })
	})()
	p := &peer{subject: subject}
	older := false // the client speaks the older dialect
	conn := NewConn(untilStop{frames, ctx}, ConnOptions{Share: share, Refused: func(ctx context.Context, why Reason, says string) error {
		err := s.recordRefusedFrame(p.attend(ctx), why, says)
		if err != nil && !older {
			return s.dispatcher.refuse(err)
		}
		return plainly(err)
	}})
	defer conn.Close()
	p.feed = newFeed(life, &s.fanout, conn.Push)
	defer p.feed.close()

	begun, cancel := life, context.CancelFunc(func() {})
	if first > 0 {
		begun, cancel = context.WithTimeoutCause(life, first, errSilent)
	}
	req, _, err := conn.Peek(begun)
	cancel()
	if err != nil {
		return withoutEnd(err)
	}
	if older = IsHandshake(req); older {
		return withoutEnd(Serve(life, conn, backend{server: s, peer: p}))
	}
	checked := &checkedConn{Conn: conn, server: s, peer: p, begin: func() {}}
	if first > 0 {
		idle := time.AfterFunc(freshTime, func() { end(errSilent) })
		defer idle.Stop()
		checked.begin = func() { idle.Stop() }
	}
	return withoutEnd(s.sdk.Run(life, checked))
}

// errSilent ends a connection over which no request has come.
var errSilent = errors.New("it has said nothing yet")

// withoutEnd returns nil for the orderly end of a connection, else err.
func withoutEnd(err error) error {
	if errors.Is(err, ErrClosed) || errors.Is(err, ErrGone) || errors.Is(err, errStopping) || errors.Is(err, errSilent) {
		return nil
	}
	return withoutOrderlyEnd(err)
}

// untilStop ends the input when stop ends.
type untilStop struct {
	Frames
	stop context.Context
}

func (f untilStop) ReadFrame(ctx context.Context) ([]byte, error) {
	if f.stop.Err() != nil {
		return nil, io.EOF
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(f.stop, func() { cancel(io.EOF) })()
	return f.Frames.ReadFrame(ctx)
}
