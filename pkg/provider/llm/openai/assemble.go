package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// building is a tool call that is being assembled.
type building struct {
	index     int
	id, name  string
	arguments []string // parts as they came
	attached  map[string]json.RawMessage
}

func (b *building) text() string { return strings.Join(b.arguments, "") }

// assembler assembles tool calls from fragments. The protocol identifies a call by its index, but vendors
// omit the index or the ID, repeat the name or the arguments, send the name last, or number every call zero.
type assembler struct {
	calls []*building
}

func (a *assembler) addFragment(f fragment) {
	name, args := string(f.Function.Name), f.Function.arguments()
	c := a.findBuilding(f, args)
	if c == nil {
		c = &building{index: len(a.calls)}
		if f.Index.given {
			c.index = int(f.Index.value)
		}
		a.calls = append(a.calls, c)
	}
	if c.id == "" {
		c.id = string(f.ID)
	}
	switch {
	case name == "":
	case strings.HasPrefix(name, c.name): // the name, or all of it so far
		c.name = name
	case len(c.arguments) == 0:
		c.name += name
	}
	if args != "" {
		c.arguments = append(c.arguments, args)
	}
	if len(f.attached) > 0 && c.attached == nil {
		c.attached = map[string]json.RawMessage{}
	}
	maps.Copy(c.attached, f.attached)
}

// addWhole adds a call of a whole message, unless the same call has come in fragments before.
func (a *assembler) addWhole(f fragment) {
	for _, c := range a.calls {
		sameID := f.ID != "" && string(f.ID) == c.id
		if sameID && validObject(finished(c.arguments)) || c.name == string(f.Function.Name) && finished(c.arguments) == finished([]string{f.Function.arguments()}) {
			return
		}
	}
	a.addFragment(f)
}

// findBuilding returns the call that f continues, or nil if f begins a new one.
func (a *assembler) findBuilding(f fragment, args string) *building {
	if len(a.calls) == 0 {
		return nil
	}
	last := a.calls[len(a.calls)-1]
	if !f.Index.given {
		for _, c := range a.calls {
			if f.ID != "" && c.id == string(f.ID) {
				return c
			}
		}
		if f.ID == "" && !begins(last, f, args) {
			return last
		}
		return nil
	}
	// Newest first: if every call is numbered zero, a fragment belongs to the latest call.
	for i := len(a.calls) - 1; i >= 0; i-- {
		c := a.calls[i]
		if c.index != int(f.Index.value) {
			continue
		}
		if begins(c, f, args) {
			return nil
		}
		return c
	}
	return nil
}

// begins reports whether f begins a new call although it has the same position as c.
func begins(c *building, f fragment, args string) bool {
	if f.Function.Name == "" || c.name == "" {
		return false
	}
	if f.ID != "" && c.id != "" {
		return string(f.ID) != c.id
	}
	return args != "" && json.Valid([]byte(c.text()))
}

// result returns the complete calls in order. answer is a number that makes the generated IDs unique where
// the vendor omitted them.
func (a *assembler) result(answer int64) []llm.ToolCall {
	var out []llm.ToolCall
	seen := make(map[string]bool, len(a.calls))
	for i, c := range a.calls {
		if c.name == "" && len(c.arguments) == 0 {
			continue // an empty entry, which some vendors send beside text
		}
		if c.id == "" || seen[c.id] {
			c.id = fmt.Sprintf("call_%d_%d", answer, i)
		}
		seen[c.id] = true
		call := llm.ToolCall{ID: c.id, Name: c.name, Arguments: finished(c.arguments)}
		if len(c.attached) > 0 {
			call.Attached = &llm.Attachment{Call: c.attached}
		}
		out = append(out, call)
	}
	return out
}

// finished returns the arguments that parts stand for: usually the parts joined. Vendors also encode them twice,
// repeat all of them after the parts, begin with an empty object, or write something behind them. What cannot be
// read is returned as it came.
func finished(parts []string) string {
	joined := strings.TrimSpace(strings.Join(parts, ""))
	switch {
	case joined == "" || joined == "null" || joined == `""`:
		return "{}"
	case validObject(joined):
		return joined
	}
	if found := firstObject(joined); found != "" {
		return found
	}
	for i := len(parts) - 1; i >= 0; i-- { // everything again behind parts that are incomplete
		if part := strings.TrimSpace(parts[i]); validObject(part) && len(parts) > 1 {
			return part
		}
	}
	return joined
}

// firstObject returns the first object with content at the beginning of s, where texts may contain objects. It
// returns an empty object if there is no other, and nothing without an object.
func firstObject(s string) string {
	found := ""
	d := json.NewDecoder(strings.NewReader(s))
	for {
		var raw json.RawMessage
		if d.Decode(&raw) != nil {
			return found
		}
		object := ""
		var inner string
		if validObject(string(raw)) {
			object = string(raw)
		} else if json.Unmarshal(raw, &inner) == nil && len(inner) < len(raw) {
			if inner = strings.TrimSpace(inner); validObject(inner) {
				object = inner
			} else {
				object = firstObject(inner)
			}
		}
		switch {
		case object == "":
			return found
		case !emptyObject(object):
			return object
		}
		found = object
	}
}

func validObject(s string) bool {
	return strings.HasPrefix(s, "{") && json.Valid([]byte(s))
}

func emptyObject(s string) bool {
	return len(bytes.Join(bytes.Fields([]byte(s)), nil)) == 2
}
