package fakegptlive

import (
	"bytes"
	"encoding/json"
	"io"
	"time"
)

const (
	// maxInput and maxInputTokens bound a session's initial input,
	// maxInstructions its instructions, in tokens.
	maxInput, maxInputTokens, maxInstructions = 128, 8192, 16384
	usualRate                                 = 24000
	longest                                   = 2 * time.Hour
)

// config is a session's initial configuration. Other fields are refused.
type config struct {
	Model        string          `json:"model"`
	Instructions string          `json:"instructions"`
	Store        bool            `json:"store"`
	Delegation   json.RawMessage `json:"delegation"`
	Audio        struct {
		Format struct {
			Type string `json:"type"`
			Rate int    `json:"rate"`
		} `json:"format"`
		Output struct {
			Voice json.RawMessage `json:"voice"`
		} `json:"output"`
	} `json:"audio"`
	Input []item `json:"input"`

	delegation delegation
}

// item is a message of the history.
type item struct {
	ID      string `json:"id,omitempty"`
	Type    string `json:"type,omitempty"`
	Status  string `json:"status,omitempty"`
	Role    string `json:"role"`
	Content []struct {
		Type string `json:"type,omitempty"`
		Text string `json:"text"`
	} `json:"content"`
}

// delegation says who does the work.
type delegation struct {
	Type  string `json:"type"`
	Delay int    `json:"acknowledgement_delay_ms"`
}

// strictly decodes raw into v and refuses unknown fields.
func strictly(raw []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// read decodes and checks a configuration.
func (c *config) read(raw json.RawMessage) *Error {
	if err := strictly(raw, c); err != nil {
		return invalid("invalid_value", "session", "The session cannot be read: %v", err)
	}
	if c.Model == "" {
		return invalid("missing_required_parameter", "session.model", "A session needs a model.")
	}
	if len(c.Instructions)/4 > maxInstructions {
		return invalid("instructions_too_long", "session.instructions", "The instructions have more than %d tokens.", maxInstructions)
	}
	f := c.Audio.Format
	if f.Type != "" && (f.Type != "audio/pcm" || f.Rate != 16000 && f.Rate != usualRate) {
		return invalid("invalid_value", "session.audio.format", "This server knows PCM at 16000 and 24000 Hz alone.")
	}
	if e := c.readInput(); e != nil {
		return e
	}
	c.delegation.Type = "client"
	if len(c.Delegation) > 0 && string(c.Delegation) != "null" {
		return c.delegation.read(c.Delegation)
	}
	return nil
}

// readInput checks the history.
func (c *config) readInput() *Error {
	if len(c.Input) > maxInput {
		return invalid("invalid_value", "session.input", "input has %d messages, at most %d are allowed.", len(c.Input), maxInput)
	}
	tokens := 0
	for _, m := range c.Input {
		if len(m.Content) != 1 || m.Type != "" && m.Type != "message" {
			return invalid("invalid_value", "session.input", "Each message has exactly one part of text.")
		}
		kind := m.Content[0].Type
		ok := kind == "" || kind == "input_text"
		if m.Role == "assistant" {
			ok = kind == "" || kind == "text" || kind == "output_text"
		} else if m.Role != "user" && m.Role != "developer" {
			ok = false
		}
		if !ok {
			return invalid("invalid_value", "session.input", "A message of %q has no part of type %q.", m.Role, kind)
		}
		tokens += len(m.Content[0].Text)/4 + 4
	}
	if tokens > maxInputTokens {
		return invalid("input_too_long", "session.input", "input has %d tokens, at most %d are allowed.", tokens, maxInputTokens)
	}
	return nil
}

// read decodes and checks a delegation.
func (d *delegation) read(raw json.RawMessage) *Error {
	if err := strictly(raw, d); err != nil || d.Type != "client" {
		return invalid("invalid_value", "session.delegation", "This server delegates to its client alone.")
	}
	return nil
}

func (c *config) rate() int {
	if c.Audio.Format.Rate != 0 {
		return c.Audio.Format.Rate
	}
	return usualRate
}

// resource returns the session with its defaults.
func (c *config) resource() object {
	voice := c.Audio.Output.Voice
	if len(voice) == 0 {
		voice = json.RawMessage(`"marin"`)
	}
	input := c.Input
	if input == nil {
		input = []item{}
	}
	return object{
		"id": "live_1", "status": "active", "model": c.Model, "instructions": c.Instructions, "store": c.Store,
		"expires_at": time.Now().Add(longest).Unix(), "delegation": c.delegation, "input": input, "triggers": []any{},
		"audio": object{"format": object{"type": "audio/pcm", "rate": c.rate()}, "output": object{"voice": voice}},
	}
}
