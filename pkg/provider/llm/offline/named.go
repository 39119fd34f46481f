package offline

import (
	"encoding/json"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

var (
	// toolVerbs precede the name of a tool.
	toolVerbs = wordsOf("use call run invoke try trigger execute using benutze benutz nutze nutz verwende verwend starte ruf rufe")
	// toolFillers may appear between the verb and the name, and around them.
	toolFillers = wordsOf("the a tool called named function das den die werkzeug namens funktion")
	// argumentLeads separate a tool's name from its arguments.
	argumentLeads = wordsOf("with and to for on as say saying tool function it's arguments args argument auf mit und für tool werkzeug")
)

var unknownTools = patterns("use|call|run|invoke|try the|a|your? * tool", "benutze|benutz|nutze|nutz|verwende das|dein? * werkzeug|tool")

// unknownTool finds a call of a tool that is not offered.
func (u *utterance) unknownTool(toks []token) (intent, bool) {
	m, ok := findMatch(unknownTools, toks)
	return intent{kind: wantTool}, ok && !u.refusedBefore(toks, m.from)
}

// mention is a tool mentioned by name: the token of the verb, and the token after the name.
type mention struct {
	from, to int
	tool     string
}

// namedTools finds tools called by name, such as "use echo with message hello". It returns the index of the
// first token; the following ones are arguments.
func (u *utterance) namedTools(toks []token) (int, []intent) {
	var found []mention
	for i := 0; i < len(toks); i++ {
		if !toolVerbs[toks[i].fold] || u.refusedBefore(toks, i) {
			continue
		}
		k := i + 1
		for k < len(toks) && toolFillers[toks[k].fold] {
			k++
		}
		if tool, to := u.toolAt(toks, k); tool != "" {
			found = append(found, mention{i, to, tool})
			i = to - 1
		}
	}
	if len(found) == 0 {
		return 0, nil
	}
	var out []intent
	for i, m := range found {
		end := len(toks)
		if i+1 < len(found) {
			end = found[i+1].from
			for end > m.to && conjunctions[toks[end-1].fold] {
				end--
			}
		}
		args := u.toolArguments(u.offered[m.tool], toks[m.to:end], toks[m.to-1].end)
		out = append(out, intent{kind: wantTool, tool: m.tool, args: args})
	}
	return found[0].from, out
}

// toolAt returns the offered or already called tool whose name begins at token k, preferring the longest
// name, and the index of the token after it.
func (u *utterance) toolAt(toks []token, k int) (tool string, to int) {
	names := make([]string, 0, len(u.offered)+len(u.called))
	for n := range u.offered {
		names = append(names, n)
	}
	for n := range u.called {
		if u.offered[n] == nil {
			names = append(names, n)
		}
	}
	sort.Strings(names)
	for _, n := range names {
		if end := nameEnd(toks, k, n); end > to {
			tool, to = n, end
		}
	}
	return tool, to
}

// nameEnd returns the index of the token after name if name begins at token k, or 0.
func nameEnd(toks []token, k int, name string) int {
	if k >= len(toks) || name == "" {
		return 0
	}
	fold := strings.ToLower(name)
	if toks[k].fold == fold {
		return k + 1
	}
	parts := strings.FieldsFunc(fold, func(r rune) bool { return r == '_' || r == '-' })
	if len(parts) == 0 || k+len(parts) > len(toks) {
		return 0
	}
	for i, p := range parts {
		if toks[k+i].fold != p {
			return 0
		}
	}
	return k + len(parts)
}

// toolArguments builds a tool's arguments from the words after its name, which ends at byte after. If they
// contain a JSON object it uses that, and otherwise fills in the schema.
func (u *utterance) toolArguments(def *llm.ToolDefinition, toks []token, after int) string {
	until := len(u.text)
	if len(toks) > 0 && toks[len(toks)-1].end < u.toks[len(u.toks)-1].end {
		until = toks[len(toks)-1].end
	}
	if object := jsonObject(u.text[after:max(after, until)]); object != "" {
		return object
	}
	for len(toks) > 0 && argumentLeads[toks[0].fold] {
		toks = toks[1:]
	}
	if def == nil {
		return "{}"
	}
	return u.makeArguments(def, toks)
}

// jsonObject returns the JSON object in text, or "" if there is none.
func jsonObject(text string) string {
	at := strings.IndexByte(text, '{')
	if at < 0 {
		return ""
	}
	var object map[string]any
	if json.NewDecoder(strings.NewReader(text[at:])).Decode(&object) != nil || object == nil {
		return ""
	}
	return encode(object)
}

// makeArguments fills a schema's properties from words. Words after a property's name go to that property,
// the others to the first suitable one.
func (u *utterance) makeArguments(def *llm.ToolDefinition, toks []token) string {
	props, _ := def.Parameters["properties"].(map[string]any)
	names := make([]string, 0, len(props))
	for n := range props {
		names = append(names, n)
	}
	sort.Strings(names)
	given, free := u.assignTokens(names, toks)
	required := requiredNames(def.Parameters)
	if len(free) > 0 {
		if target := freeTarget(names, required, props, given); target != "" {
			given[target] = free
		}
	}
	args := map[string]any{}
	for _, n := range names {
		schema, _ := props[n].(map[string]any)
		if words, ok := given[n]; ok {
			args[n] = u.argumentValue(schema, words)
		} else if slices.Contains(required, n) {
			args[n] = u.argumentValue(schema, nil)
		}
	}
	return encode(args)
}

// assignTokens splits words at the names of properties.
func (u *utterance) assignTokens(names []string, toks []token) (given map[string][]token, free []token) {
	given = map[string][]token{}
	current := ""
	for i := 0; i < len(toks); {
		name, end := "", 0
		for _, n := range names {
			if e := nameEnd(toks, i, n); e > end && given[n] == nil {
				name, end = n, e
			}
		}
		if name != "" && end < len(toks) {
			if words := given[current]; len(words) > 1 && argumentLeads[words[len(words)-1].fold] {
				given[current] = words[:len(words)-1]
			}
			current, i = name, end
			continue
		}
		if current == "" {
			free = append(free, toks[i])
		} else {
			given[current] = append(given[current], toks[i])
		}
		i++
	}
	return given, free
}

func requiredNames(schema map[string]any) []string {
	return enum(map[string]any{"enum": schema["required"]})
}

// freeTarget returns the property for words without a property name: preferably a required string, then any
// string, then anything.
func freeTarget(names, required []string, props map[string]any, given map[string][]token) string {
	best, score := "", -1
	for _, n := range names {
		if given[n] != nil {
			continue
		}
		schema, _ := props[n].(map[string]any)
		s := 0
		if slices.Contains(required, n) {
			s += 2
		}
		if typeOf(schema) == "string" && schema["enum"] == nil {
			s++
		}
		if s > score {
			best, score = n, s
		}
	}
	return best
}

// typeOf returns a schema's type, or the first non-null type of several.
func typeOf(schema map[string]any) string {
	switch v := schema["type"].(type) {
	case string:
		return v
	case []any:
		for _, e := range v {
			if s, ok := e.(string); ok && s != "null" {
				return s
			}
		}
	case []string:
		for _, s := range v {
			if s != "null" {
				return s
			}
		}
	}
	return "string"
}

// argumentValue builds a value of the schema's type from words, or a minimal valid value if no words fit.
func (u *utterance) argumentValue(schema map[string]any, toks []token) any {
	text := span(u.text, toks)
	if allowed, ok := schema["enum"].([]any); ok && len(allowed) > 0 {
		return chosen(allowed, toks)
	}
	if list := enum(schema); len(list) > 0 {
		for _, s := range list {
			if mentions(toks, s) {
				return s
			}
		}
		return list[0]
	}
	if def, ok := schema["default"]; ok && text == "" {
		return def
	}
	switch typeOf(schema) {
	case "integer", "number":
		return number(schema, toks, typeOf(schema) == "integer")
	case "boolean":
		return slices.ContainsFunc(toks, func(k token) bool { return truths[k.fold] })
	case "array":
		items, _ := schema["items"].(map[string]any)
		if text == "" {
			return []any{}
		}
		return []any{u.argumentValue(items, toks)}
	case "object":
		return map[string]any{}
	}
	if text == "" {
		return u.text
	}
	return text
}

var truths = wordsOf("true yes on ja wahr an")

func chosen(allowed []any, toks []token) any {
	for _, a := range allowed {
		if s, ok := a.(string); ok && mentions(toks, s) {
			return a
		}
	}
	return allowed[0]
}

// number returns the first number among words, or else the schema's minimum or 0.
func number(schema map[string]any, toks []token, whole bool) any {
	for _, k := range toks {
		if n, err := strconv.Atoi(k.fold); err == nil {
			return n
		}
		if f, err := strconv.ParseFloat(k.fold, 64); err == nil && !whole && f < 1e15 && f > -1e15 {
			return f
		}
	}
	switch low := schema["minimum"].(type) {
	case int:
		return low
	case float64:
		return low
	}
	return 0
}

// encode renders arguments as JSON. Values come from JSON or are plain, so this cannot fail; if a definition
// contains anything else, the tool gets no arguments.
func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "{}"
	}
	return string(b)
}
