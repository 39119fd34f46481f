package mcpserver

import (
	"context"
	"errors"
)

// Frames is a stream of messages, one per frame.
type Frames interface {
	// ReadFrame returns the next frame, which the caller may keep. Only one goroutine may read at a time;
	// Close unblocks it. If ctx ends, the frame remains for the next call.
	//
	// The error is io.EOF if the input has ended but answers may still be written, [ErrGone] if the peer can
	// no longer read them, [ErrClosed] after Close, and [ErrTooLarge] for a frame that was skipped, after
	// which reading can continue.
	ReadFrame(ctx context.Context) ([]byte, error)
	// WriteFrame writes one whole frame. It is safe for concurrent use; Close unblocks it. A frame may still
	// be written after its writer gave up.
	WriteFrame(ctx context.Context, frame []byte) error
	// Close closes both directions. It may be called several times and concurrently.
	Close() error
}

// Errors of streams and connections, for use with [errors.Is].
var (
	// ErrClosed means that this side closed the connection.
	ErrClosed = errors.New("connection is closed")
	// ErrGone means that the peer has left.
	ErrGone = errors.New("peer is gone")
	// ErrTooLarge means that a frame exceeds the stream's limit.
	ErrTooLarge = errors.New("message is too large")
	// ErrMalformed means that the peer sent too many malformed messages in a row.
	ErrMalformed = errors.New("too many malformed messages in a row")
)

// DefaultMaxFrame is the default maximum size of a frame, in bytes.
const DefaultMaxFrame = 10 << 20
