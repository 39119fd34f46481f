package dialect

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// This file finds the calls in what a dialect encloses. Dialects differ more in how they mark calls than in
// how they write them, and models mix both. So every content is read by the same rules.

var (
	// callTags begin a call with its name: <invoke name="roll">, <function=roll>.
	callTags = regexp.MustCompile(`<(?:[\w-]+:)?(?:invoke|function|function_call|tool_call|tool|call|use_tool)(?:\s+name)?\s*=\s*["']?([^"'>\s]+)["']?[^>]*>`)
	// parameterTags begin an argument: <parameter name="n">, <parameter=n>.
	parameterTags = regexp.MustCompile(`<(?:[\w-]+:)?(?:parameter|param|arg|argument)(?:\s+name)?\s*=\s*["']?([^"'>\s]+)["']?([^>]*)>`)
	// valueEnds end an argument.
	valueEnds = regexp.MustCompile(`</(?:[\w-]+:)?(?:parameter|param|arg|argument|invoke|function|function_call|function_calls|tool_call|tool_calls|tool|call|use_tool)>`)
	// childTags begin an element without attributes.
	childTags = regexp.MustCompile(`<([A-Za-z_][\w.-]*)>`)
	// openTags begin a call and are not closed: <function=roll{"n": 1}.
	openTags = regexp.MustCompile(`<function=([\w.-]+)[\s(]*\{`)
	// attributes are those of a tag.
	attributes = regexp.MustCompile(`([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')`)
	// brokenNames find the name in an object that is not complete.
	brokenNames = regexp.MustCompile(`["'](?:name|tool_name|function)["']\s*:\s*["']([^"']+)["']`)
)

// parse returns the calls in the content of a call's markup.
func (t toolset) parse(s string) []Call {
	s = strings.NewReplacer("｜DSML｜", "", "|DSML|", "").Replace(s)
	s = openTags.ReplaceAllString(s, "<function=$1>{")
	switch {
	case callTags.MatchString(s):
		return t.parseTags(s)
	case strings.Contains(s, "<arg_key>"):
		return t.parsePairs(s)
	}
	if calls := t.parseElements(s); len(calls) > 0 {
		return calls
	}
	return t.scan(s)
}

// parseTags reads calls in tags with a name.
func (t toolset) parseTags(s string) (calls []Call) {
	heads := callTags.FindAllStringSubmatchIndex(s, -1)
	for i, h := range heads {
		end := len(s)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		name, body := t.resolve(s[h[2]:h[3]]), s[h[1]:end]
		args := map[string]any{}
		parameters := parameterTags.FindAllStringSubmatchIndex(body, -1)
		for k, p := range parameters {
			stop := len(body)
			if k+1 < len(parameters) {
				stop = parameters[k+1][0]
			}
			value := body[p[1]:stop]
			if at := valueEnds.FindStringIndex(value); at != nil {
				value = value[:at[0]]
			}
			key := body[p[2]:p[3]]
			args[key] = t.typedTag(name, key, value, body[p[4]:p[5]])
		}
		if len(parameters) > 0 {
			calls = append(calls, Call{name, marshal(args)})
			continue
		}
		body = strings.TrimSpace(body)
		if !strings.HasPrefix(body, "{") {
			if at := valueEnds.FindStringIndex(body); at != nil {
				body = body[:at[0]]
			}
			for key, value := range elements(body) {
				args[key] = t.typed(name, key, trimLine(value))
			}
			if len(args) == 0 {
				for _, a := range attributes.FindAllStringSubmatch(s[h[0]:h[1]], -1) {
					if a[1] != "name" {
						args[a[1]] = t.typed(name, a[1], a[2]+a[3])
					}
				}
			}
			calls = append(calls, Call{name, marshal(args)})
			continue
		}
		calls = append(calls, Call{name, t.arguments(body)})
	}
	return calls
}

// typedTag converts the content of a parameter tag. DeepSeek says in an attribute whether it is a text.
func (t toolset) typedTag(name, key, value, attributes string) any {
	value = trimLine(value)
	switch {
	case strings.Contains(attributes, `string="true"`):
		return value
	case strings.Contains(attributes, `string="false"`):
		if v, n, ok := readLiteral(value, false); ok && n == len(strings.TrimRight(value, " \n")) {
			return v
		}
	}
	return t.typed(name, key, value)
}

// trimLine removes the line breaks after and before tags.
func trimLine(s string) string {
	return strings.TrimSuffix(strings.TrimPrefix(s, "\n"), "\n")
}

// parsePairs reads GLM's calls: a name, then <arg_key>n</arg_key><arg_value>v</arg_value>.
func (t toolset) parsePairs(s string) (calls []Call) {
	for part := range strings.SplitSeq(s, "<tool_call>") {
		head, rest, found := strings.Cut(part, "<arg_key>")
		name := t.resolve(strings.TrimSpace(head))
		if !found || name == "" {
			continue
		}
		args := map[string]any{}
		for pair := range strings.SplitSeq(rest, "<arg_key>") {
			key, value, _ := strings.Cut(pair, "<arg_value>")
			key, _, _ = strings.Cut(key, "</arg_key>")
			value, _, _ = strings.Cut(value, "</arg_value>")
			value, _, _ = strings.Cut(value, "</tool_call>")
			key = strings.TrimSpace(key)
			args[key] = t.typed(name, key, trimLine(value))
		}
		calls = append(calls, Call{name, marshal(args)})
	}
	return calls
}

// parseElements reads a call whose name and arguments are elements: <name>roll</name>.
func (t toolset) parseElements(s string) []Call {
	all := elements(s)
	for range 3 { // elements that enclose the call
		for key, inside := range all {
			if len(all) == 1 && names[key] == call && strings.Contains(inside, "</") {
				all = elements(inside)
			}
		}
	}
	name := ""
	for _, key := range nameKeys {
		if name = strings.TrimSpace(all[key]); name != "" {
			break
		}
	}
	if name == "" || strings.ContainsAny(name, "<{( \n") {
		return nil
	}
	name = t.resolve(name)
	for _, key := range argumentKeys {
		value, ok := all[key]
		if !ok {
			continue
		}
		inside := elements(value)
		if len(inside) == 0 {
			return []Call{{name, t.arguments(value)}}
		}
		args := map[string]any{}
		for k, v := range inside {
			args[k] = t.typed(name, k, trimLine(v))
		}
		return []Call{{name, marshal(args)}}
	}
	return []Call{{name, "{}"}}
}

// fromElement returns the call in a tag that has the tool's name.
func (t toolset) fromElement(name, head, body string) Call {
	body = strings.TrimSpace(body)
	if strings.HasPrefix(body, "{") {
		return Call{name, t.arguments(body)}
	}
	args := map[string]any{}
	for _, a := range attributes.FindAllStringSubmatch(head, -1) {
		args[a[1]] = t.typed(name, a[1], a[2]+a[3])
	}
	for key, value := range elements(body) {
		args[key] = t.typed(name, key, trimLine(value))
	}
	return Call{name, marshal(args)}
}

// elements returns the content of the elements in s, without those inside others.
func elements(s string) map[string]string {
	out := map[string]string{}
	for {
		at := childTags.FindStringSubmatchIndex(s)
		if at == nil {
			return out
		}
		name := s[at[2]:at[3]]
		body, rest, closed := strings.Cut(s[at[1]:], "</"+name+">")
		if !closed {
			s = s[at[1]:]
			continue
		}
		out[name] = body
		s = rest
	}
}

// noise are words in a call's markup that are not names.
var noise = []string{"json", "function", "functions", "functools", "call", "python", "tool", "tool_code", "code", "await", "import", "commentary"}

// scan reads calls in JSON, after a name, or as code.
func (t toolset) scan(s string) []Call {
	var calls, code []Call
	pending, words, skipWord := "", 0, false
	for i := 0; i < len(s); {
		c := s[i]
		if c == '<' || c == '[' || c == flower {
			if m, v := readMark(s[i:], true); v == yes {
				skipWord = m.name == "call_id"
				i += m.size
				continue
			}
		}
		switch {
		case c == '`':
			run := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
			if i += run; run >= 3 {
				i += identifier(s[i:])
			}
		case c == '#':
			if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
				i += n
			} else {
				i = len(s)
			}
		case c == '{' || c == '[':
			value, n, ok := readLiteral(s[i:], true)
			if !ok && c == '[' { // a list of calls as code
				i++
				continue
			}
			if !ok {
				return append(calls, t.broken(pending, s[i:])...)
			}
			object, isObject := value.(map[string]any)
			if pending != "" && isObject {
				calls = append(calls, Call{t.resolve(pending), marshal(object)})
			} else {
				calls = append(calls, t.fromValue(value, 0)...)
			}
			pending, i = "", i+n
		case c == '"' || c == '\'':
			if _, n, ok := readLiteral(s[i:], false); ok {
				i += n
			} else {
				i++
			}
		case c == '_' || unicode.IsLetter(rune(c)) || c >= 0x80:
			n := strings.IndexFunc(s[i:], func(r rune) bool { return !isPath(r) })
			if n < 0 {
				n = len(s) - i
			}
			if n == 0 {
				i++
				continue
			}
			path, after := s[i:i+n], strings.TrimLeft(s[i+n:], " ")
			i += n
			words++
			switch {
			case skipWord:
				skipWord = false
			case strings.HasPrefix(after, "(") && path == "print":
				i = len(s) - len(after) + 1
			case strings.HasPrefix(after, "("):
				l := literal{text: after, lenient: true}
				name := t.resolve(path)
				if positional, named, ok := l.callArguments(); ok {
					code = append(code, Call{name, marshal(t.place(name, positional, named))})
					i = len(s) - len(after) + l.at
				} else if args, _, ok := strings.Cut(after[1:], ")"); ok && !strings.ContainsAny(args, "\"'([{\n") {
					code = append(code, Call{name, marshal(t.unquoted(name, args))})
					i = len(s) - len(after) + len(args) + 2
				}
				pending = ""
			case strings.HasPrefix(after, "=") || slices.Contains(noise, path):
				pending = ""
			default:
				pending = path
			}
		default:
			i++
		}
	}
	if slices.ContainsFunc(code, func(c Call) bool { return t.has(c.Name) }) {
		// In a program, only the tools are calls.
		code = slices.DeleteFunc(code, func(c Call) bool { return !t.has(c.Name) })
	}
	calls = append(calls, code...)
	if len(calls) == 0 && words == 1 && t.has(pending) {
		return []Call{{t.resolve(pending), "{}"}} // GLM's call without arguments
	}
	return calls
}

// broken returns the call in an object that cannot be read. The host tells the model so.
func (t toolset) broken(pending, object string) []Call {
	if pending != "" {
		return []Call{{t.resolve(pending), object}}
	}
	if m := brokenNames.FindStringSubmatch(object); m != nil {
		return []Call{{t.resolve(m[1]), object}}
	}
	return nil
}

// place assigns positional arguments to names.
func (t toolset) place(name string, positional []any, named map[string]any) map[string]any {
	if len(positional) == 1 && len(named) == 0 {
		if object, ok := positional[0].(map[string]any); ok {
			return object
		}
	}
	for _, key := range t.order(name) {
		if len(positional) == 0 {
			break
		}
		if _, taken := named[key]; !taken {
			named[key], positional = positional[0], positional[1:]
		}
	}
	return named
}

// unquoted returns arguments that lack their quotes, as in roll(2d6, times=2).
func (t toolset) unquoted(name, args string) map[string]any {
	var positional []any
	named := map[string]any{}
	for arg := range strings.SplitSeq(args, ",") {
		if key, value, ok := strings.Cut(arg, "="); ok {
			key = strings.TrimSpace(key)
			named[key] = t.typed(name, key, strings.TrimSpace(value))
		} else {
			positional = append(positional, strings.TrimSpace(arg))
		}
	}
	return t.place(name, positional, named)
}

// fromValue returns the calls in a JSON value.
func (t toolset) fromValue(value any, depth int) (calls []Call) {
	if depth > deepest {
		return nil
	}
	if list, ok := value.([]any); ok {
		for _, one := range list {
			calls = append(calls, t.fromValue(one, depth+1)...)
		}
		return calls
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil
	}
	if _, defines := object["description"]; defines {
		return nil // the definition of a tool
	}
	for key, inside := range object { // {"roll": {"expression": "d20"}}
		if len(object) > 1 || !t.has(key) {
			break
		}
		switch args := inside.(type) {
		case map[string]any:
			return []Call{{t.resolve(key), marshal(args)}}
		case string:
			return []Call{{t.resolve(key), t.input(t.resolve(key), args)}}
		}
	}
	nameKey, name := "", ""
	for _, key := range nameKeys {
		if name, _ = object[key].(string); name != "" {
			nameKey = key
			break
		}
	}
	if inside, isObject := object["function"].(map[string]any); name == "" && isObject && firstOf(inside, argumentKeys) == nil {
		if name, _ = inside["name"].(string); name != "" { // the arguments stand beside the function
			nameKey = "function"
		}
	}
	if args, _ := firstOf(object, argumentKeys).(map[string]any); name == "" || strings.HasPrefix(name, "multi_tool_use") {
		for _, key := range nestingKeys {
			for _, o := range []map[string]any{object, args} {
				if inside := t.fromValue(o[key], depth+1); len(inside) > 0 {
					return inside
				}
			}
		}
		return nil
	}
	if strings.HasPrefix(name, "directly") && strings.HasSuffix(name, "answer") {
		return nil // Command-R: no tool
	}
	return []Call{{t.resolve(name), t.argumentsOf(object, nameKey)}}
}

func firstOf(object map[string]any, keys []string) any {
	for _, key := range keys {
		if v, ok := object[key]; ok {
			return v
		}
	}
	return nil
}

// argumentsOf returns the arguments in the object of a call.
func (t toolset) argumentsOf(object map[string]any, nameKey string) string {
	for _, key := range argumentKeys {
		switch v := object[key].(type) {
		case map[string]any:
			return marshal(v)
		case string:
			return t.arguments(v)
		case nil:
			if _, ok := object[key]; ok {
				return "{}"
			}
		default:
			return marshal(v)
		}
	}
	rest := map[string]any{}
	for key, v := range object {
		if key != nameKey && key != "type" && key != "id" && key != "tool_call_id" && key != "thought" {
			rest[key] = v
		}
	}
	return marshal(rest)
}
