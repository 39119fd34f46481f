package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// maxMessage bounds a message in either direction, in bytes.
const maxMessage = 16 << 10

// Types of messages from guests.
const (
	saySaid    = "say"
	sayRoll    = "roll"
	sayStop    = "stop"
	sayMute    = "mute"
	sayLeave   = "leave"
	sayForget  = "forget"
	maxDice    = 200  // bytes of a dice expression
	maxSpeech  = 4000 // characters of a typed line
	maxUnknown = 40   // characters of an unknown type in an error
)

// request is a message from a guest's page.
type request struct {
	Type string `json:"type"`
	Text string `json:"text"`
	Dice string `json:"dice"`
	On   bool   `json:"on"`
}

// parseRequest parses a guest's message. The guest sees the error.
func parseRequest(data []byte) (q request, err error) {
	switch {
	case len(data) > maxMessage:
		return q, fmt.Errorf("a message may have %d bytes; send less at a time", maxMessage)
	case !utf8.Valid(data):
		return q, errors.New("a message is JSON in UTF-8")
	}
	if err := json.Unmarshal(data, &q); err != nil {
		return request{}, errors.New("a message is a JSON object with a type, such as {\"type\":\"say\",\"text\":\"…\"}")
	}
	switch q.Type {
	case saySaid:
		if n := utf8.RuneCountInString(q.Text); n > maxSpeech {
			return q, fmt.Errorf("a line may have at most %d characters, and this one has %d", maxSpeech, n)
		}
	case sayRoll:
		if len(q.Dice) > maxDice {
			return q, errors.New("that is too long for dice; write something like 2d6+3")
		}
	case sayStop, sayMute, sayLeave, sayForget:
	default:
		return q, fmt.Errorf("messages of the type %q are not known here; reload the page", clip(q.Type, maxUnknown))
	}
	return q, nil
}

// clip truncates a text to most characters.
func clip(text string, most int) string {
	n := 0
	for i := range text {
		if n++; n > most {
			return text[:i] + "…"
		}
	}
	return text
}

// Messages to pages, each a JSON object with a type.
type (
	stateMessage struct {
		Type    string       `json:"type"`
		Players []playerView `json:"players"`
		NPCs    []npcView    `json:"npcs"`
		You     string       `json:"you"`
	}
	playerView struct {
		Name  string `json:"name"`
		Muted bool   `json:"muted"`
	}
	npcView struct {
		Name        string `json:"name"`
		Description string `json:"description,omitempty"`
	}
	lineMessage struct {
		Type      string   `json:"type"`
		ID        string   `json:"id"`
		Speaker   string   `json:"speaker"`
		NPC       bool     `json:"npc"`
		Text      string   `json:"text"`
		Final     bool     `json:"final"`
		Addressed []string `json:"addressed,omitempty"`
	}
	removedMessage struct {
		Type string `json:"type"`
		ID   string `json:"id"`
	}
	speakingMessage struct {
		Type string `json:"type"`
		Who  string `json:"who"`
		On   bool   `json:"on"`
	}
	diceMessage struct {
		Type string `json:"type"`
		Who  string `json:"who"`
		Text string `json:"text"`
	}
	noticeMessage struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	byeMessage struct {
		Type   string `json:"type"`
		Reason string `json:"reason"`
	}
)

func newNotice(text string) noticeMessage { return noticeMessage{Type: "notice", Text: text} }

// encode encodes a message as JSON.
func encode(message any) string {
	raw, err := json.Marshal(message)
	if err != nil { // cannot happen with these types
		return ""
	}
	return string(raw)
}
