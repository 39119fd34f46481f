package fakerealtime

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/fakesocket"
)

// maxAppend bounds the sound in one event, in bytes.
const maxAppend = 15 << 20

// clientEvent is a client's event.
type clientEvent struct {
	EventID      string          `json:"event_id"`
	Type         string          `json:"type"`
	Audio        *string         `json:"audio"`
	Session      json.RawMessage `json:"session"`
	Item         *clientItem     `json:"item"`
	ItemID       string          `json:"item_id"`
	Previous     string          `json:"previous_item_id"`
	ContentIndex *int            `json:"content_index"`
	AudioEndMS   *int            `json:"audio_end_ms"`
	Response     *clientResponse `json:"response"`
	ResponseID   string          `json:"response_id"`
}

type clientItem struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Role    string `json:"role"`
	Content []struct {
		Type  string `json:"type"`
		Text  string `json:"text"`
		Audio string `json:"audio"`
	} `json:"content"`
	CallID    string  `json:"call_id"`
	Output    *string `json:"output"`
	Name      string  `json:"name"`
	Arguments string  `json:"arguments"`
}

type clientResponse struct {
	Instructions *string         `json:"instructions"`
	Metadata     map[string]any  `json:"metadata"`
	Conversation string          `json:"conversation"`
	Tools        json.RawMessage `json:"tools"`
	Output       []string        `json:"output_modalities"`
	Modalities   []string        `json:"modalities"` // in the beta
}

// take handles a client's message.
func (c *session) take(ctx context.Context, m fakesocket.Message) {
	var e clientEvent
	bad := json.Unmarshal(m.Data, &e)
	c.mu.Lock()
	switch {
	case m.Binary, bad != nil, e.Type == "":
		c.refuse(e.EventID, "invalid_event", "The server could not read the event.")
	default:
		if f := c.handle(ctx, &e); f != nil {
			c.refuse(e.EventID, f.code, f.message)
		}
	}
	// Record the message before any event it causes is sent.
	c.server.record(Message{Session: c.number, Type: e.Type, Data: m.Data})
	c.mu.Unlock()
}

func (c *session) handle(ctx context.Context, e *clientEvent) *fault {
	if c.server.script.Basic && !slices.Contains(basicEvents, e.Type) {
		return &fault{"unknown_or_invalid_event", "'" + e.Type + "' is not known here."}
	}
	switch e.Type {
	case "session.update":
		return c.update(e.Session)
	case "input_audio_buffer.append":
		return c.appendSound(ctx, e.Audio)
	case "input_audio_buffer.clear":
		c.sound, c.vad = nil, detector{}
		c.say("input_audio_buffer.cleared", object{})
		return nil
	case "input_audio_buffer.commit":
		return c.commit("")
	case "conversation.item.create":
		return c.create(ctx, e.Item, e.Previous)
	case "conversation.item.retrieve":
		it, _ := c.find(e.ItemID)
		if it == nil {
			return &fault{"item_retrieve_invalid_item_id", "Error retrieving item: the item with id '" + e.ItemID + "' does not exist."}
		}
		c.say("conversation.item.retrieved", object{"item": it.wire(c.server.script.Beta)})
		return nil
	case "conversation.item.delete":
		_, at := c.find(e.ItemID)
		if at < 0 {
			return &fault{"item_delete_invalid_item_id", "Error deleting item: the item with id '" + e.ItemID + "' does not exist."}
		}
		c.items = slices.Delete(c.items, at, at+1)
		c.say("conversation.item.deleted", object{"item_id": e.ItemID})
		return nil
	case "conversation.item.truncate":
		return c.truncate(e)
	case "response.create":
		return c.respond(ctx, e.Response)
	case "response.cancel":
		return c.cancel(e.ResponseID)
	}
	return &fault{"invalid_value", "Invalid value: '" + e.Type + "' is no event."}
}

// appendSound handles sound, and detects speech if the session asks for that.
func (c *session) appendSound(ctx context.Context, text *string) *fault {
	if text == nil {
		return &fault{"missing_required_parameter", "Missing required parameter: 'audio'."}
	}
	data, err := base64.StdEncoding.DecodeString(*text)
	switch {
	case err != nil || len(data)%2 != 0:
		return &fault{"invalid_value", "Invalid 'audio'. Expected base64-encoded 16-bit PCM."}
	case len(data) > maxAppend:
		return &fault{"invalid_value", "The audio of an event is limited to 15 MiB."}
	}
	piece := make([]int16, len(data)/2)
	for i := range piece {
		piece[i] = int16(binary.LittleEndian.Uint16(data[2*i:]))
	}
	c.total += len(piece)
	if d := c.detection(); d != nil {
		c.detect(ctx, d, piece)
		return nil
	}
	c.sound = append(c.sound, piece...)
	return nil
}

// commit makes the sound an entry of the conversation.
func (c *session) commit(id string) *fault {
	if len(c.sound) < Rate/10 {
		return &fault{"input_audio_buffer_commit_empty", fmt.Sprintf(
			"Error committing input audio buffer: buffer too small. Expected at least 100ms of audio, but buffer only has %.2fms of audio.",
			float64(len(c.sound))*1000/Rate)}
	}
	if id == "" {
		id = c.id("item")
	}
	it := &item{id: id, kind: "message", role: "user", status: "completed", spoken: true, samples: len(c.sound)}
	c.sound = nil
	transcript := c.server.nextTranscript()
	c.add(it, "")
	c.say("input_audio_buffer.committed", object{"item_id": it.id, "previous_item_id": c.before(it)})
	c.finish(it)
	it.text = transcript
	if !c.transcribes() {
		return nil
	}
	about := object{"item_id": it.id, "content_index": 0, "delta": transcript}
	c.say("conversation.item.input_audio_transcription.delta", about)
	c.say("conversation.item.input_audio_transcription.completed", object{
		"item_id": it.id, "content_index": 0, "transcript": transcript,
		"usage": object{"type": "duration", "seconds": float64(it.samples) / Rate},
	})
	return nil
}

// contentOf are the content types that a role's message may have, by dialect.
var contentOf = map[bool]map[string][]string{
	false: {"user": {"input_text", "input_audio"}, "assistant": {"output_text"}, "system": {"input_text"}},
	true:  {"user": {"input_text", "input_audio"}, "assistant": {"text"}, "system": {"input_text"}},
}

// create adds a client's entry.
func (c *session) create(ctx context.Context, from *clientItem, after string) *fault {
	if from == nil {
		return &fault{"missing_required_parameter", "Missing required parameter: 'item'."}
	}
	it := &item{id: from.ID, kind: from.Type, status: "completed", role: from.Role}
	if it.id == "" {
		it.id = c.id("item")
	} else if at, _ := c.find(it.id); at != nil {
		return &fault{"item_create_duplicate_item_id", "An item with id '" + it.id + "' exists already."}
	}
	switch from.Type {
	case "message":
		allowed, ok := contentOf[c.server.script.Beta][from.Role]
		if !ok || len(from.Content) == 0 {
			return &fault{"invalid_value", "Invalid 'item': a message needs a role and content."}
		}
		var texts []string
		for _, part := range from.Content {
			if !slices.Contains(allowed, part.Type) {
				return &fault{"invalid_value", "Invalid value: '" + part.Type + "' is no content of a message of " + from.Role + "."}
			}
			texts = append(texts, part.Text)
		}
		it.text = strings.Join(texts, " ")
	case "function_call_output":
		if from.Output == nil || !c.called(from.CallID) {
			return &fault{"invalid_tool_call_id", "Tool call ID '" + from.CallID + "' not found in conversation."}
		}
		it.callID, it.output = from.CallID, *from.Output
		c.outputs = append(c.outputs, it.output)
	case "function_call":
		it.callID, it.name, it.arguments = from.CallID, from.Name, from.Arguments
	default:
		return &fault{"invalid_value", "Invalid value: '" + from.Type + "' is no type of item."}
	}
	c.add(it, after)
	c.finish(it)
	if it.kind == "function_call_output" && c.server.script.Stranger && c.active == nil {
		c.begin(ctx, &clientResponse{}, Request{}, Answer{Parts: []Part{{Text: "Nobody asked me.", Sound: time.Second}}, HoldEnd: true}, false)
	}
	return nil
}

func (c *session) called(id string) bool {
	return slices.ContainsFunc(c.items, func(it *item) bool { return it.kind == "function_call" && it.callID == id })
}

func (c *session) truncate(e *clientEvent) *fault {
	it, _ := c.find(e.ItemID)
	switch {
	case it == nil:
		return &fault{"item_truncate_invalid_item_id", "Error truncating item: the item with id '" + e.ItemID + "' does not exist."}
	case e.ContentIndex == nil || e.AudioEndMS == nil || *e.AudioEndMS < 0:
		return &fault{"missing_required_parameter", "Missing required parameter: 'audio_end_ms'."}
	case it.role != "assistant" || !it.spoken || it.samples == 0 || *e.ContentIndex != 0:
		return &fault{"unsupported_content_type", "Only model output audio messages can be truncated"}
	}
	has := it.samples * 1000 / Rate
	if *e.AudioEndMS > has {
		return &fault{"invalid_value", fmt.Sprintf("Audio content of %dms is already shorter than %dms", has, *e.AudioEndMS)}
	}
	it.samples = *e.AudioEndMS * Rate / 1000
	it.text = "" // the service does not know which words the user heard
	c.say("conversation.item.truncated", object{"item_id": it.id, "content_index": 0, "audio_end_ms": *e.AudioEndMS})
	return nil
}

// detector derives turns from loudness.
type detector struct {
	speaking bool
	item     string
	quiet    int // samples since the last loud one
}

// loud is the smallest amplitude that counts as speech.
const loud = 500

// detect handles sound while the service detects turns.
func (c *session) detect(ctx context.Context, settings object, piece []int16) {
	isLoud := slices.ContainsFunc(piece, func(v int16) bool { return v > loud || v < -loud })
	if !c.vad.speaking && !isLoud {
		return
	}
	c.sound = append(c.sound, piece...)
	if !c.vad.speaking {
		c.vad = detector{speaking: true, item: c.id("item")}
		c.say("input_audio_buffer.speech_started", object{"item_id": c.vad.item, "audio_start_ms": (c.total - len(piece)) * 1000 / Rate})
		if c.active != nil && settings["interrupt_response"] != false {
			c.active.stop("turn_detected")
		}
	}
	if isLoud {
		c.vad.quiet = 0
		return
	}
	c.vad.quiet += len(piece)
	patience, ok := settings["silence_duration_ms"].(float64)
	if !ok {
		patience = 500
	}
	if c.vad.quiet*1000/Rate < int(patience) {
		return
	}
	id := c.vad.item
	c.vad = detector{}
	c.say("input_audio_buffer.speech_stopped", object{"item_id": id, "audio_end_ms": c.total * 1000 / Rate})
	if c.commit(id) == nil && settings["create_response"] != false && c.active == nil {
		_ = c.respond(ctx, nil) // no response is in progress
	}
}
