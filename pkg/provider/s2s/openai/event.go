package openai

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// Event types in use, by their current names.
const (
	sessionCreated       = "session.created"
	sessionUpdated       = "session.updated"
	errorReported        = "error"
	responseCreated      = "response.created"
	responseDone         = "response.done"
	itemAdded            = "response.output_item.added"
	itemDone             = "response.output_item.done"
	audioDelta           = "response.output_audio.delta"
	transcriptDelta      = "response.output_audio_transcript.delta"
	transcriptDone       = "response.output_audio_transcript.done"
	textDelta            = "response.output_text.delta"
	textDone             = "response.output_text.done"
	argumentsDone        = "response.function_call_arguments.done"
	inputTranscriptDelta = "conversation.item.input_audio_transcription.delta"
	inputTranscriptDone  = "conversation.item.input_audio_transcription.completed"
	inputTranscriptLost  = "conversation.item.input_audio_transcription.failed"
)

// nameToday maps the old name of an event type in use to the current one, and current names to themselves.
var nameToday = map[string]string{
	sessionCreated: sessionCreated, sessionUpdated: sessionUpdated, errorReported: errorReported,
	responseCreated: responseCreated, responseDone: responseDone, itemAdded: itemAdded, itemDone: itemDone,
	audioDelta: audioDelta, "response.audio.delta": audioDelta,
	transcriptDelta: transcriptDelta, "response.audio_transcript.delta": transcriptDelta,
	transcriptDone: transcriptDone, "response.audio_transcript.done": transcriptDone,
	textDelta: textDelta, "response.text.delta": textDelta,
	textDone: textDone, "response.text.done": textDone,
	argumentsDone:        argumentsDone,
	inputTranscriptDelta: inputTranscriptDelta, inputTranscriptDone: inputTranscriptDone, inputTranscriptLost: inputTranscriptLost,
}

// event is a message from the service, reduced to the fields in use.
type event struct {
	Type       string    `json:"type"`
	ResponseID string    `json:"response_id"`
	ItemID     string    `json:"item_id"`
	CallID     string    `json:"call_id"`
	Name       string    `json:"name"`
	Arguments  string    `json:"arguments"`
	Delta      string    `json:"delta"`
	Transcript string    `json:"transcript"`
	Text       string    `json:"text"`
	Content    int       `json:"content_index"`
	Item       *outItem  `json:"item"`
	Response   *outcome  `json:"response"`
	Session    *lifetime `json:"session"`
	Error      *problem  `json:"error"`
}

// outItem is a conversation item made by the model.
type outItem struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Status    string `json:"status"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// outcome is a response, at its start and at its end.
type outcome struct {
	ID       string          `json:"id"`
	Status   string          `json:"status"`
	Metadata map[string]word `json:"metadata"`
	Details  *struct {
		Type   string   `json:"type"`
		Reason word     `json:"reason"`
		Error  *problem `json:"error"`
	} `json:"status_details"`
	Output []outItem `json:"output"`
	Usage  *usage    `json:"usage"`
}

// lifetime tells when a session ends, in seconds since 1970.
type lifetime struct {
	ExpiresAt number `json:"expires_at"`
}

// warnAt returns when to report the end of the session: at known, or earlier if l says so. It tolerates a
// clock that is wrong by hours.
func (l *lifetime) warnAt(known time.Time) time.Time {
	if l == nil || known.IsZero() || l.ExpiresAt <= 0 || l.ExpiresAt > 1e11 {
		return known
	}
	end := time.Unix(int64(l.ExpiresAt), 0)
	if told := end.Add(-notice); time.Until(end) > 2*notice && told.Before(known) {
		return told
	}
	return known
}

// usage holds the token counts of a response.
type usage struct {
	Input        number  `json:"input_tokens"`
	Output       number  `json:"output_tokens"`
	InputDetails *tokens `json:"input_token_details"`
	// OutputDetails never counts cached tokens.
	OutputDetails *tokens `json:"output_token_details"`
}

type tokens struct {
	Text   number `json:"text_tokens"`
	Audio  number `json:"audio_tokens"`
	Cached number `json:"cached_tokens"`
}

// word is a string for fields where servers may also send null, numbers or worse, which decode as "".
type word string

// UnmarshalJSON implements [json.Unmarshaler]. It never fails.
func (w *word) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*w = word(text)
	}
	return nil
}

// number is a number for fields where servers may also send null, fractions or worse; anything else decodes
// as 0.
type number float64

// UnmarshalJSON implements [json.Unmarshaler]. It never fails.
func (n *number) UnmarshalJSON(data []byte) error {
	var value float64
	if json.Unmarshal(data, &value) == nil {
		*n = number(value)
	}
	return nil
}

// errMalformed means that a message is not a valid event.
var errMalformed = errors.New("it sent what is no event")

// parse parses a message. An event that is not in use has an empty type. The error is errMalformed.
func parse(data []byte) (event, error) {
	var e event
	rest, sound := cutSound(data)
	misfit := json.Unmarshal(rest, &e)
	switch {
	case sound == "":
	case e.Delta == placeholder:
		e.Delta = sound
	default: // it belonged to another field
		e = event{}
		misfit = json.Unmarshal(data, &e)
	}
	if misfit != nil { // events that are not in use may have any form
		var envelope struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(data, &envelope) != nil {
			return event{}, errMalformed
		}
		e.Type = envelope.Type
	}
	if e.Type == "" {
		return event{}, errMalformed
	}
	name, ok := nameToday[e.Type]
	if !ok {
		return event{}, nil
	}
	e.Type = name
	if misfit != nil || !e.isComplete() {
		return event{}, errMalformed
	}
	return e, nil
}

// placeholder replaces audio that was cut out of a message.
const placeholder = "#"

// cutSound cuts a long delta out of a message, because decoding base64 as JSON takes most of the time from a
// piece of audio to its first frame and is not needed. Short deltas, and those that may contain an escape,
// stay.
func cutSound(data []byte) (rest []byte, sound string) {
	const key, short = `"delta":"`, 1024
	if len(data) < short {
		return data, ""
	}
	from := bytes.Index(data, []byte(key))
	if from < 0 {
		return data, ""
	}
	from += len(key)
	n := bytes.IndexByte(data[from:], '"')
	if n < short/2 || bytes.IndexByte(data[from:from+n], '\\') >= 0 {
		return data, ""
	}
	rest = slices.Concat(data[:from], []byte(placeholder), data[from+n:])
	return rest, string(data[from : from+n])
}

// maxID is the maximum length of an identifier in bytes.
const maxID = 512

// isComplete reports whether e has the fields that its type requires.
func (e *event) isComplete() bool {
	if len(e.ResponseID) > maxID || len(e.ItemID) > maxID || len(e.CallID) > maxID || len(e.Name) > maxID {
		return false
	}
	switch e.Type {
	case errorReported:
		return e.Error != nil
	case responseCreated, responseDone:
		return e.Response != nil && len(e.Response.ID) <= maxID
	case itemAdded, itemDone:
		return e.Item != nil && len(e.Item.ID) <= maxID && len(e.Item.CallID) <= maxID && len(e.Item.Name) <= maxID
	case audioDelta, transcriptDelta, transcriptDone, textDelta, textDone:
		return e.ItemID != ""
	case argumentsDone:
		return e.CallID != ""
	}
	return true
}

// decodeAudio decodes base64 audio with little-endian 16-bit samples. A leftover byte is returned with odd
// set, and starts the next piece.
func decodeAudio(text string, left byte, odd bool) (samples []int16, rest byte, restOdd bool, err error) {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, left, odd, errMalformed
	}
	if odd {
		data = append([]byte{left}, data...)
	}
	samples = make([]int16, len(data)/2)
	for i := range samples {
		samples[i] = int16(binary.LittleEndian.Uint16(data[2*i:]))
	}
	if len(data)%2 == 1 {
		return samples, data[len(data)-1], true, nil
	}
	return samples, 0, false, nil
}

// count returns the usage of a response; implausible numbers count as 0.
func (u *usage) count() s2s.Usage {
	if u == nil {
		return s2s.Usage{}
	}
	total := s2s.Usage{InputTextTokens: tame(u.Input), OutputTextTokens: tame(u.Output)}
	if d := u.InputDetails; d != nil {
		total.InputTextTokens, total.InputAudioTokens = tame(d.Text), tame(d.Audio)
		total.CachedTokens = min(tame(d.Cached), total.InputTextTokens+total.InputAudioTokens)
	}
	if d := u.OutputDetails; d != nil {
		total.OutputTextTokens, total.OutputAudioTokens = tame(d.Text), tame(d.Audio)
	}
	return total
}

// tame clamps a number of tokens to a plausible range.
func tame(n number) int { return int(max(0, min(n, 100_000_000))) }

// problem is an error reported by the service.
type problem struct {
	Kind    word `json:"type"`
	Code    word `json:"code"`
	Message word `json:"message"`
	// EventID is the ID of the client message that caused it.
	EventID word `json:"event_id"`
}

// isFinal reports whether no retry helps, whatever the request.
func (p *problem) isFinal() bool {
	switch p.Code {
	case "insufficient_quota", "invalid_api_key", "account_deactivated", "billing_hard_limit_reached", "billing_not_active":
		return true
	}
	return false
}

// isExpiry reports whether the session has reached its maximum duration.
func (p *problem) isExpiry() bool { return p.Code == "session_expired" }

// isBusy reports whether another response is in progress.
func (p *problem) isBusy() bool {
	const code = "conversation_already_has_active_response"
	return p.Code == code || p.Kind == code || strings.Contains(string(p.Message), "already has an active response") ||
		strings.Contains(string(p.Message), "another response is in progress")
}

// isIdle reports whether there was nothing to cancel.
func (p *problem) isIdle() bool { return p.Code == "response_cancel_not_active" }
