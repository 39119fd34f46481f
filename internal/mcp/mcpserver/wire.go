package mcpserver

import (
	"context"
	"errors"
)

// Frames is a stream of messages, one frame each.
type Frames interface {
	// ReadFrame returns the next frame, which is the caller's to keep. Only one
	// goroutine may read at a time; Close unblocks it. A ctx that ends leaves
	// the frame for the next call.
	//
	// Its errors are io.EOF once the input has ended while answers may still be
	// written, [ErrGone] once nobody is there to read them, [ErrClosed] after
	// Close, and [ErrTooLarge] for a frame that was skipped: the one behind it
	// can be read then.
	ReadFrame(ctx context.Context) ([]byte, error)
	// WriteFrame writes one frame whole. It is safe for concurrent use; Close
	// unblocks it. A frame whose writer gave up may still be written.
	WriteFrame(ctx context.Context, frame []byte) error
	// Close ends both directions. It may be called many times and concurrently.
	Close() error
}

// Errors of streams and connections; test with errors.Is.
var (
	// ErrClosed means that this side closed the connection.
	ErrClosed = errors.New("connection is closed")
	// ErrGone means that the peer is no longer there.
	ErrGone = errors.New("peer is gone")
	// ErrTooLarge means that a frame was longer than the stream takes.
	ErrTooLarge = errors.New("message is too large")
	// ErrMalformed means that the peer sent nothing but malformed messages.
	ErrMalformed = errors.New("too many malformed messages in a row")
)

// DefaultMaxFrame is the longest frame taken unless a caller says otherwise,
// in bytes.
const DefaultMaxFrame = 10 << 20
