package mcpserver

import (
	"io"
	"net/http"
	"time"
)

// patientBody is a request's body that must come within a time: a client that
// drips it would else hold a connection for ever. The answer may take as long
// as it likes.
type patientBody struct {
	io.ReadCloser
	control *http.ResponseController
	begun   bool
}

func (b *patientBody) Read(p []byte) (int, error) {
	if !b.begun {
		b.begun = true
		_ = b.control.SetReadDeadline(time.Now().Add(bodyTime)) // where it is not supported there is no deadline
	}
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
