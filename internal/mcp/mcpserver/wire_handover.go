package mcpserver

import (
	"context"
	"sync"
)

// frame is one frame of the input, or the error in its place.
type frame struct {
	data []byte
	err  error
}

// handover passes frames from the goroutine that reads a stream to the caller of ReadFrame, so that the
// caller can give up even though the read cannot be interrupted.
type handover struct {
	frames chan frame    // closed by the reading goroutine when it ends
	end    error         // why it ended; set before frames is closed
	closed chan struct{} // closed by shut

	mu        sync.Mutex // guards the fields below
	closedNow bool
	tasks     sync.WaitGroup // goroutines of the stream
}

func newHandover() *handover {
	return &handover{frames: make(chan frame), closed: make(chan struct{})}
}

// startTask runs task on a goroutine of the stream, unless the stream is closed.
func (h *handover) startTask(task func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closedNow {
		h.tasks.Go(task)
	}
}

// shut closes the handover. It returns true for the first call only.
func (h *handover) shut() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closedNow {
		return false
	}
	h.closedNow = true
	close(h.closed)
	return true
}

// pass passes f to a reader and reports whether a reader took it.
func (h *handover) pass(f frame) bool {
	select {
	case h.frames <- f:
		return true
	case <-h.closed:
		return false
	}
}

// endHandover tells readers that there are no more frames, and why.
func (h *handover) endHandover(why error) {
	h.end = why
	close(h.frames)
}

// receiveFrame returns the next frame.
func (h *handover) receiveFrame(ctx context.Context) ([]byte, error) {
	select {
	case f, ok := <-h.frames:
		if !ok {
			return nil, h.end
		}
		return f.data, f.err
	case <-h.closed:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
