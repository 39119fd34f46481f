package speech

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// maxWrapped is how long an object may be, in runes, that is searched for speech.
const maxWrapped = 4000

// Keys of the objects that models wrap their answers in.
var (
	// speechKeys hold what is said, the surest first.
	speechKeys = []string{
		"speech", "dialogue", "dialog", "utterance", "spoken", "say", "says", "line", "lines", "text", "content", "answer", "response",
		"reply", "message", "output", "rede", "antwort", "satz", "zeile", "aussage", "nachricht", "ausgabe",
	}
	// callKeys belong to calls of tools and to their results.
	callKeys = []string{
		"arguments", "args", "parameters", "params", "tool", "tools", "tool_calls", "tool_call", "tool_name", "function", "function_call",
		"expression", "query", "input", "result", "results", "error", "total", "rolls",
	}
	// asideKeys hold what is neither.
	asideKeys = []string{
		"action", "emotion", "tone", "mood", "thought", "thoughts", "reasoning", "gesture", "type", "role", "name", "npc", "speaker", "id",
		"aktion", "ton", "stimmung", "gedanke", "gedanken", "geste", "rolle", "sprecher",
	}
)

// beginWrapped begins to collect an object if nothing was let through before it.
func (s *Scrubber) beginWrapped(first []rune) {
	if s.state.last == 0 {
		s.wrapped = append([]rune{}, first...)
	}
}

// collectWrapped adds to the object that begins the text.
func (s *Scrubber) collectWrapped(more []rune) {
	switch {
	case s.wrapped == nil:
	case len(s.wrapped)+len(more) > maxWrapped:
		s.wrapped = nil
	default:
		s.wrapped = append(s.wrapped, more...)
	}
}

// unwrap puts the speech in the object that has ended in its place.
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

// speechIn is what is said in a JSON value, empty if nothing is or if it is a call.
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

// speechOf is what is said in an object.
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
	// Another key: what reads like a sentence, the longest of those.
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
