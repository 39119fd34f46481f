package fakerealtime

import (
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// defaults are a session's settings before any update.
func defaults(beta bool, model string) object {
	vad := object{
		"type": "server_vad", "threshold": 0.5, "prefix_padding_ms": 300, "silence_duration_ms": 500,
		"create_response": true, "interrupt_response": true,
	}
	c := object{
		"id": "sess_1", "object": "realtime.session", "model": model, "instructions": "", "tools": []any{}, "tool_choice": "auto",
		"expires_at": time.Now().Add(time.Hour).Unix(),
	}
	if beta {
		c["modalities"], c["voice"] = []any{"text", "audio"}, "alloy"
		c["input_audio_format"], c["output_audio_format"] = "pcm16", "pcm16"
		c["turn_detection"], c["input_audio_transcription"] = vad, nil
		return c
	}
	format := object{"type": "audio/pcm", "rate": Rate}
	c["type"], c["output_modalities"] = "realtime", []any{"audio"}
	c["audio"] = object{
		"input":  object{"format": format, "turn_detection": vad, "transcription": nil, "noise_reduction": nil},
		"output": object{"format": format, "voice": "marin", "speed": 1},
	}
	return c
}

// known are the session fields that a client may update, by dialect.
var known = map[bool][]string{
	false: {
		"type", "model", "instructions", "output_modalities", "audio", "tools", "tool_choice", "tracing", "truncation",
		"include", "prompt", "max_output_tokens", "parallel_tool_calls", "reasoning",
	},
	true: {
		"instructions", "modalities", "voice", "input_audio_format", "output_audio_format", "turn_detection",
		"input_audio_transcription", "input_audio_noise_reduction", "tools", "tool_choice", "temperature",
		"max_response_output_tokens", "speed", "tracing",
	},
}

// fault is a reason to refuse an event.
type fault struct{ code, message string }

// update changes the session. Like all functions below it must be called under
// the lock.
func (c *session) update(raw json.RawMessage) *fault {
	var wanted object
	if json.Unmarshal(raw, &wanted) != nil || wanted == nil {
		return &fault{"missing_required_parameter", "Missing required parameter: 'session'."}
	}
	beta := c.server.script.Beta
	for name := range wanted {
		if !slices.Contains(known[beta], name) {
			return &fault{"unknown_parameter", "Unknown parameter: 'session." + name + "'."}
		}
	}
	if kind := wanted["type"]; !beta && kind != "realtime" {
		if kind == nil {
			return &fault{"missing_required_parameter", "Missing required parameter: 'session.type'."}
		}
		return &fault{"invalid_value", "Invalid value for 'session.type'."}
	}
	if model, ok := wanted["model"]; ok && model != c.config["model"] {
		return &fault{"invalid_value", "The model of a session cannot be changed."}
	}
	next := merge(c.config, wanted)
	if f := checkTools(next["tools"]); f != nil {
		return f
	}
	if c.spoke && voiceOf(next) != voiceOf(c.config) {
		return &fault{"cannot_update_voice", "Cannot update a conversation's voice if assistant audio is present."}
	}
	c.config = next
	if !c.server.script.Mute && !c.server.script.Basic {
		c.say("session.updated", object{"session": maps.Clone(c.config)})
	}
	return nil
}

// merge merges wanted into old, objects field by field.
func merge(old, wanted object) object {
	next := maps.Clone(old)
	for name, value := range wanted {
		deeper, ok := value.(object)
		below, has := old[name].(object)
		if ok && has && name != "turn_detection" && name != "transcription" {
			value = merge(below, deeper)
		}
		next[name] = value
	}
	return next
}

func checkTools(tools any) *fault {
	list, ok := tools.([]any)
	if !ok {
		return &fault{"invalid_type", "Invalid type for 'session.tools': expected an array."}
	}
	for _, entry := range list {
		t, _ := entry.(object)
		name, _ := t["name"].(string)
		if t["type"] == "function" && name == "" {
			return &fault{"missing_required_parameter", "Missing required parameter: 'session.tools[0].name'."}
		}
	}
	return nil
}

// setting returns a field of the session below audio.side, or from its former
// place.
func setting(config object, side, name, old string) any {
	if value, ok := config[old]; ok {
		return value
	}
	sound, _ := config["audio"].(object)
	of, _ := sound[side].(object)
	return of[name]
}

func voiceOf(config object) any { return setting(config, "output", "voice", "voice") }

// detection returns the settings of turn detection, or nil if turns are manual.
func (c *session) detection() object {
	d, _ := setting(c.config, "input", "turn_detection", "turn_detection").(object)
	if d == nil && c.server.script.Basic {
		return object{}
	}
	return d
}

func (c *session) transcribes() bool {
	return setting(c.config, "input", "transcription", "input_audio_transcription") != nil
}

// tools returns the names of the session's tools.
func (c *session) tools() []string {
	list, _ := c.config["tools"].([]any)
	var names []string
	for _, entry := range list {
		t, _ := entry.(object)
		if name, ok := t["name"].(string); ok {
			names = append(names, name)
		}
	}
	return names
}

// basicEvents are the events, in both directions, that a basic service
// supports.
var basicEvents = []string{
	"input_audio_buffer.append", "session.update", "conversation.item.create", "response.create", "response.cancel",
	"session.created", "error", "input_audio_buffer.speech_started", "input_audio_buffer.speech_stopped",
	"conversation.item.input_audio_transcription.delta", "conversation.item.input_audio_transcription.completed",
	"response.created", "response.output_audio.delta", "response.output_audio.done", "response.output_audio_transcript.done",
	"response.function_call_arguments.done", "response.done",
}

// betaNames are the events with a different name in the beta; an empty name did
// not exist.
var betaNames = map[string]string{
	"response.output_audio.delta":            "response.audio.delta",
	"response.output_audio.done":             "response.audio.done",
	"response.output_audio_transcript.delta": "response.audio_transcript.delta",
	"response.output_audio_transcript.done":  "response.audio_transcript.done",
	"response.output_text.delta":             "response.text.delta",
	"response.output_text.done":              "response.text.done",
	"conversation.item.added":                "conversation.item.created",
	"conversation.item.done":                 "",
}

func betaName(kind string) string {
	if name, ok := betaNames[kind]; ok {
		return name
	}
	return kind
}
