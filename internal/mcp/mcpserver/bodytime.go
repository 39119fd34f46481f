package mcpserver

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"time"
)

// patientBody is a request's body that must come within a time. The answer may
// take as long as it likes.
type patientBody struct {
	io.ReadCloser
	control *http.ResponseController
}

// patient bounds the time that the body of r may take from now on, also if
// nobody reads it: net/http then does, to keep the connection, and a client
// that drips it would hold the connection for ever.
func (w *Web) patient(rw http.ResponseWriter, r *http.Request) {
	if r.ContentLength == 0 {
		return
	}
	control := http.NewResponseController(rw)
	_ = control.SetReadDeadline(time.Now().Add(cmp.Or(w.o.bodyTime, bodyTime))) // where it is not supported there is no deadline
	r.Body = &patientBody{ReadCloser: r.Body, control: control}
}

func (b *patientBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
