package mcpserver

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"time"
)

// patientBody is a request body that must arrive within a deadline. The deadline ends with the body, so it
// does not bound the answer.
type patientBody struct {
	io.ReadCloser
	control *http.ResponseController
}

// patient bounds the time in which the body of r may arrive. The bound also applies if the handler does not
// read the body, because net/http then reads it to reuse the connection, and a client that sends it drop by
// drop would hold the connection for ever.
func (w *Web) patient(rw http.ResponseWriter, r *http.Request) {
	if r.ContentLength == 0 {
		return
	}
	control := http.NewResponseController(rw)
	_ = control.SetReadDeadline(time.Now().Add(cmp.Or(w.o.bodyTime, bodyTime))) // no deadline where it is not supported
	r.Body = &patientBody{ReadCloser: r.Body, control: control}
}

func (b *patientBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
