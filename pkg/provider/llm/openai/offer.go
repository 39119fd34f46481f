package openai

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	oai "github.com/sashabaranov/go-openai"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm/openai/dialect"
)

// offer is the set of tools in a request, in the form that the endpoint accepts.
type offer struct {
	names []string // of the tools, in the order in which they are sent
	wire  []oai.Tool
	sent  map[string]string            // name on the wire by name of the tool, where they differ
	args  map[string]map[string]string // property on the wire by property of the tool, by name of the tool
}

// offerOf returns what an endpoint is offered of the tools.
func offerOf(defs []llm.ToolDefinition, t *terms) *offer {
	o := &offer{sent: map[string]string{}, args: map[string]map[string]string{}}
	if t.noTools {
		return o
	}
	for _, d := range defs {
		if t.maxTools > 0 && len(o.wire) == t.maxTools {
			break
		}
		f := &oai.FunctionDefinition{Name: d.Name, Description: d.Description, Parameters: parameters(d.Parameters)}
		switch t.formOf(d.Name) {
		case formLeftOut:
			continue
		case formPlain:
			plain, renamed, ok := plainSchema(d.Parameters)
			if !ok {
				continue
			}
			f.Parameters, f.Description = plain, cutText(cmp.Or(d.Description, d.Name), longestDescription) // some vendors want one
			o.args[d.Name] = renamed
			if name := plainName(d.Name); name != d.Name && !slices.ContainsFunc(defs, func(other llm.ToolDefinition) bool { return other.Name == name }) {
				f.Name, o.sent[d.Name] = name, name
			}
		}
		o.names = append(o.names, d.Name)
		o.wire = append(o.wire, oai.Tool{Type: oai.ToolTypeFunction, Function: f})
	}
	return o
}

// dialectTools returns the offered tools for the reader of calls that a model writes as text.
func (o *offer) dialectTools() []dialect.Tool {
	all := make([]dialect.Tool, 0, len(o.wire))
	for _, t := range o.wire {
		schema, _ := t.Function.Parameters.(map[string]any)
		all = append(all, dialect.Tool{Name: t.Function.Name, Parameters: schema})
	}
	return all
}

// plainName returns a form of a tool's name that all vendors accept: letters, digits and underscores, beginning
// with a letter.
func plainName(name string) string {
	plain := strings.Trim(strings.ReplaceAll(name, "-", "_"), "_")
	if plain == "" || plain[0] >= '0' && plain[0] <= '9' {
		plain = "t_" + plain
	}
	return plain[:min(len(plain), longestToolName-1)]
}

// wireName returns the name on the wire of a tool.
func (o *offer) wireName(name string) string {
	if sent, ok := o.sent[name]; ok {
		return sent
	}
	return name
}

// wireArguments renames the properties of a tool's arguments to those on the wire.
func (o *offer) wireArguments(name, args string) string { return renameKeys(args, o.args[name]) }

// arguments renames the properties on the wire to those of the tool.
func (o *offer) arguments(name, args string) string {
	if len(o.args[name]) == 0 {
		return args
	}
	back := make(map[string]string, len(o.args[name]))
	for declared, sent := range o.args[name] {
		back[sent] = declared
	}
	return renameKeys(args, back)
}

// renameKeys renames the keys of a JSON object, also in objects within it. It returns anything else unchanged.
func renameKeys(args string, names map[string]string) string {
	if len(names) == 0 {
		return args
	}
	var v any
	d := json.NewDecoder(strings.NewReader(args))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return args
	}
	raw, err := json.Marshal(renamed(v, names))
	if err != nil {
		return args
	}
	return string(raw)
}

func renamed(v any, names map[string]string) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			if other, ok := names[key]; ok {
				key = other
			}
			out[key] = renamed(value, names)
		}
		return out
	case []any:
		for i := range v {
			v[i] = renamed(v[i], names)
		}
	}
	return v
}

// toolName returns the tool that a model means by a name. Models add a namespace ("functions.roll"), a number
// ("roll:0") or a mark of their template ("roll<|channel|>commentary"), and change the case. A name that no
// offered tool has is returned as it is.
func (o *offer) toolName(name string) string {
	if tool, ok := o.named(name); ok {
		return tool
	}
	clean, _, _ := strings.Cut(strings.TrimSpace(name), "<|")
	clean = strings.Trim(clean, " \t\r\n\"'`()")
	for clean != "" {
		if tool, ok := o.named(clean); ok {
			return tool
		}
		if at := strings.LastIndexAny(clean, ".:/"); at >= 0 && strings.Trim(clean[at+1:], "0123456789") == "" {
			clean = clean[:at] // a number
			continue
		}
		_, rest, found := strings.Cut(clean, firstSeparator(clean))
		if !found {
			break
		}
		clean = rest
	}
	return name
}

// firstSeparator returns the first separator of a namespace in s, or a text that s does not contain.
func firstSeparator(s string) string {
	if at := strings.IndexAny(s, ".:/"); at >= 0 {
		return s[at : at+1]
	}
	return "\x00"
}

// named returns the offered tool with a name, or else the only one whose name differs in case alone.
func (o *offer) named(name string) (string, bool) {
	same := ""
	for _, tool := range o.names {
		switch sent := o.wireName(tool); {
		case sent == name:
			return tool, true
		case strings.EqualFold(sent, name):
			if same != "" {
				return "", false
			}
			same = tool
		}
	}
	return same, same != ""
}
