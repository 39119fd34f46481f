package offline

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// record is an object in a tool's result. Field lookups ignore case and accept the various names that tools
// use.
type record map[string]any

// field returns the first of the named fields that is present.
func (r record) field(names ...string) any {
	for _, n := range names {
		if v, ok := r[n]; ok && v != nil {
			return v
		}
	}
	for _, n := range names {
		found := ""
		for k, v := range r {
			if v != nil && strings.EqualFold(k, n) && (found == "" || k < found) {
				found = k
			}
		}
		if found != "" {
			return r[found]
		}
	}
	return nil
}

// text returns the first of the named fields that is text or a number, on one line.
func (r record) text(names ...string) string {
	for _, n := range names {
		switch v := r.field(n).(type) {
		case string:
			if s := oneLine(v, 0); s != "" {
				return s
			}
		case json.Number:
			return v.String()
		}
	}
	return ""
}

// int returns a field that is an integer.
func (r record) int(name string) (int, bool) {
	n, ok := r.field(name).(json.Number)
	if !ok {
		return 0, false
	}
	i, err := strconv.Atoi(n.String())
	return i, err == nil
}

// ints returns a field that is a list of integers, or nil if it is not.
func (r record) ints(name string) []int {
	list, _ := r.field(name).([]any)
	var out []int
	for _, v := range list {
		n, _ := v.(json.Number)
		i, err := strconv.Atoi(n.String())
		if err != nil {
			return nil
		}
		out = append(out, i)
	}
	return out
}

// records returns the objects of a field that is a list.
func (r record) records(names ...string) []record {
	list, _ := r.field(names...).([]any)
	return objects(list)
}

func objects(list []any) []record {
	var out []record
	for _, v := range list {
		if o, ok := v.(map[string]any); ok {
			out = append(out, record(o))
		}
	}
	return out
}

// parse decodes a result. It returns text that is not JSON unchanged.
func parse(content string) any {
	content = untrusted.Clean(content, 0)
	dec := json.NewDecoder(strings.NewReader(content))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil || dec.More() {
		return content
	}
	return v
}

// recordOf returns a result that is a single object, or else an empty record.
func recordOf(content string) record {
	o, _ := parse(content).(map[string]any)
	return record(o)
}

// listFields are the names that tools use for their lists of results.
var listFields = []string{"results", "entities", "rules", "hits", "lines", "facts", "findings", "matches", "sessions", "items", "entries"}

// recordsOf returns the objects that a search found.
func recordsOf(content string) []record {
	switch v := parse(content).(type) {
	case []any:
		return objects(v)
	case map[string]any:
		r := record(v)
		for _, f := range listFields {
			if _, ok := r.field(f).([]any); ok {
				return r.records(f)
			}
		}
		if r.text("id") != "" {
			return []record{r}
		}
	}
	return nil
}

// surelyFrom is the score from which a line found by search_sessions counts as an answer. Below it, a model
// would have to judge whether the line says the same in other words, and this package has none.
const surelyFrom = 0.5

// answersOf returns the objects of a session search that count as answers.
func answersOf(content string) []record {
	return slices.DeleteFunc(recordsOf(content), func(r record) bool {
		n, ok := r.field("score").(json.Number)
		if !ok {
			return false
		}
		score, err := n.Float64()
		return err == nil && score < surelyFrom
	})
}

// failureLeads are the beginnings of the text of a failed call.
var failureLeads = []string{"error:", "error ", "failed", "failure", "invalid arguments", "unknown tool", "tool is not allowed",
	"tool is unavailable", "tool call timed out", "tool panicked", "host is closed", "tool error", "timed out", "over latency budget"}

// failureReason returns why a call failed, or "" if it did not.
func failureReason(content string) string {
	switch v := parse(content).(type) {
	case string:
		fold := strings.ToLower(strings.TrimSpace(v))
		if after, broken := strings.CutPrefix(fold, `{"error":`); broken {
			// An error object that is not valid JSON is still an error.
			if s := strings.Trim(oneLine(after, 0), ` "{}`); s != "" {
				return s
			}
			return "error"
		}
		for _, lead := range failureLeads {
			if strings.HasPrefix(fold, lead) {
				return oneLine(v, 0)
			}
		}
	case map[string]any:
		r := record(v)
		if nested, ok := r.field("error").(map[string]any); ok {
			if s := record(nested).text("message", "reason", "text", "code"); s != "" {
				return s
			}
			return "error"
		}
		if s := r.text("error"); s != "" {
			return s
		}
		if r.text("status") == "proposed" { // nothing has been done yet
			return "proposed"
		}
		if bad, ok := r.field("isError", "is_error").(bool); ok && bad {
			if s := plainText(v); s != "" {
				return s
			}
			return "error"
		}
	}
	return ""
}
