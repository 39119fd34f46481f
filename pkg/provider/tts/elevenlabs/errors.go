package elevenlabs

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

// Errors of this provider.
var (
	// ErrRateLimited is a [tts.BusyError].
	ErrRateLimited = tts.ErrRateLimited
	ErrUnavailable = tts.ErrUnavailable
	ErrRejected    = tts.ErrRejected
)

// maxErrorBody is the maximum number of bytes read from an error response.
const maxErrorBody = 16 << 10

// refusal returns the error for a response without audio.
func (p *Provider) refusal(response *http.Response) error {
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
	if err != nil {
		raw = nil // the status is enough
	}
	status, message := explain(raw)
	reason, code := strings.TrimSpace(status+" "+message), response.StatusCode
	switch {
	case status == "voice_not_found", code == http.StatusNotFound:
		return fmt.Errorf("%w with elevenlabs: status %d: %s", tts.ErrVoice, code, p.service.Printable(reason))
	case status == "quota_exceeded": // retrying does not help
		return p.service.Refused(ErrRejected, code, reason)
	}
	err = p.service.Refused(p.service.ByStatus(code), code, reason)
	if code == http.StatusTooManyRequests {
		return tts.Busy(err, response.Header.Get("Retry-After"))
	}
	return err
}

// explain extracts the vendor's error status and message. The detail is an object, a string or a list of
// problems with the request; proxies may answer with anything.
func explain(raw []byte) (status, message string) {
	var answer struct {
		Detail json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(raw, &answer) != nil || len(answer.Detail) == 0 {
		return "", string(raw)
	}
	var object struct {
		Status  string `json:"status"`
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	if json.Unmarshal(answer.Detail, &object) == nil {
		if object.Status == "" {
			object.Status = object.Code
		}
		return object.Status, object.Message
	}
	var list []struct {
		Message string `json:"msg"`
	}
	if json.Unmarshal(answer.Detail, &list) == nil && len(list) > 0 {
		return "", list[0].Message
	}
	if json.Unmarshal(answer.Detail, &message) == nil {
		return "", message
	}
	return "", string(answer.Detail)
}
