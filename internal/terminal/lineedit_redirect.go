package terminal

import (
	"io"
	"sync"
)

// Redirect is a writer whose destination can change. It is safe for concurrent use.
type Redirect struct {
	mu sync.Mutex // guards the field below
	w  io.Writer
}

// NewRedirect returns a Redirect that writes to w.
func NewRedirect(w io.Writer) *Redirect { return &Redirect{w: w} }

// Write implements io.Writer.
func (r *Redirect) Write(p []byte) (int, error) {
	r.mu.Lock()
	w := r.w
	r.mu.Unlock()
	return w.Write(p)
}

// To redirects output to w until back is called. On a nil Redirect, it does nothing.
func (r *Redirect) To(w io.Writer) (back func()) {
	if r == nil {
		return func() {}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.w
	r.w = w
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.w = before
	}
}
