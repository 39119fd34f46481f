package gptlive

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

const (
	// maxText is the maximum length of a part of a transcript in runes.
	maxText = 4096
	// maxID is the maximum length of an identifier in bytes.
	maxID = 256
)

// command is a message to the service.
type command struct {
	Type    string         `json:"type"`
	Session *sessionConfig `json:"session,omitempty"`
	*appended
}

// appended is text for the voice.
type appended struct {
	DelegationID *string `json:"delegation_id"` // null if there is none
	Content      string  `json:"content"`
}

// sessionConfig configures a new session. The service stores nothing.
type sessionConfig struct {
	Model        string `json:"model"`
	Instructions string `json:"instructions"`
	Store        bool   `json:"store"`
	Delegation   struct {
		Type string `json:"type"`
	} `json:"delegation"`
	Audio struct {
		Format struct {
			Type string `json:"type"`
			Rate int    `json:"rate"`
		} `json:"format"`
		Output *audioOutput `json:"output,omitempty"`
	} `json:"audio"`
	Input []initialItem `json:"input,omitempty"`
}

type audioOutput struct {
	Voice string `json:"voice"`
}

// initialItem is a message from before the session.
type initialItem struct {
	Type    string           `json:"type"`
	Role    string           `json:"role"`
	Content []initialContent `json:"content"`
}

type initialContent struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// vendorError is an error reported by the service.
type vendorError struct {
	Type    string `json:"type"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// message is a message from the service, with the fields in use of all types.
type message struct {
	Type       string `json:"type"`
	Delta      string `json:"delta"`
	Reason     string `json:"reason"`
	Delegation struct {
		ID     string `json:"id"`
		Target string `json:"target"`
	} `json:"delegation"`
	Usage struct {
		Seconds float64 `json:"seconds"`
	} `json:"usage"`
	Error vendorError `json:"error"`
}

// decode decodes a message. The error wraps [s2s.ErrUnavailable]; a message with a type is returned even
// then.
func decode(raw []byte) (message, error) {
	var m message
	if err := json.Unmarshal(raw, &m); err != nil || m.Type == "" {
		return m, fmt.Errorf("%w: openai sent a message that cannot be read", s2s.ErrUnavailable)
	}
	return m, nil
}

// samples decodes the audio of an output delta. It drops half a sample at the end.
func (m *message) samples() ([]int16, error) {
	data, err := base64.StdEncoding.DecodeString(m.Delta)
	if err != nil {
		return nil, fmt.Errorf("%w: openai sent sound that cannot be read", s2s.ErrUnavailable)
	}
	out := make([]int16, len(data)/2)
	for i := range out {
		out[i] = int16(uint16(data[2*i]) | uint16(data[2*i+1])<<8)
	}
	return out, nil
}

// text returns a part of a transcript, fit to be read by people and models.
func (m *message) text() string { return untrusted.Clean(m.Delta, maxText) }

// delegation returns the ID of work delegated to the client; empty if there is none.
func (m *message) delegation() string {
	if m.Delegation.Target != "client" || len(m.Delegation.ID) > maxID {
		return ""
	}
	return m.Delegation.ID
}

// seconds returns the total usage, or 0 if it is implausible.
func (m *message) seconds() float64 {
	if s := m.Usage.Seconds; s > 0 && !math.IsInf(s, 1) {
		return s
	}
	return 0
}
