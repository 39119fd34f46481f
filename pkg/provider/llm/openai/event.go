package openai

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// The types of this file decode what vendors send, field by field: a field of another type than the protocol's
// is converted if it can be, or else left out. It never costs the rest of the event.

// decode decodes raw into v as far as possible.
func decode(raw []byte, v any) {
	// encoding/json decodes the other fields when one has the wrong type, and reports that afterwards.
	_ = json.Unmarshal(raw, v)
}

// event is one event of a streamed answer, or a complete answer that was not streamed.
type event struct {
	Choices list[choice]    `json:"choices"`
	Usage   counts          `json:"usage"`
	Error   json.RawMessage `json:"error"`
	// Response is text of servers that stream no choices.
	Response text `json:"response"`
	// The other fields occur in errors that do not follow the protocol.
	Object  text            `json:"object"`
	Message json.RawMessage `json:"message"`
	Detail  json.RawMessage `json:"detail"`
	Errors  json.RawMessage `json:"errors"`
	Reason  text            `json:"error_msg"`
	Base    struct {
		Code quantity `json:"status_code"`
	} `json:"base_resp"`
}

// isError reports whether the event is an error.
func (e *event) isError() bool {
	switch {
	case given(e.Error):
		return true
	case len(e.Choices) > 0:
		return false
	}
	return strings.EqualFold(string(e.Object), "error") || e.Base.Code.value > 0 || isText(e.Message) || given(e.Detail) || given(e.Errors) || e.Reason != ""
}

type choice struct {
	Index   quantity        `json:"index"`
	Delta   delta           `json:"delta"`
	Message delta           `json:"message"`
	Text    content         `json:"text"`
	Finish  text            `json:"finish_reason"`
	Usage   counts          `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

// delta is a part of a message, or a whole one.
type delta struct {
	Content content `json:"content"`
	// Refusal is sent instead of content when a model refuses.
	Refusal   content        `json:"refusal"`
	ToolCalls list[fragment] `json:"tool_calls"`
	// FunctionCall is the protocol's old form of a single call.
	FunctionCall *function `json:"function_call"`

	attached map[string]json.RawMessage
}

// UnmarshalJSON keeps what the vendor may want back.
func (d *delta) UnmarshalJSON(raw []byte) error {
	type plain delta
	decode(raw, (*plain)(d))
	var fields map[string]json.RawMessage
	decode(raw, &fields)
	for _, name := range attachedToMessage {
		if given(fields[name]) {
			if d.attached == nil {
				d.attached = map[string]json.RawMessage{}
			}
			d.attached[name] = fields[name]
		}
	}
	return nil
}

// isThought reports whether all text is what the model thinks. Google marks such text in an extension.
func (d *delta) isThought() bool {
	var extra struct {
		Google struct {
			Thought bool `json:"thought"`
		} `json:"google"`
	}
	decode(d.attached["extra_content"], &extra)
	return extra.Google.Thought
}

// hasReasoning reports whether the server sends what the model thinks apart from the text.
func (d *delta) hasReasoning() bool {
	if d.Content.thought {
		return true
	}
	for name, value := range d.attached {
		if isReasoningField(name) && len(value) > 2 {
			return true
		}
	}
	return false
}

func (d *delta) text() string { return d.Content.text + d.Refusal.text }

const reasoningContent = "reasoning_content"

// attachedToMessage lists the fields of a message with tool calls that vendors want back.
var attachedToMessage = []string{reasoningContent, "reasoning", "reasoning_details", "thinking_blocks", "extra_content", "provider_specific_fields"}

// isReasoningField reports whether an attached field holds what the model thought.
func isReasoningField(name string) bool {
	return strings.HasPrefix(name, "reasoning") || name == "thinking_blocks"
}

// fragment is a part of a tool call as sent by vendors.
type fragment struct {
	Index    quantity `json:"index"`
	ID       text     `json:"id"`
	Function function `json:"function"`

	attached map[string]json.RawMessage
}

// UnmarshalJSON keeps the fields that the protocol does not know, because the vendor may want them back.
func (f *fragment) UnmarshalJSON(raw []byte) error {
	type plain fragment
	decode(raw, (*plain)(f))
	var fields map[string]json.RawMessage
	decode(raw, &fields)
	for _, known := range []string{"index", "id", "type", "function"} {
		delete(fields, known)
	}
	for name, value := range fields {
		if given(value) {
			if f.attached == nil {
				f.attached = map[string]json.RawMessage{}
			}
			f.attached[name] = value
		}
	}
	return nil
}

type function struct {
	Name text `json:"name"`
	// Arguments is a JSON string according to the protocol; some vendors send the object itself.
	Arguments json.RawMessage `json:"arguments"`
}

// arguments returns the fragment's part of the arguments text.
func (f function) arguments() string {
	if !given(f.Arguments) {
		return ""
	}
	var s string
	if json.Unmarshal(f.Arguments, &s) == nil {
		return s
	}
	return string(f.Arguments)
}

// given reports whether a field has a value.
func given(raw json.RawMessage) bool {
	s := strings.TrimSpace(string(raw))
	return s != "" && s != "null" && s != `""` && s != "{}" && s != "[]" && s != "false"
}

func isText(raw json.RawMessage) bool { return given(raw) && strings.TrimSpace(string(raw))[0] == '"' }

// text is a string, or a number that stands for one.
type text string

// UnmarshalJSON never fails.
func (t *text) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		*t = text(s)
		return nil
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		*t = text(n)
	}
	return nil
}

// quantity is a number, or a text that holds one.
type quantity struct {
	value float64
	given bool
}

// UnmarshalJSON never fails.
func (q *quantity) UnmarshalJSON(raw []byte) error {
	var t text
	decode(raw, &t)
	if v, err := strconv.ParseFloat(strings.TrimSpace(string(t)), 64); err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) {
		*q = quantity{v, true}
	}
	return nil
}

// count returns the number of tokens that the quantity stands for.
func (q quantity) count() int { return int(math.Round(min(max(q.value, 0), math.MaxInt32))) }

// list is a list, or a single value in place of one.
type list[T any] []T

// UnmarshalJSON never fails.
func (l *list[T]) UnmarshalJSON(raw []byte) error {
	var all []json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		if !given(raw) || raw[0] != '{' {
			return nil
		}
		all = []json.RawMessage{raw}
	}
	for _, e := range all {
		if given(e) {
			var v T
			decode(e, &v)
			*l = append(*l, v)
		}
	}
	return nil
}

// content is the text of a message. Some vendors send it as a list of parts, with the reasoning among them.
type content struct {
	text    string
	thought bool // there was reasoning
}

// UnmarshalJSON joins the parts that are text.
func (c *content) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		c.text = s
		return nil
	}
	var parts list[json.RawMessage]
	decode(raw, &parts)
	for _, raw := range parts {
		var p struct {
			Type    text    `json:"type"`
			Text    content `json:"text"`
			Content content `json:"content"`
			Value   text    `json:"value"`
		}
		if json.Unmarshal(raw, &s) == nil {
			c.text += s
			continue
		}
		decode(raw, &p)
		switch p.Type {
		case "text", "output_text", "":
			c.text += p.Text.text + p.Content.text + string(p.Value)
		case "thinking", "reasoning", "thought":
			c.thought = true
		}
	}
	return nil
}

// counts are the token counts of an answer. Vendors count in fractions and place the cached tokens differently.
type counts struct {
	Prompt     quantity `json:"prompt_tokens"`
	Completion quantity `json:"completion_tokens"`
	Input      quantity `json:"input_tokens"`
	Output     quantity `json:"output_tokens"`
	Cached     quantity `json:"cached_tokens"`
	CacheHits  quantity `json:"prompt_cache_hit_tokens"`
	Details    struct {
		Cached quantity `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// given reports whether an answer has begun to count.
func (c *counts) given() bool {
	return max(c.Completion.value, c.Output.value) > 0
}
