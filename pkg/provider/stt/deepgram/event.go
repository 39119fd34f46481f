package deepgram

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// message is a message from the vendor, reduced to the fields in use.
type message struct {
	Type         string  `json:"type"`
	Start        float64 `json:"start"`    // seconds
	Duration     float64 `json:"duration"` // seconds
	IsFinal      bool    `json:"is_final"`
	FromFinalize bool    `json:"from_finalize"`
	// Channel is an object in results and a list in other messages.
	Channel     json.RawMessage `json:"channel"`
	Description string          `json:"description"`
	Message     string          `json:"message"`
}

type channel struct {
	Alternatives []struct {
		Transcript string  `json:"transcript"`
		Confidence float64 `json:"confidence"`
		Words      []struct {
			Word           string  `json:"word"`
			PunctuatedWord string  `json:"punctuated_word"`
			Start          float64 `json:"start"`
			End            float64 `json:"end"`
			Confidence     float64 `json:"confidence"`
		} `json:"words"`
	} `json:"alternatives"`
}

// parse parses a message. Unknown types yield [vendor.Nothing]. The error wraps [stt.ErrUnavailable].
func parse(data []byte) (vendor.Event, error) {
	var m message
	if err := json.Unmarshal(data, &m); err != nil {
		return vendor.Event{}, fmt.Errorf("%w: it sent what is no event", stt.ErrUnavailable)
	}
	switch m.Type {
	case "Results":
		return m.results()
	case "Error":
		return vendor.Event{}, fmt.Errorf("%w: %s", stt.ErrUnavailable, cmp.Or(m.Description, m.Message, "it reported an error"))
	}
	return vendor.Event{}, nil
}

func (m message) results() (vendor.Event, error) {
	e := vendor.Event{Kind: vendor.Interim, Start: vendor.Seconds(m.Start), End: vendor.Seconds(m.Start + m.Duration)}
	switch {
	case m.FromFinalize:
		e.Kind = vendor.Closing
	case m.IsFinal:
		e.Kind = vendor.Segment
	}
	var c channel
	if err := json.Unmarshal(m.Channel, &c); err != nil {
		return vendor.Event{}, fmt.Errorf("%w: it sent results without a channel", stt.ErrUnavailable)
	}
	if len(c.Alternatives) == 0 {
		return e, nil
	}
	best := c.Alternatives[0]
	e.Text, e.Confidence = best.Transcript, vendor.Confidence(best.Confidence)
	e.Words = make([]stt.Word, len(best.Words))
	for i, w := range best.Words {
		e.Words[i] = stt.Word{
			Text:  cmp.Or(w.PunctuatedWord, w.Word),
			Start: vendor.Seconds(w.Start), End: vendor.Seconds(w.End),
			Confidence: vendor.Confidence(w.Confidence),
		}
	}
	return e, nil
}

// reason extracts why the vendor refused a handshake.
func reason(body []byte) string {
	var refusal struct {
		Message string `json:"err_msg"`
		Code    string `json:"err_code"`
	}
	if json.Unmarshal(body, &refusal) != nil {
		return string(body)
	}
	return cmp.Or(refusal.Message, refusal.Code, string(body))
}
