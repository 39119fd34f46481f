package mcpserver

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/MrWong99/glyphoxa/internal/mcp/policy"
	"github.com/MrWong99/glyphoxa/internal/mcp/wire"
)

// firstRead is the room a request's body begins with, in bytes. Few need more.
const firstRead = 4 << 10

// errOverShare means that its caller has too much under way.
var errOverShare = errors.New("too much of what you sent is under way; wait for the answers, then send it again")

// intake reads requests within bounds, before anything decodes them.
type intake struct {
	max    int64 // bytes of a body
	shares *shares
}

// bounded reads a request whole, and hands it on in memory. What breaks a bound goes
// no further, and is refused while it is read.
func (w *Web) bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.Body == nil {
			next.ServeHTTP(rw, r)
			return
		}
		b := body{who: policy.SubjectFrom(r.Context()).Name, max: w.intake.max, shares: w.intake.shares}
		defer b.free()
		err := b.readAll(r.Body)
		var shape *wire.ShapeError
		switch {
		case errors.Is(err, errOverShare):
			rw.Header().Set("Retry-After", "1")
			http.Error(rw, err.Error(), http.StatusTooManyRequests)
			return
		case errors.As(err, &shape):
			http.Error(rw, shape.Error(), http.StatusRequestEntityTooLarge)
			return
		case errors.Is(err, wire.ErrTooLarge):
			http.Error(rw, fmt.Sprintf("request body exceeds %d bytes", b.max), http.StatusRequestEntityTooLarge)
			return
		}
		r.Body = &readBody{Reader: bytes.NewReader(b.data), Closer: r.Body, err: err}
		next.ServeHTTP(rw, r)
	})
}

// body is a request's body while it is read, and after.
type body struct {
	who    string
	max    int64
	shares *shares
	shape  wire.Shape
	data   []byte // its capacity is what is held of the share
}

// readAll reads r to its end. Its error is errOverShare, wraps [wire.ErrTooLarge], or
// is that of r.
func (b *body) readAll(r io.Reader) error {
	for {
		if len(b.data) == cap(b.data) {
			if err := b.grow(); err != nil {
				return err
			}
		}
		n, err := r.Read(b.data[len(b.data):cap(b.data)])
		read := b.data[len(b.data) : len(b.data)+n]
		b.data = b.data[:len(b.data)+n]
		if int64(len(b.data)) > b.max {
			return wire.ErrTooLarge
		}
		if _, broken := b.shape.Write(read); broken != nil {
			return broken
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// grow makes room for more, out of the caller's share.
func (b *body) grow() error {
	room := min(max(firstRead, 2*int64(cap(b.data))), b.max+1)
	if !b.shares.take(b.who, room-int64(cap(b.data))) {
		return errOverShare
	}
	larger := make([]byte, len(b.data), room)
	copy(larger, b.data)
	b.data = larger
	return nil
}

// free ends what the body holds of its caller's share.
func (b *body) free() { b.shares.giveBack(b.who, int64(cap(b.data))) }

// readBody is a body that was read, with the error that ended it if there was one.
type readBody struct {
	*bytes.Reader
	io.Closer
	err error
}

func (b *readBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if errors.Is(err, io.EOF) && b.err != nil {
		err = b.err
	}
	return n, err
}

// WriteTo keeps to Read, which knows the error.
func (b *readBody) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, struct{ io.Reader }{b}) }
