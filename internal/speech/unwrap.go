package speech

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// maxWrapped is the maximum length, in runes, of an object that is searched for speech.
const maxWrapped = 4000

// Keys of the objects that models wrap their answers in.
var (
	// speechKeys contain speech, most certain first.
	speechKeys = []string{
		"speech", "dialogue", "dialog", "utterance", "spoken", "say", "says", "line", "lines", "text", "content", "answer", "response",
		"reply", "message", "output", "rede", "antwort", "satz", "zeile", "aussage", "nachricht", "ausgabe",
	}
	// callKeys belong to tool calls and their results.
	callKeys = []string{
		"arguments", "args", "parameters", "params", "tool", "tools", "tool_calls", "tool_call", "tool_name", "function", "function_call",
		"expression", "query", "input", "result", "results", "error", "total", "rolls",
	}
	// asideKeys contain neither.
	asideKeys = []string{
		"action", "emotion", "tone", "mood", "thought", "thoughts", "reasoning", "gesture", "type", "role", "name", "npc", "speaker", "id",
		"aktion", "ton", "stimmung", "gedanke", "gedanken", "geste", "rolle", "sprecher",
	}
)

// beginWrapped begins to collect an object if nothing was emitted before it.
func (s *Scrubber) beginWrapped(first []rune) {
	if s.state.last == 0 {
		s.wrapped = append([]rune{}, first...)
	}
}

// collectWrapped adds to the collected object.
func (s *Scrubber) collectWrapped(more []rune) {
	switch {
	case s.wrapped == nil:
	case len(s.wrapped)+len(more) > maxWrapped:
		s.wrapped = nil
	default:
		s.wrapped = append(s.wrapped, more...)
	}
}

// unwrap replaces a complete object by the speech in it.
func (s *Scrubber) unwrap() {
	if s.wrapped == nil {
		return
	}
	var value any
	if json.Unmarshal([]byte(string(s.wrapped)), &value) == nil {
		if text := speechIn(value, 0); text != "" {
			s.speech = []rune(text)
		}
	}
	s.wrapped = nil
}

// speechIn returns the speech in a JSON value, or "" if there is none or the value is a call.
func speechIn(value any, depth int) string {
	switch v := value.(type) {
	case []any:
		var all []string
		for _, one := range v {
			if text := speechIn(one, depth+1); text != "" {
				all = append(all, text)
			}
		}
		return strings.Join(all, " ")
	case string:
		if depth > 0 {
			return v
		}
	case map[string]any:
		return speechOf(v, depth)
	}
	return ""
}

// speechOf returns the speech in an object.
func speechOf(object map[string]any, depth int) string {
	fields := map[string]any{}
	for key, value := range object {
		fields[strings.ToLower(key)] = value
	}
	if role, _ := fields["role"].(string); role == "user" || role == "system" || role == "tool" || depth > 3 {
		return ""
	}
	for _, key := range callKeys {
		if _, ok := fields[key]; ok {
			return ""
		}
	}
	for _, key := range speechKeys {
		if text := speechIn(fields[key], depth+1); text != "" {
			return text
		}
	}
	// With other keys, take the longest value that looks like a sentence.
	longest := ""
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		text, _ := fields[key].(string)
		if text = strings.TrimSpace(text); len(text) > len(longest) && !slices.Contains(asideKeys, key) &&
			strings.Contains(text, " ") && strings.ContainsAny(text[len(text)-1:], ".!?") {
			longest = text
		}
	}
	return longest
}
