package openai

import (
	"encoding/json"
	"maps"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// attachments collects the fields of an answer's messages that the vendor wants back with the calls.
type attachments struct {
	fields map[string]json.RawMessage
}

// add adds the fields of a part of the message.
func (a *attachments) add(fields map[string]json.RawMessage) {
	if len(fields) > 0 && a.fields == nil {
		a.fields = map[string]json.RawMessage{}
	}
	for name, value := range fields {
		a.fields[name] = joined(a.fields[name], value)
	}
}

// addMissing adds the fields of a whole message that did not come in parts before.
func (a *attachments) addMissing(fields map[string]json.RawMessage) {
	fields = maps.Clone(fields)
	for name := range a.fields {
		delete(fields, name)
	}
	a.add(fields)
}

// thought reports whether the model thought.
func (a *attachments) thought() bool {
	for name := range a.fields {
		if isReasoningField(name) {
			return true
		}
	}
	return false
}

// attach adds the fields to the first call, and the origin to all calls with an attachment.
func (a *attachments) attach(calls []llm.ToolCall, origin string) {
	for i := range calls {
		c := &calls[i]
		if i == 0 && len(a.fields) > 0 {
			if c.Attached == nil {
				c.Attached = &llm.Attachment{}
			}
			c.Attached.Message = a.fields
		}
		if c.Attached != nil {
			c.Attached.Origin = origin
		}
	}
}

// joined returns two parts of a field as one: texts and lists are joined, of anything else the last counts.
func joined(before, next json.RawMessage) json.RawMessage {
	var a, b string
	if json.Unmarshal(before, &a) == nil && json.Unmarshal(next, &b) == nil {
		return encoded(a+b, next)
	}
	var first, second []json.RawMessage
	if json.Unmarshal(before, &first) != nil || json.Unmarshal(next, &second) != nil {
		return next
	}
	for _, e := range second {
		if last := len(first) - 1; last >= 0 {
			if both, ok := continued(first[last], e); ok {
				first[last] = both
				continue
			}
		}
		first = append(first, e)
	}
	return encoded(first, next)
}

// continued returns two entries of a list as one if the second continues the first: entries with the same type
// and index whose texts came in parts.
func continued(a, b json.RawMessage) (json.RawMessage, bool) {
	var first, second map[string]json.RawMessage
	if json.Unmarshal(a, &first) != nil || json.Unmarshal(b, &second) != nil {
		return nil, false
	}
	if first["index"] == nil || string(first["index"]) != string(second["index"]) || string(first["type"]) != string(second["type"]) {
		return nil, false
	}
	for name, value := range second {
		switch name {
		case "text", "summary", "data", "thinking":
			value = joined(first[name], value)
		}
		if given(value) || first[name] == nil {
			first[name] = value
		}
	}
	return encoded(first, a), true
}

// encoded returns v as JSON, or other if it cannot be encoded.
func encoded(v any, other json.RawMessage) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		return other
	}
	return raw
}
