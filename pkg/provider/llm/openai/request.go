package openai

import (
	"encoding/json"
	"maps"
	"math"
	"net/url"
	"strings"

	oai "github.com/sashabaranov/go-openai"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

const (
	// longestSpeaker is the maximum length of a speaker's name in runes.
	longestSpeaker = 100
	// longestToolName is the API's limit in bytes.
	longestToolName = 64
)

// chatRequest converts a request to the wire format, without stream options.
func (p *Provider) chatRequest(req llm.Request) oai.ChatCompletionRequest {
	out := oai.ChatCompletionRequest{
		Model:           p.opts.Model,
		Messages:        messages(req.Messages),
		Tools:           functions(req.Tools),
		ReasoningEffort: p.opts.ReasoningEffort,
	}
	reasoning := isReasoning(p.opts.Model)
	if out.ReasoningEffort == "" && (p.opts.Model == oai.GPT6Sol || p.opts.Model == oai.GPT6Luna) {
		// These two accept tools here only with reasoning disabled.
		out.ReasoningEffort = oai.ReasoningEffortNone
	}
	if reasoning || p.host() == "api.openai.com" {
		out.MaxCompletionTokens = max(req.MaxTokens, 0)
	} else {
		//lint:ignore SA1019 other services know only the old field
		out.MaxTokens = max(req.MaxTokens, 0)
	}
	if t := req.Temperature; t != nil && !reasoning {
		out.Temperature = float32(*t)
		if out.Temperature == 0 {
			// The client omits zero from the request.
			out.Temperature = math.SmallestNonzeroFloat32
		}
	}
	return out
}

func (p *Provider) host() string {
	u, err := url.Parse(p.service.Address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// isReasoning reports whether model belongs to OpenAI's reasoning models, which have a fixed temperature and
// accept only max_completion_tokens.
func isReasoning(model string) bool {
	for _, family := range []string{"o1", "o3", "o4", "gpt-5", "gpt-6"} {
		if strings.HasPrefix(model, family) {
			return true
		}
	}
	return false
}

// messages converts a conversation. The name field of the wire format allows few characters and many servers
// ignore it, so the speaker's name precedes the content: "Name: text". Empty messages are left out.
func messages(in []llm.Message) []oai.ChatCompletionMessage {
	out := make([]oai.ChatCompletionMessage, 0, len(in))
	for _, m := range in {
		w := oai.ChatCompletionMessage{Role: string(m.Role), Content: m.Content}
		switch m.Role {
		case llm.RoleUser:
			if name := speaker(m.Name); name != "" {
				w.Content = name + ": " + m.Content
			}
		case llm.RoleAssistant:
			w.ToolCalls = history(m.ToolCalls)
		case llm.RoleTool:
			w.ToolCallID = m.ToolCallID
			if w.Content == "" {
				w.Content = "(no output)"
			}
		}
		if w.Content == "" && len(w.ToolCalls) == 0 {
			continue
		}
		out = append(out, w)
	}
	return out
}

// speaker makes a display name safe as a prefix of a line: one line of printable text without a colon.
func speaker(name string) string {
	clean := strings.ReplaceAll(untrusted.Clean(name, 0), ":", "")
	return untrusted.Clean(strings.Join(strings.Fields(clean), " "), longestSpeaker)
}

// history converts a model's earlier calls. Servers refuse a conversation whose calls have invalid names or
// arguments, so history makes both valid.
func history(calls []llm.ToolCall) []oai.ToolCall {
	out := make([]oai.ToolCall, 0, len(calls))
	for _, c := range calls {
		out = append(out, oai.ToolCall{
			ID:       c.ID,
			Type:     oai.ToolTypeFunction,
			Function: oai.FunctionCall{Name: validName(c.Name), Arguments: validArguments(c.Arguments)},
		})
	}
	return out
}

func validName(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, name)
	if clean == "" {
		return "unknown"
	}
	return clean[:min(len(clean), longestToolName)]
}

// validArguments returns args if it is a JSON object, or else an object that shows the model what it wrote.
func validArguments(args string) string {
	if strings.TrimSpace(args) == "" {
		return "{}"
	}
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(args), &object) == nil && object != nil {
		return args
	}
	b, err := json.Marshal(map[string]string{"malformed_arguments": args})
	if err != nil {
		return "{}"
	}
	return string(b)
}

func functions(defs []llm.ToolDefinition) []oai.Tool {
	if len(defs) == 0 {
		return nil
	}
	out := make([]oai.Tool, 0, len(defs))
	for _, d := range defs {
		out = append(out, oai.Tool{Type: oai.ToolTypeFunction, Function: &oai.FunctionDefinition{
			Name:        d.Name,
			Description: d.Description,
			Parameters:  parameters(d.Parameters),
		}})
	}
	return out
}

// parameters adds what the API requires of every schema. It does not modify its argument.
func parameters(schema map[string]any) map[string]any {
	out := maps.Clone(schema)
	if out == nil {
		out = map[string]any{}
	}
	if out["type"] == nil {
		out["type"] = "object"
	}
	if out["properties"] == nil {
		out["properties"] = map[string]any{}
	}
	return out
}
