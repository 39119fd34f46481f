package dialect

import (
	"bytes"
	"encoding/json"
	"html"
	"slices"
	"strings"
	"unicode"
)

// toolset contains the tools of a request by name.
type toolset map[string]Tool

func newToolset(tools []Tool) toolset {
	if len(tools) == 0 {
		return nil
	}
	t := make(toolset, len(tools))
	for _, tool := range tools {
		t[tool.Name] = tool
	}
	return t
}

// resolve returns the tool's name for a name as models write it, such as "functions.roll:0". If there is no
// such tool, it returns the name without such additions.
func (t toolset) resolve(written string) string {
	name, _, _ := strings.Cut(strings.Trim(strings.TrimSpace(written), `"'`), "<|")
	if _, ok := t[name]; ok {
		return name
	}
	if before, number, ok := strings.Cut(name, ":"); ok && strings.Trim(number, "0123456789") == "" {
		name = before
	}
	name = strings.TrimSuffix(name, ".call")
	for _, prefix := range callPrefixes {
		name = strings.TrimPrefix(name, prefix)
	}
	short := name[strings.LastIndexAny(name, ".:/")+1:]
	for _, candidate := range []string{name, short, strings.ReplaceAll(short, "-", "_"), strings.ReplaceAll(short, "_", "-")} {
		if _, ok := t[candidate]; ok {
			return candidate
		}
		for known := range t {
			if strings.EqualFold(known, candidate) {
				return known
			}
		}
	}
	if name == "" {
		return strings.TrimSpace(written)
	}
	return name
}

// has reports whether a tool has this name.
func (t toolset) has(written string) bool {
	_, ok := t[t.resolve(written)]
	return ok
}

// knowsAll reports whether there are calls, all of them of known tools.
func (t toolset) knowsAll(calls []Call) bool {
	return len(calls) > 0 && !slices.ContainsFunc(calls, func(c Call) bool { _, ok := t[c.Name]; return !ok })
}

// cutRecipient removes what a server that strips control tokens leaves after a recipient, as in
// "functions.rollcommentaryjson".
func (t toolset) cutRecipient(written string) string {
	for name := written; ; {
		if t.has(name) {
			return name
		}
		before := name
		for _, word := range []string{"json", "code", "commentary", "analysis"} {
			name = strings.TrimSuffix(name, word)
		}
		if name == before {
			return written
		}
	}
}

// mayCall reports whether text begins like an unmarked call.
func (t toolset) mayCall(text string, final bool) verdict {
	switch text[0] {
	case '<':
		m, v := readMark(text, final)
		if v == yes && (m.kind != call || m.ends) {
			return no
		}
		return v
	case '{':
		return t.mayCallObject(text, final)
	case '[':
		item := strings.TrimLeft(text[1:], " \t\r\n")
		if item == "" {
			return waitUnless(final)
		}
		if item[0] == '{' {
			return t.mayCallObject(item, final)
		}
		n, v := t.codeCall(item, final)
		if v == yes && item[n] != '(' {
			return no
		}
		return v
	}
	_, v := t.codeCall(text, final)
	return v
}

// mayCallObject reports whether an object's first key is one of a call.
func (t toolset) mayCallObject(text string, final bool) verdict {
	rest := strings.TrimLeft(text[1:], " \t\r\n")
	if rest == "" {
		return waitUnless(final)
	}
	if rest[0] != '"' && rest[0] != '\'' {
		return no
	}
	key, _, closed := strings.Cut(rest[1:], rest[:1])
	if closed {
		if _, ok := t[key]; ok || slices.Contains(objectKeys, key) {
			return yes
		}
		return no
	}
	begins := func(known string) bool { return strings.HasPrefix(known, key) }
	if slices.ContainsFunc(objectKeys, begins) {
		return waitUnless(final)
	}
	for name := range t {
		if begins(name) {
			return waitUnless(final)
		}
	}
	return no
}

// longestGap is the maximum number of white space characters between a tool's name and its arguments.
const longestGap = 2

// codeCall reports whether text begins with a call as code, such as roll(expression="d20"), and where its
// first bracket is.
func (t toolset) codeCall(text string, final bool) (int, verdict) {
	const print = "print("
	if after, ok := strings.CutPrefix(text, print); ok {
		n, v := t.codeCall(after, final)
		if v == yes && after[n] != '(' {
			v = no
		}
		return len(print) - 1, v
	}
	if strings.HasPrefix(print, text) && !final {
		return 0, wait
	}
	size := strings.IndexFunc(text, func(c rune) bool { return !isPath(c) })
	if size < 0 {
		size = len(text)
	}
	path := text[:size]
	name, number, numbered := strings.Cut(path, ":")
	if numbered && strings.Trim(number, "0123456789") != "" {
		name, numbered = path, false // a prefix such as "functions:"
	}
	known, begins := t.calledAs(name)
	if numbered {
		_, begins = t.calledAs(path)
	}
	switch {
	case size == len(text) && !final && (known || begins):
		return 0, wait
	case size == len(text) || !known:
		return 0, no
	}
	rest := text[size:]
	if rest[0] == '(' {
		return size, beginsArguments(rest[1:], final)
	}
	body := strings.TrimLeft(rest, " \n")
	gap := len(rest) - len(body)
	if after, ok := strings.CutPrefix(body, "```"); ok { // DeepSeek without its control tokens
		body = strings.TrimLeft(strings.TrimPrefix(after, "json"), "\n")
		gap = 0
		if body == "" || strings.HasPrefix("json", after) {
			return 0, waitUnless(final)
		}
	}
	switch {
	case gap > longestGap:
		return 0, no
	case body == "", strings.HasPrefix("```", body) && gap > 0:
		return 0, waitUnless(final)
	case body[0] != '{':
		return 0, no
	}
	key := strings.TrimLeft(body[1:], " \t\r\n")
	switch {
	case key == "":
		return 0, waitUnless(final)
	case key[0] == '"', key[0] == '\'', key[0] == '}':
		return len(text) - len(body), yes
	}
	n := identifier(key) // Gemma writes keys without quotes
	switch {
	case n == len(key):
		return 0, waitUnless(final)
	case n > 0 && key[n] == ':':
		return len(text) - len(body), yes
	}
	return 0, no
}

func isPath(c rune) bool {
	return c == '_' || c == '-' || c == '.' || c == ':' || unicode.IsLetter(c) || unicode.IsDigit(c)
}

// calledAs reports whether path is a tool's name, perhaps after a prefix, or begins like one.
func (t toolset) calledAs(path string) (known, begins bool) {
	for name := range t {
		known = known || path == name
		begins = begins || strings.HasPrefix(name, path)
		for _, prefix := range callPrefixes {
			known = known || path == prefix+name
			begins = begins || strings.HasPrefix(prefix, path) || strings.HasPrefix(prefix+name, path)
		}
	}
	return known, begins
}

// beginsArguments reports whether text after a parenthesis is a list of arguments rather than prose, as in
// "make your roll(s)".
func beginsArguments(text string, final bool) verdict {
	text = strings.TrimLeft(text, " \t\r\n")
	first := firstRune(text)
	if text == "" {
		return waitUnless(final)
	}
	if unicode.IsDigit(first) || strings.ContainsRune(`)"'{[-*`, first) {
		return yes
	}
	size := strings.IndexFunc(text, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	if size == 0 {
		return no
	}
	after := ""
	if size > 0 {
		after = strings.TrimLeft(text[size:], " ")
	}
	switch {
	case after == "":
		return waitUnless(final)
	case after[0] == '=', after[0] == ':':
		return yes
	}
	return no
}

// properties returns the schemas of a tool's arguments.
func (t toolset) properties(name string) map[string]any {
	p, _ := t[name].Parameters["properties"].(map[string]any)
	return p
}

// order returns the names of a tool's arguments as for positional arguments: required ones first.
func (t toolset) order(name string) []string {
	var out []string
	switch required := t[name].Parameters["required"].(type) {
	case []string:
		out = append(out, required...)
	case []any:
		for _, r := range required {
			if s, ok := r.(string); ok {
				out = append(out, s)
			}
		}
	}
	var rest []string
	for key := range t.properties(name) {
		if !slices.Contains(out, key) {
			rest = append(rest, key)
		}
	}
	slices.Sort(rest)
	return append(out, rest...)
}

// typed converts an argument that was written as text to the type in the tool's schema.
func (t toolset) typed(name, key, text string) any {
	types := schemaTypes(t.properties(name)[key])
	plain := html.UnescapeString(text)
	trimmed := strings.TrimSpace(plain)
	if slices.Contains(types, "null") && (trimmed == "null" || trimmed == "None") {
		return nil
	}
	if len(types) == 0 || slices.Contains(types, "string") {
		return plain
	}
	value, n, ok := readLiteral(trimmed, false)
	if !ok || n != len(trimmed) || !slices.ContainsFunc(types, func(kind string) bool { return hasType(value, kind) }) {
		return plain
	}
	return value
}

// schemaTypes returns the types that a schema allows. None means any.
func schemaTypes(schema any) []string {
	object, _ := schema.(map[string]any)
	var out []string
	switch kind := object["type"].(type) {
	case string:
		out = append(out, kind)
	case []string:
		out = append(out, kind...)
	case []any:
		for _, k := range kind {
			if s, ok := k.(string); ok {
				out = append(out, s)
			}
		}
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		choices, _ := object[key].([]any)
		for _, c := range choices {
			out = append(out, schemaTypes(c)...)
		}
	}
	return out
}

func hasType(value any, kind string) bool {
	switch v := value.(type) {
	case json.Number:
		return kind == "number" || kind == "integer" && !strings.ContainsAny(v.String(), ".eE")
	case bool:
		return kind == "boolean"
	case []any:
		return kind == "array"
	case map[string]any:
		return kind == "object"
	}
	return false
}

// arguments returns a call's arguments as a JSON object, or raw if it is none.
func (t toolset) arguments(raw string) string {
	raw = strings.TrimSpace(raw)
	if raw == "" || raw == "null" {
		return "{}"
	}
	value, _, ok := readLiteral(raw, true)
	if text, isText := value.(string); ok && isText {
		value, _, ok = readLiteral(strings.TrimSpace(text), true)
	}
	if object, isObject := value.(map[string]any); ok && isObject {
		return marshal(object)
	}
	return raw
}

// input returns a call's arguments from a text that is either an object or the first argument.
func (t toolset) input(name, text string) string {
	text = strings.TrimSpace(text)
	order := t.order(name)
	if strings.HasPrefix(text, "{") || text == "" || len(order) == 0 {
		return t.arguments(text)
	}
	return marshal(map[string]any{order[0]: t.typed(name, order[0], strings.Trim(text, `"`))})
}

// marshal returns value as JSON, without escaping for HTML.
func marshal(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return "{}" // readLiteral returns only values that can be encoded
	}
	return strings.TrimSpace(b.String())
}
