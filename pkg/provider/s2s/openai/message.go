package openai

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// message is a message to the service, reduced to the fields in use.
type message struct {
	EventID    string           `json:"event_id,omitempty"`
	Type       string           `json:"type"`
	Audio      string           `json:"audio,omitempty"`
	ItemID     string           `json:"item_id,omitempty"`
	Content    *int             `json:"content_index,omitempty"`
	AudioEndMS *int64           `json:"audio_end_ms,omitempty"`
	ResponseID string           `json:"response_id,omitempty"`
	Item       *inItem          `json:"item,omitempty"`
	Response   *responseRequest `json:"response,omitempty"`
	Session    any              `json:"session,omitempty"`
}

// inItem is a conversation item made by the client.
type inItem struct {
	Type    string    `json:"type"`
	Role    string    `json:"role,omitempty"`
	Content []content `json:"content,omitempty"`
	CallID  string    `json:"call_id,omitempty"`
	Output  *string   `json:"output,omitempty"`
}

type content struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// responseRequest describes a requested response.
type responseRequest struct {
	Instructions string            `json:"instructions,omitempty"`
	Metadata     map[string]string `json:"metadata,omitempty"`
	// Output and Modalities request text only, in the current and the old dialect.
	Output     []string `json:"output_modalities,omitempty"`
	Modalities []string `json:"modalities,omitempty"`
}

// inWords requests a response as text.
func (d Dialect) inWords(w *responseRequest) {
	if d == Beta {
		w.Modalities = []string{"text"}
	} else {
		w.Output = []string{"text"}
	}
}

// tagKey is the metadata key for the number of the request.
const tagKey = "glyphoxa_request"

// tool is a tool definition. Function repeats it for servers of the old dialect that expect it there.
type tool struct {
	Type        string         `json:"type"`
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	Parameters  map[string]any `json:"parameters,omitempty"`
	Function    *function      `json:"function,omitempty"`
}

type function struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	Parameters  map[string]any `json:"parameters,omitempty"`
}

// tools converts definitions. The list is never nil, because an empty list clears the tools but a missing one
// changes nothing.
func (d Dialect) tools(definitions []llm.ToolDefinition) []tool {
	list := make([]tool, len(definitions))
	for i, t := range definitions {
		list[i] = tool{Type: "function", Name: t.Name, Description: t.Description, Parameters: t.Parameters}
		if list[i].Parameters == nil {
			list[i].Parameters = map[string]any{"type": "object", "properties": map[string]any{}}
		}
		if d == Beta {
			list[i].Function = &function{list[i].Name, list[i].Description, list[i].Parameters}
		}
	}
	return list
}

// fields is an object in which absent and null fields differ.
type fields map[string]any

// session returns the initial configuration of a session.
func (p *Provider) session(o s2s.SessionOptions) fields {
	var transcription any // null means none
	if p.opts.Transcription != "" {
		wanted := fields{"model": p.opts.Transcription}
		if language, _, _ := strings.Cut(o.Language, "-"); language != "" {
			wanted["language"] = strings.ToLower(language)
		}
		transcription = wanted
	}
	if p.opts.Dialect == Beta {
		return p.betaSession(o, transcription)
	}
	input := fields{"turn_detection": nil, "transcription": transcription}
	if p.isBasic() {
		input["turn_detection"] = fields{
			"type": "server_vad", "silence_duration_ms": pause.Milliseconds(), "create_response": true, "interrupt_response": false,
		}
	}
	if p.opts.InputRate == rate {
		input["format"] = fields{"type": "audio/pcm", "rate": rate}
	}
	output := fields{"format": fields{"type": "audio/pcm", "rate": rate}}
	if o.Voice != "" {
		output["voice"] = o.Voice
	}
	return fields{
		"type": "realtime", "instructions": o.Instructions, "output_modalities": []string{"audio"},
		"audio": fields{"input": input, "output": output},
		"tools": p.opts.Dialect.tools(o.Tools), "tool_choice": "auto",
	}
}

func (p *Provider) betaSession(o s2s.SessionOptions, transcription any) fields {
	f := fields{
		"instructions": o.Instructions, "modalities": []string{"text", "audio"},
		"turn_detection": nil, "input_audio_transcription": transcription,
		"tools": p.opts.Dialect.tools(o.Tools), "tool_choice": "auto",
	}
	if p.opts.InputRate == rate {
		f["input_audio_format"], f["output_audio_format"] = "pcm16", "pcm16"
	}
	if o.Voice != "" {
		f["voice"] = o.Voice
	}
	return f
}

// toolUpdate returns a session update that replaces the tools.
func (d Dialect) toolUpdate(definitions []llm.ToolDefinition) fields {
	f := fields{"tools": d.tools(definitions)}
	if d != Beta {
		f["type"] = "realtime"
	}
	return f
}

// pause is the silence that ends a turn on a server that detects turns itself.
const pause = 800 * time.Millisecond

// item converts a message to a conversation item, or returns nil if it is empty.
func (d Dialect) item(m llm.Message) *inItem {
	text := strings.TrimSpace(m.Content)
	if text == "" {
		return nil
	}
	item := &inItem{Type: "message", Role: "user"}
	kind := "input_text"
	switch m.Role {
	case llm.RoleAssistant:
		item.Role, kind = "assistant", "output_text"
		if d == Beta {
			kind = "text"
		}
	case llm.RoleUser:
		text = spoken(m.Name, text)
	default:
		item.Role = "system"
		text = spoken(m.Name, text)
	}
	item.Content = []content{{Type: kind, Text: text}}
	return item
}

// maxName is the maximum length of a speaker's name in runes.
const maxName = 100

// spoken returns text prefixed with the speaker's name, if known.
func spoken(name, text string) string {
	if name = untrusted.Line(name, maxName); name == "" {
		return text
	}
	return name + ": " + text
}

// output returns the item that answers a call.
func output(r s2s.ToolResult) *inItem {
	text := r.Text
	if r.IsError {
		data, err := json.Marshal(map[string]string{"error": text})
		if err != nil {
			panic(err) // a string can always be encoded
		}
		text = string(data)
	}
	return &inItem{Type: "function_call_output", CallID: r.ID, Output: &text}
}

// appendSound returns the message that carries samples.
func appendSound(samples []int16) []byte {
	const head, tail = `{"type":"input_audio_buffer.append","audio":"`, `"}`
	data := audio.AppendS16LE(make([]byte, 0, 2*len(samples)), samples)
	m := make([]byte, 0, len(head)+base64.StdEncoding.EncodedLen(len(data))+len(tail))
	m = append(m, head...)
	m = base64.StdEncoding.AppendEncode(m, data)
	return append(m, tail...)
}

// tagOf returns the tag of the nth request.
func tagOf(n int) string { return strconv.Itoa(n) }
