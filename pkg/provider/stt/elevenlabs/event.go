package elevenlabs

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// message is a message from the vendor, reduced to the fields in use.
type message struct {
	Type  string `json:"message_type"`
	Text  string `json:"text"`
	Error string `json:"error"`
}

// parse parses a message. Unknown types yield [vendor.Nothing]. Errors wrap those of package stt.
func parse(data []byte) (vendor.Event, error) {
	var m message
	if err := json.Unmarshal(data, &m); err != nil {
		return vendor.Event{}, fmt.Errorf("%w: it sent what is no event", stt.ErrUnavailable)
	}
	switch m.Type {
	case "partial_transcript":
		return vendor.Event{Kind: vendor.Interim, Text: m.Text}, nil
	case "committed_transcript":
		return vendor.Event{Kind: vendor.Closing, Text: m.Text}, nil
	case "commit_throttled", "insufficient_audio_activity":
		return vendor.Event{Kind: vendor.Refused}, nil
	case "auth_error", "quota_exceeded", "unaccepted_terms", "unaccepted_terms_error",
		"input_error", "invalid_request", "chunk_size_exceeded":
		return vendor.Event{}, m.failure(stt.ErrRejected)
	case "rate_limited", "resource_exhausted", "queue_overflow":
		return vendor.Event{}, m.failure(stt.ErrRateLimited)
	case "error", "transcriber_error", "session_time_limit_exceeded":
		return vendor.Event{}, m.failure(stt.ErrUnavailable)
	}
	return vendor.Event{}, nil
}

func (m message) failure(kind error) error {
	return fmt.Errorf("%w: %s", kind, cmp.Or(m.Error, m.Type))
}

// reason extracts why the vendor refused a handshake.
func reason(body []byte) string {
	var refusal struct {
		Detail json.RawMessage `json:"detail"`
		Error  string          `json:"error"`
	}
	if json.Unmarshal(body, &refusal) != nil {
		return string(body)
	}
	var detail struct {
		Message string `json:"message"`
		Status  string `json:"status"`
	}
	if json.Unmarshal(refusal.Detail, &detail) == nil {
		return cmp.Or(detail.Message, detail.Status, string(body))
	}
	var text string
	if json.Unmarshal(refusal.Detail, &text) == nil {
		return cmp.Or(text, string(body))
	}
	return cmp.Or(refusal.Error, string(body))
}
