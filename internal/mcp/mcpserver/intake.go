package mcpserver

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// intake bounds the reading of requests, before they are decoded.
type intake struct {
	max    int64 // maximum bytes of a body
	shares *shares
}

// bounded reads the whole request into memory and passes it on. It refuses a request as soon as a bound is
// exceeded.
func (w *Web) bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.Body == nil {
			next.ServeHTTP(rw, r)
			return
		}
		b := Reading{Max: w.intake.max, Expect: r.ContentLength, Share: w.intake.shares.of(access.SubjectFrom(r.Context()))}
		defer b.Free()
		err := b.ReadAll(r.Body)
		var shape *ShapeError
		switch {
		case errors.Is(err, ErrOverShare):
			w.refuseOverQuota(rw, r, targetRequest, &mcp.Refusal{Code: mcp.CodeCapacityExceeded, By: byLimits, Reason: err.Error(), RetryAfter: time.Second})
			return
		case errors.As(err, &shape):
			w.refuseBody(rw, r, shape.Error())
			return
		case errors.Is(err, ErrTooLarge):
			w.refuseBody(rw, r, fmt.Sprintf("request body exceeds %d bytes", b.Max))
			return
		}
		r.Body = &readBody{Reader: bytes.NewReader(b.Data()), Closer: r.Body, whole: b.Data(), err: err}
		next.ServeHTTP(rw, r)
	})
}

// readBody is a body that has been read, with the read error if there was one.
type readBody struct {
	*bytes.Reader
	io.Closer
	whole []byte // the whole body, even after reading
	err   error
}

func (b *readBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if errors.Is(err, io.EOF) && b.err != nil {
		err = b.err
	}
	return n, err
}

// WriteTo uses Read, because Read returns the stored error.
func (b *readBody) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, struct{ io.Reader }{b}) }
