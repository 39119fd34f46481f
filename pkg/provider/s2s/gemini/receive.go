package gemini

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/gorilla/websocket"
)

// isTransport reports whether the connection has failed, so that nothing more comes
// over it. All else is about one message.
func isTransport(err error) bool {
	var (
		closed  *websocket.CloseError
		network net.Error
	)
	return errors.As(err, &closed) || errors.As(err, &network) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe) ||
		strings.HasPrefix(err.Error(), "websocket: ") || strings.HasPrefix(err.Error(), "tls: ")
}

// reported returns the service's words in a message that is nothing but an error, of
// which the vendor's client makes an error that repeats the message.
func reported(err error) (string, bool) {
	_, message, ok := strings.Cut(err.Error(), "received error in response: ")
	if !ok {
		return "", false
	}
	var report struct {
		Error struct {
			Message string `json:"message"`
			Status  string `json:"status"`
		} `json:"error"`
	}
	if json.Unmarshal([]byte(message), &report) != nil || report.Error.Message == "" {
		return "it reported an error", true
	}
	return report.Error.Message + " " + report.Error.Status, true
}
