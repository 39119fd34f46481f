package openai

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// fragment is a part of a tool call as sent by vendors.
type fragment struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name string `json:"name"`
		// Arguments is a JSON string according to the protocol; some vendors send the object itself.
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// arguments returns the fragment's part of the arguments text.
func (f fragment) arguments() string {
	raw := f.Function.Arguments
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

type building struct {
	index     int
	id, name  string
	arguments strings.Builder
}

// assembler assembles tool calls from fragments. The protocol identifies a call by its index, but vendors
// omit the index or the ID, repeat the name, or number every call zero.
type assembler struct {
	calls []*building
}

func (a *assembler) addFragment(f fragment) {
	args := f.arguments()
	call := a.findBuilding(f, args)
	if call == nil {
		call = &building{index: len(a.calls)}
		if f.Index != nil {
			call.index = *f.Index
		}
		a.calls = append(a.calls, call)
	}
	if call.id == "" {
		call.id = f.ID
	}
	if f.Function.Name != call.name && call.arguments.Len() == 0 {
		call.name += f.Function.Name
	}
	call.arguments.WriteString(args)
}

// findBuilding returns the call that f continues, or nil if f begins a new one.
func (a *assembler) findBuilding(f fragment, args string) *building {
	if len(a.calls) == 0 {
		return nil
	}
	last := a.calls[len(a.calls)-1]
	if f.Index == nil {
		for _, c := range a.calls {
			if f.ID != "" && c.id == f.ID {
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
		if c.index != *f.Index {
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
	if f.Function.Name == "" {
		return false
	}
	if f.ID != "" && c.id != "" {
		return f.ID != c.id
	}
	return args != "" && json.Valid([]byte(c.arguments.String()))
}

// result returns the complete calls in order. answer is a number that makes the generated IDs unique where
// the vendor omitted them.
func (a *assembler) result(answer int64) []llm.ToolCall {
	var out []llm.ToolCall
	seen := make(map[string]bool, len(a.calls))
	for i, c := range a.calls {
		if c.id == "" || seen[c.id] {
			c.id = fmt.Sprintf("call_%d_%d", answer, i)
		}
		seen[c.id] = true
		args := c.arguments.String()
		if strings.TrimSpace(args) == "" {
			args = "{}"
		}
		out = append(out, llm.ToolCall{ID: c.id, Name: c.name, Arguments: args})
	}
	return out
}
