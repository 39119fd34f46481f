package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm/openai"
)

// request is a request as a strict service sees it.
type request struct {
	raw      map[string]json.RawMessage
	Messages []struct {
		Role      string          `json:"role"`
		Content   *string         `json:"content"`
		Reasoning json.RawMessage `json:"reasoning_content"`
		Details   json.RawMessage `json:"reasoning_details"`
		ToolCalls []struct {
			ID       string          `json:"id"`
			Extra    json.RawMessage `json:"extra_content"`
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
		CallID string `json:"tool_call_id"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name       string         `json:"name"`
			Parameters map[string]any `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
	Stream      *bool    `json:"stream"`
	MaxTokens   int      `json:"max_tokens"`
	MaxNew      int      `json:"max_completion_tokens"`
	Temperature *float64 `json:"temperature"`
	Effort      string   `json:"reasoning_effort"`
}

func (r *request) has(field string) bool { return r.raw[field] != nil }

// roles returns the roles of the messages, "call" for those with tool calls.
func (r *request) roles() (all []string) {
	for _, m := range r.Messages {
		role := m.Role
		if len(m.ToolCalls) > 0 {
			role = "call"
		}
		all = append(all, role)
	}
	return all
}

func (r *request) count(role string) (n int) {
	for _, have := range r.roles() {
		if have == role {
			n++
		}
	}
	return n
}

// alternates reports whether user and assistant take turns after the first system message, as most chat
// templates want it. Tool rounds are left out.
func (r *request) alternates() bool {
	want := "user"
	for i, role := range r.roles() {
		switch {
		case role == "call" || role == "tool" || role == "system" && i == 0:
		case role != want:
			return false
		case want == "user":
			want = "assistant"
		default:
			want = "user"
		}
	}
	return true
}

// service is a strict service: refuse returns how it refuses a request, an empty body if it accepts it.
type service struct {
	refuse func(*request) (status int, body string)
	// answer returns the events of an answer; nil says "Aye."
	answer func(*request) []string

	mu       sync.Mutex // guards the field below
	requests []*request
}

const aye = `{"choices":[{"index":0,"delta":{"content":"Aye."},"finish_reason":"stop"}]}`

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	req := &request{}
	_ = json.Unmarshal(raw, &req.raw)
	_ = json.Unmarshal(raw, req)
	s.mu.Lock()
	s.requests = append(s.requests, req)
	s.mu.Unlock()
	if s.refuse != nil {
		if status, body := s.refuse(req); body != "" {
			w.Header().Set("Content-Type", "application/json")
			if strings.HasPrefix(body, "data:") {
				w.Header().Set("Content-Type", "text/event-stream")
			}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
			return
		}
	}
	events := []string{aye}
	if s.answer != nil {
		events = s.answer(req)
	}
	if req.Stream == nil || !*req.Stream {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, strings.ReplaceAll(events[0], `"delta"`, `"message"`))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range append(events, "[DONE]") {
		_, _ = fmt.Fprintf(w, "data: %s\n\n", e)
	}
}

// start serves s and returns a provider for it with the lessons that it learns.
func (s *service) start(t *testing.T, opts openai.Options) (*openai.Provider, *[]openai.Lesson) {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	lessons := &[]openai.Lesson{}
	opts.BaseURL = server.URL
	if opts.Model == "" {
		opts.Model = "m"
	}
	opts.Learned = func(l openai.Lesson) { *lessons = append(*lessons, l) }
	p, err := openai.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p, lessons
}

// fault returns a refusal in the protocol's form.
func fault(status int, message string) (int, string) {
	raw, _ := json.Marshal(map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error"}})
	return status, string(raw)
}

// Conversations as the program makes them.
var (
	persona  = llm.Message{Role: llm.RoleSystem, Content: "You are Olga, a smith."}
	earlier  = []llm.Message{{Role: llm.RoleUser, Name: "Ben", Content: "Hail!"}, {Role: llm.RoleAssistant, Content: "Well met."}}
	facts    = llm.Message{Role: llm.RoleSystem, Content: "It rains."}
	line     = llm.Message{Role: llm.RoleUser, Name: "Ben", Content: "Is the forge hot?"}
	bellows  = llm.ToolCall{ID: "call_1", Name: "bellows", Arguments: `{"strokes":3}`}
	hammer   = llm.ToolCall{ID: "call_2", Name: "hammer", Arguments: "{}"}
	turn     = slices.Concat([]llm.Message{persona}, earlier, []llm.Message{facts, line})
	toolTurn = append(slices.Clip(turn), llm.Message{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{bellows, hammer}},
		llm.Message{Role: llm.RoleTool, ToolCallID: "call_1", Content: "hot"}, llm.Message{Role: llm.RoleTool, ToolCallID: "call_2", Content: "loud"})
	again = append(slices.Clip(toolTurn), llm.Message{Role: llm.RoleAssistant, Content: "It is"}, llm.Message{Role: llm.RoleSystem, Content: "Go on."})
	tools = []llm.ToolDefinition{
		{Name: "bellows", Parameters: map[string]any{"type": "object", "properties": map[string]any{"strokes": map[string]any{"type": "integer"}}}},
		{Name: "hammer", Parameters: map[string]any{"type": "object", "properties": map[string]any{
			"@at": map[string]any{"type": "array"}, "metal": map[string]any{"$ref": "#/$defs/metal"},
		}, "$defs": map[string]any{"metal": map[string]any{"enum": []any{"iron", "steel"}}}}},
	}
)

// TestRefusals has services refuse requests in the words of known vendors. Each is asked twice: the second time
// it gets at once what it accepts.
func TestRefusals(t *testing.T) {
	warm := 0.7
	notBackEnd := regexp.MustCompile(`^[A-Za-z0-9]{9}$`)
	hasSchema := func(r *request, bad string) int {
		return slices.IndexFunc(r.Tools, func(t struct {
			Function struct {
				Name       string         `json:"name"`
				Parameters map[string]any `json:"parameters"`
			} `json:"function"`
		}) bool {
			raw, _ := json.Marshal(t.Function.Parameters)
			return strings.Contains(string(raw), bad)
		})
	}
	tests := []struct {
		name     string
		messages []llm.Message
		refuse   func(*request) (int, string)
		requests int      // until the first answer
		lessons  []string // parts of them
		loses    bool
		check    func(r *request) string // what is wrong with the accepted request
	}{
		{"a system message after the first, vLLM", turn, func(r *request) (int, string) {
			if r.count("system") > 1 {
				return 400, `{"object":"error","message":"System message must be at the beginning.","type":"BadRequestError","param":null,"code":400}`
			}
			return 0, ""
		}, 2, []string{"one system message"}, false, func(r *request) string {
			last := *r.Messages[len(r.Messages)-1].Content
			if !strings.HasPrefix(last, "[Notes") || !strings.Contains(last, "It rains.") || !strings.HasSuffix(last, "\n\nBen: Is the forge hot?") {
				return "the facts are not in front of the last line: " + last
			}
			return ""
		}},
		{"a template error as 500, llama.cpp", turn, func(r *request) (int, string) {
			if r.count("system") > 1 {
				return fault(500, "Jinja Exception: System message must be at the beginning. at row 12, column 3")
			}
			return 0, ""
		}, 2, []string{"one system message"}, false, nil},
		{"only one system message, Anyscale", turn, func(r *request) (int, string) {
			if r.count("system") > 1 {
				return 400, `{"error":{"message":"Only one system message can be specified.","type":"OpenAIHTTPException","param":{},"code":400}}`
			}
			return 0, ""
		}, 2, []string{"one system message"}, false, nil},
		{"no system messages, Gemma", turn, func(r *request) (int, string) {
			if r.count("system") > 0 {
				return fault(400, "System role not supported")
			}
			return 0, ""
		}, 2, []string{"not accept system messages"}, false, func(r *request) string {
			if !strings.Contains(*r.Messages[0].Content, "a smith") {
				return "the persona is not in the first message"
			}
			return ""
		}},
		{"no system messages, o1", turn, func(r *request) (int, string) {
			if r.count("system") > 0 {
				return 400, `{"error":{"message":"Unsupported value: 'messages[0].role' does not support 'system' with this model.","type":"invalid_request_error","param":"messages[0].role","code":"unsupported_value"}}`
			}
			return 0, ""
		}, 2, []string{"not accept system messages"}, false, nil},
		{"no system messages, Google", turn, func(r *request) (int, string) {
			if r.count("system") > 0 {
				return 400, `[{"error":{"code":400,"message":"Developer instruction is not enabled for models/gemma-3-27b-it","status":"INVALID_ARGUMENT"}}]`
			}
			return 0, ""
		}, 2, []string{"not accept system messages"}, false, nil},
		{"roles that alternate, Perplexity", again[:len(again)-1], func(r *request) (int, string) {
			if !r.alternates() {
				return fault(400, "After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s).")
			}
			return 0, ""
		}, 2, []string{"alternate"}, false, nil},
		{"roles that alternate, DeepSeek", []llm.Message{persona, line, line}, func(r *request) (int, string) {
			if !r.alternates() {
				return fault(400, "deepseek-reasoner does not support successive user or assistant messages (messages[1] and messages[2] in your input). You should interleave the user/assistant messages in the message sequence.")
			}
			return 0, ""
		}, 2, []string{"alternate"}, false, nil},
		{"roles that alternate and no system messages", again, func(r *request) (int, string) {
			switch {
			case r.count("system") > 1:
				return fault(400, "Conversation roles must alternate user/assistant/user/assistant/...")
			case r.count("system") > 0:
				return fault(400, "System role not supported")
			case !r.alternates():
				return fault(400, "Conversation roles must alternate user/assistant/user/assistant/...")
			}
			return 0, ""
		}, 3, []string{"alternate", "not accept system messages"}, false, nil},
		{"the order of Mistral", again[:len(again)-2], func(r *request) (int, string) {
			roles := r.roles()
			for i := 1; i < len(roles); i++ {
				if roles[i] == "system" || roles[i] == "user" && roles[i-1] == "tool" {
					return 400, fmt.Sprintf(`{"object":"error","message":"Unexpected role '%s' after role '%s'","type":"invalid_request_message_order","param":null,"code":"3230"}`, roles[i], roles[i-1])
				}
			}
			for _, m := range r.Messages {
				for _, c := range m.ToolCalls {
					if !notBackEnd.MatchString(c.ID) {
						return 400, `{"object":"error","message":"Tool call id was ` + c.ID + ` but must be a-z, A-Z, 0-9, with a length of 9.","type":"invalid_function_call","code":"3280"}`
					}
				}
			}
			return 0, ""
		}, 3, []string{"alternate", "short IDs"}, false, nil},
		{"must start with a user, Bedrock", []llm.Message{persona, earlier[1], line}, func(r *request) (int, string) {
			if r.roles()[1] != "user" {
				return fault(400, "A conversation must start with a user message. Try again with a conversation that starts with a user message.")
			}
			return 0, ""
		}, 2, []string{"alternate"}, false, nil},
		{"no tools, Ollama", toolTurn, func(r *request) (int, string) {
			if r.has("tools") || r.count("call") > 0 {
				return fault(400, "registry.ollama.ai/library/tiny:1b does not support tools")
			}
			return 0, ""
		}, 2, []string{"does not accept tools"}, true, func(r *request) string {
			if last := *r.Messages[len(r.Messages)-1].Content; !strings.Contains(last, `bellows {"strokes":3}: hot`) || !strings.Contains(last, "hammer {}: loud") {
				return "the results are not sent as text: " + last
			}
			return ""
		}},
		{"no tools, OpenRouter", turn, func(r *request) (int, string) {
			if r.has("tools") {
				return 404, `{"error":{"message":"No endpoints found that support tool use. To learn more about provider routing, visit: https://example.com","code":404}}`
			}
			return 0, ""
		}, 2, []string{"does not accept tools"}, true, nil},
		{"no tools, vLLM", turn, func(r *request) (int, string) {
			if r.has("tools") {
				return 400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","code":400}`
			}
			return 0, ""
		}, 2, []string{"does not accept tools"}, true, nil},
		{"calls only with tools, Bedrock", toolTurn, func(r *request) (int, string) {
			if !r.has("tools") && r.count("call") > 0 {
				return fault(400, "BedrockException - The toolConfig field must be defined when using toolUse and toolResult content blocks.")
			}
			return 0, ""
		}, 1, nil, false, nil},
		{"one call per message, Llama", toolTurn, func(r *request) (int, string) {
			for _, m := range r.Messages {
				if len(m.ToolCalls) > 1 {
					return fault(400, "This model only supports single tool-calls at once!")
				}
			}
			return 0, ""
		}, 2, []string{"one tool call per message"}, false, func(r *request) string {
			if got := strings.Join(r.roles()[5:], " "); got != "call tool call tool" {
				return "the roles are " + got
			}
			return ""
		}},
		{"a text beside calls, vLLM", toolTurn, func(r *request) (int, string) {
			for _, m := range r.Messages {
				if m.Content == nil {
					return fault(400, `can only concatenate str (not "NoneType") to str`)
				}
			}
			return 0, ""
		}, 2, []string{"needs a text"}, false, nil},
		{"no empty text beside calls, Bedrock", toolTurn, func(r *request) (int, string) {
			for _, m := range r.Messages {
				if m.Content == nil || *m.Content == "" {
					return fault(400, "The text field in the ContentBlock object at messages.2.content.0 is blank. Add text to the text field, and try again.")
				}
			}
			return 0, ""
		}, 2, []string{"needs a text"}, false, nil},
		{"a schema by number, Anthropic", turn, func(r *request) (int, string) {
			if i := hasSchema(r, `"@at"`); i >= 0 {
				return fault(400, fmt.Sprintf("tools.%d.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'", i))
			}
			return 0, ""
		}, 2, []string{"schema of hammer"}, false, func(r *request) string {
			if hasSchema(r, `"at":{"items":{"type":"string"},"type":"array"}`) < 0 || hasSchema(r, `"enum":["iron","steel"]`) < 0 {
				return fmt.Sprint("the schema is ", r.Tools[1].Function.Parameters)
			}
			return ""
		}},
		{"a schema by name, OpenAI", turn, func(r *request) (int, string) {
			if i := hasSchema(r, "$ref"); i >= 0 {
				return 400, `{"error":{"message":"Invalid schema for function '` + r.Tools[i].Function.Name + `': In context=('properties', 'metal'), reference can only point to definitions defined at the top level of the schema.","type":"invalid_request_error","param":"tools[1].function.parameters","code":"invalid_function_parameters"}}`
			}
			return 0, ""
		}, 2, []string{"schema of hammer"}, false, nil},
		{"a schema by number, Google", turn, func(r *request) (int, string) {
			if i := hasSchema(r, "$defs"); i >= 0 {
				return 400, fmt.Sprintf(`[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"$defs\" at 'tools[0].function_declarations[%d].parameters': Cannot find field.","status":"INVALID_ARGUMENT"}}]`, i)
			}
			return 0, ""
		}, 2, []string{"schema of hammer"}, false, nil},
		{"a schema of no name, Moonshot", turn, func(r *request) (int, string) {
			if hasSchema(r, "$ref") >= 0 {
				return fault(400, "tools.function.parameters is not a valid moonshot flavored json schema, details: <At path 'properties.metal': type is not defined>")
			}
			return 0, ""
		}, 2, []string{"all get simpler ones"}, false, nil},
		{"an error as text and 500, Ollama", turn, func(r *request) (int, string) {
			if hasSchema(r, "$ref") >= 0 {
				return 500, `{"error":"json: cannot unmarshal object into Go struct field ToolFunction.tools.function.parameters of type string"}`
			}
			return 0, ""
		}, 2, []string{"all get simpler ones"}, false, nil},
		{"a tool that no schema helps", turn, func(r *request) (int, string) {
			if i := hasSchema(r, "metal"); i >= 0 {
				return fault(400, fmt.Sprintf("tools.%d.function.parameters: schema is too complex", i))
			}
			return 0, ""
		}, 3, []string{"schema of hammer; it gets", "schema of hammer; the NPCs do without"}, true, func(r *request) string {
			if len(r.Tools) != 1 || r.Tools[0].Function.Name != "bellows" {
				return fmt.Sprint("the tools are ", r.Tools)
			}
			return ""
		}},
		{"too many tools", turn, func(r *request) (int, string) {
			if len(r.Tools) > 1 {
				return fault(400, "Invalid 'tools': array too long. Expected an array with maximum length 1, but got an array with length 2 instead.")
			}
			return 0, ""
		}, 2, []string{"at most 1 tools; it does without hammer"}, true, nil},
		{"the other field for the length, OpenAI", turn, func(r *request) (int, string) {
			if r.has("max_tokens") {
				return 400, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`
			}
			return 0, ""
		}, 2, []string{"max_completion_tokens"}, false, func(r *request) string {
			if r.MaxNew != 200 {
				return fmt.Sprint("max_completion_tokens is ", r.MaxNew)
			}
			return ""
		}},
		{"a shorter answer, DeepSeek", turn, func(r *request) (int, string) {
			if r.MaxTokens > 100 {
				return fault(400, "Invalid max_tokens value, the valid range of max_tokens is [1, 100]")
			}
			return 0, ""
		}, 2, []string{"at most 100 tokens"}, false, func(r *request) string {
			if r.MaxTokens != 100 {
				return fmt.Sprint("max_tokens is ", r.MaxTokens)
			}
			return ""
		}},
		{"fields that are not permitted, pydantic", turn, func(r *request) (int, string) {
			for _, f := range []string{"stream_options", "max_tokens", "max_completion_tokens"} {
				if r.has(f) {
					return 422, `{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","` + f + `"],"msg":"Extra inputs are not permitted","input":1}]},"type":"invalid_request_error"}`
				}
			}
			return 0, ""
		}, 4, []string{"token counts", "max_completion_tokens", "limit of length"}, false, nil},
		{"no temperature, OpenAI", turn, func(r *request) (int, string) {
			if r.has("temperature") {
				return 400, `{"error":{"message":"Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value is supported.","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}`
			}
			return 0, ""
		}, 2, []string{"temperature"}, false, nil},
		{"no reasoning effort", turn, func(r *request) (int, string) {
			if r.Effort != "" {
				return fault(400, "Argument not supported on this model: reasoningEffort")
			}
			return 0, ""
		}, 2, []string{"reasoning effort"}, false, nil},
		{"tools without reasoning only, OpenAI", turn, func(r *request) (int, string) {
			if r.Effort != "none" {
				return fault(400, "Function tools with reasoning_effort are not supported for this model in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.")
			}
			return 0, ""
		}, 2, []string{"only without reasoning"}, false, nil},
		{"no streaming, OpenAI", turn, func(r *request) (int, string) {
			if r.Stream != nil && *r.Stream {
				return 400, `{"error":{"message":"Your organization must be verified to stream this model.","type":"invalid_request_error","param":"stream","code":"unsupported_value"}}`
			}
			return 0, ""
		}, 2, []string{"does not stream"}, false, nil},
		{"no tools while streaming, Bedrock", turn, func(r *request) (int, string) {
			if r.Stream != nil && *r.Stream && r.has("tools") {
				return fault(400, "This model doesn't support tool use in streaming mode.")
			}
			return 0, ""
		}, 2, []string{"does not stream"}, false, nil},
		{"results in a conversation, MiniMax", toolTurn, func(r *request) (int, string) {
			if r.count("tool") > 0 {
				return fault(400, "invalid params, tool call result does not follow tool call (2013)")
			}
			return 0, ""
		}, 2, []string{"results of tools"}, false, nil},
		{"the role of results", toolTurn, func(r *request) (int, string) {
			if r.count("tool") > 0 {
				return fault(400, "Invalid role: tool. Allowed roles: system, user, assistant")
			}
			return 0, ""
		}, 2, []string{"results of tools"}, false, nil},
		{"content by number, Cloudflare", toolTurn, func(r *request) (int, string) {
			for i, m := range r.Messages {
				if m.Content == nil {
					return 400, fmt.Sprintf(`{"errors":[{"message":"AiError: Bad input: Error: oneOf at '/' not met, Type mismatch of '/messages/%d/content', 'null' not in 'string'","code":5006}],"success":false}`, i)
				}
			}
			return 0, ""
		}, 2, []string{"needs a text"}, false, nil},
		{"a message by number", toolTurn, func(r *request) (int, string) {
			for i, role := range r.roles() {
				if role == "call" {
					return 422, fmt.Sprintf("Failed to parse the request: messages[%d].tool_calls[0].function.arguments: expected a map", i)
				}
			}
			return 0, ""
		}, 2, []string{"tool calls in a conversation"}, false, nil},
		{"parameters of the wrong kind, Zhipu", again[:3], func(r *request) (int, string) {
			if last := r.Messages[len(r.Messages)-1]; last.Role != "user" {
				return 400, `{"error":{"code":"1214","message":"The messages parameter is illegal. Please check the documentation."}}`
			}
			return 0, ""
		}, 2, []string{"alternate"}, false, nil},
		{"no room for the answer", turn, func(r *request) (int, string) {
			if r.MaxTokens > 100 {
				return fault(400, "Requested token count exceeds the model's maximum context length of 4096 tokens: 3996 tokens from the input messages and 200 tokens for the completion.")
			}
			return 0, ""
		}, 2, []string{"no room"}, false, nil},
		{"the name with a result, Google", toolTurn, func(r *request) (int, string) {
			var messages []map[string]any
			_ = json.Unmarshal(r.raw["messages"], &messages)
			for i, m := range messages {
				if m["role"] == "tool" && m["name"] == nil {
					return 400, fmt.Sprintf(`[{"error":{"code":400,"message":"* GenerateContentRequest.contents[%d].parts[0].function_response.name: Name cannot be empty.\n","status":"INVALID_ARGUMENT"}}]`, i)
				}
			}
			return 0, ""
		}, 2, []string{"name of the tool"}, false, nil},
		{"calls or text, Mistral", append(slices.Clip(turn), llm.Message{Role: llm.RoleAssistant, Content: "Wait.", ToolCalls: []llm.ToolCall{bellows}}, llm.Message{Role: llm.RoleTool, ToolCallID: "call_1", Content: "hot"}), func(r *request) (int, string) {
			for _, m := range r.Messages {
				if len(m.ToolCalls) > 0 && m.Content != nil {
					return 400, `{"object":"error","message":"Assistant message must have either content or tool_calls, but not both.","type":"invalid_request_message_order","code":"3230"}`
				}
			}
			return 0, ""
		}, 2, []string{"no text beside"}, false, nil},
		{"a gateway quotes the vendor", turn, func(r *request) (int, string) {
			if r.has("stream_options") {
				return 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"Argument not supported: stream_options\"}}","provider_name":"x"}}}`
			}
			return 0, ""
		}, 2, []string{"token counts"}, false, nil},
		{"an error within a stream", turn, func(r *request) (int, string) {
			if r.count("system") > 1 {
				return 200, `data: {"error":{"message":"Error rendering prompt with jinja template: System message must be at the beginning.","code":400}}` + "\n\n"
			}
			return 0, ""
		}, 2, []string{"one system message"}, false, nil},
		{"no reason at all", again, func(r *request) (int, string) {
			if r.count("system") > 1 || !r.alternates() {
				return fault(400, "Bad request.")
			}
			return 0, ""
		}, 3, []string{"token counts", "simpler form"}, false, nil},
		{"no reason, and nothing helps but to leave the tools out", turn, func(r *request) (int, string) {
			if r.has("tools") {
				return fault(422, "Unprocessable")
			}
			return 0, ""
		}, 4, []string{"token counts", "simpler form", "without tools"}, true, nil},
		{"a template stumbles over calls", toolTurn, func(r *request) (int, string) {
			if r.count("call") > 0 {
				return fault(500, "Error rendering prompt with jinja template: Cannot read properties of undefined")
			}
			return 0, ""
		}, 4, []string{"token counts", "simpler form", "tool calls as text"}, false, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &service{refuse: tt.refuse}
			p, lessons := s.start(t, openai.Options{ReasoningEffort: "low"})
			req := llm.Request{Messages: tt.messages, Tools: tools, MaxTokens: 200, Temperature: &warm}
			for range 2 {
				if got, err := collect(t.Context(), p, req); err != nil || got.Text != "Aye." {
					t.Fatalf("said %q, %v", got.Text, err)
				}
			}
			if got := len(s.requests); got != tt.requests+1 {
				t.Errorf("%d requests, want %d and one more for the second answer", got, tt.requests)
			}
			var texts []string
			loses := false
			for _, l := range *lessons {
				texts = append(texts, l.Text)
				loses = loses || l.Loses
			}
			if len(texts) != len(tt.lessons) || loses != tt.loses {
				t.Errorf("lessons = %q, loses %t; want %q, %t", texts, loses, tt.lessons, tt.loses)
			}
			for i := range min(len(texts), len(tt.lessons)) {
				if !strings.Contains(texts[i], tt.lessons[i]) || !strings.HasPrefix(texts[i], "openai m ") {
					t.Errorf("lesson %q, want one with %q", texts[i], tt.lessons[i])
				}
			}
			if tt.check != nil {
				if wrong := tt.check(s.requests[len(s.requests)-1]); wrong != "" {
					t.Error(wrong)
				}
			}
		})
	}
}

// TestManyToolsAreRefusedOneByOne has a service name one bad schema at a time: it takes few requests to answer.
func TestManyToolsAreRefusedOneByOne(t *testing.T) {
	var many []llm.ToolDefinition
	for i := range 20 {
		many = append(many, llm.ToolDefinition{Name: fmt.Sprintf("bell_%d", i), Parameters: map[string]any{"$schema": "x", "type": "object", "properties": map[string]any{"tone": map[string]any{"enum": []any{"high", "low"}}}}})
	}
	many = append(many, tools[0])
	for _, tt := range []struct {
		name, bad string
		most      int // requests
		left      int // tools
	}{
		{"a keyword", "$schema", 3, 21},
		{"all but the simple ones", "enum", 6, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &service{refuse: func(r *request) (int, string) {
				for i, f := range r.Tools {
					if raw, _ := json.Marshal(f.Function.Parameters); strings.Contains(string(raw), tt.bad) {
						return fault(400, fmt.Sprintf("Invalid schema for function '%s', tools[%d].function.parameters", f.Function.Name, i))
					}
				}
				return 0, ""
			}}
			p, _ := s.start(t, openai.Options{})
			if got, err := collect(t.Context(), p, llm.Request{Messages: turn, Tools: many}); err != nil || got.Text != "Aye." {
				t.Fatalf("said %q, %v", got.Text, err)
			}
			if n := len(s.requests); n > tt.most {
				t.Errorf("%d requests, want at most %d", n, tt.most)
			}
			if n := len(s.requests[len(s.requests)-1].Tools); n != tt.left {
				t.Errorf("%d tools are left, want %d", n, tt.left)
			}
		})
	}
}

// TestRefusalsThatTeachNothing has services refuse for reasons that no other form of a request helps against.
func TestRefusalsThatTeachNothing(t *testing.T) {
	tests := []struct {
		name     string
		status   int
		message  string
		requests int
	}{
		{"the context", 400, "This model's maximum context length is 4096 tokens. However, your messages resulted in 5000 tokens.", 1},
		{"the key", 401, "Incorrect API key provided.", 1},
		{"a filter", 400, "The response was filtered due to the prompt triggering our content management policy.", 1},
		{"the model", 404, "The model `m` does not exist", 1},
		{"too fast", 429, "Rate limit reached, tools are resting", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &service{refuse: func(*request) (int, string) { return fault(tt.status, tt.message) }}
			p, lessons := s.start(t, openai.Options{})
			if _, err := collect(t.Context(), p, llm.Request{Messages: turn, Tools: tools}); err == nil {
				t.Error("err = nil, want the refusal")
			}
			if len(s.requests) != tt.requests || len(*lessons) > 0 {
				t.Errorf("%d requests and lessons %v, want %d and none", len(s.requests), *lessons, tt.requests)
			}
		})
	}
}

// TestLessonsAreBounded has a service refuse everything for ever-changing reasons.
func TestLessonsAreBounded(t *testing.T) {
	n := 0
	reasons := []string{
		"stream_options is unknown", "System message must be first", "roles must alternate", "temperature is not supported", "tools are not supported",
		"unknown parameter max_tokens", "stream is not supported", "System role not supported", "unknown parameter max_completion_tokens", "reasoning_effort is unknown",
	}
	s := &service{refuse: func(*request) (int, string) { n++; return fault(400, reasons[(n-1)%len(reasons)]) }}
	p, lessons := s.start(t, openai.Options{ReasoningEffort: "low"})
	warm := 0.5
	if _, err := collect(t.Context(), p, llm.Request{Messages: again, Tools: tools, MaxTokens: 9, Temperature: &warm}); err == nil {
		t.Error("err = nil, want a refusal")
	}
	if n != 9 || len(*lessons) > 0 {
		t.Errorf("%d requests and lessons %v, want 9 and none, because none led to an answer", n, *lessons)
	}
}

// TestKnownAndConfiguredTerms sends what is known or configured at once.
func TestKnownAndConfiguredTerms(t *testing.T) {
	yes, no, warm := true, false, 0.7
	tests := []struct {
		name  string
		opts  openai.Options
		check func(r *request) bool
	}{
		{"nothing is known", openai.Options{}, func(r *request) bool {
			return r.count("system") == 3 && r.has("stream_options") && r.MaxTokens == 200 && r.Temperature != nil && len(r.Tools) == 2
		}},
		{"o1-mini", openai.Options{Model: "o1-mini"}, func(r *request) bool {
			return r.count("system") == 0 && r.MaxNew == 200 && r.Temperature == nil
		}},
		{"gpt-5 behind a gateway", openai.Options{Model: "gpt-5-mini"}, func(r *request) bool { return r.MaxNew == 200 && r.Temperature == nil }},
		{"sonar", openai.Options{Model: "sonar-pro"}, func(r *request) bool { return r.count("system") == 1 && r.alternates() }},
		{"Gemini 3 behind a gateway", openai.Options{Model: "google/gemini-3-pro"}, func(r *request) bool { return r.count("call") == 0 }},
		{"one system message", openai.Options{Accepts: openai.Accepts{System: openai.SystemOne}}, func(r *request) bool { return r.count("system") == 1 }},
		{"system messages first", openai.Options{Accepts: openai.Accepts{System: openai.SystemFirst}}, func(r *request) bool {
			return strings.Join(r.roles(), " ") == "system system user assistant user call tool tool assistant user"
		}},
		{"no system messages", openai.Options{Accepts: openai.Accepts{System: openai.SystemNone}}, func(r *request) bool { return r.count("system") == 0 }},
		{"against what is known", openai.Options{Model: "o1-mini", Accepts: openai.Accepts{System: openai.SystemAny, Length: openai.LengthOld}}, func(r *request) bool {
			return r.count("system") == 3 && r.MaxTokens == 200
		}},
		{"alternation", openai.Options{Accepts: openai.Accepts{Alternate: &yes, System: openai.SystemOne}}, (*request).alternates},
		{"no tools", openai.Options{Accepts: openai.Accepts{Tools: &no}}, func(r *request) bool { return !r.has("tools") && r.count("call")+r.count("tool") == 0 }},
		{"no streaming", openai.Options{Accepts: openai.Accepts{Stream: &no}}, func(r *request) bool { return !*r.Stream && !r.has("stream_options") }},
		{"no stream options", openai.Options{Accepts: openai.Accepts{StreamOptions: &no}}, func(r *request) bool { return *r.Stream && !r.has("stream_options") }},
		{"no limit of length", openai.Options{Accepts: openai.Accepts{Length: openai.LengthNone}}, func(r *request) bool { return r.MaxTokens+r.MaxNew == 0 }},
		{"plain schemas", openai.Options{Accepts: openai.Accepts{Schemas: openai.SchemasPlain}}, func(r *request) bool {
			return r.Tools[1].Function.Parameters["$defs"] == nil
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &service{}
			p, lessons := s.start(t, tt.opts)
			messages := append([]llm.Message{persona, facts}, again[1:3]...)
			messages = append(messages, again[4:]...)
			if _, err := collect(t.Context(), p, llm.Request{Messages: messages, Tools: tools, MaxTokens: 200, Temperature: &warm}); err != nil {
				t.Fatal(err)
			}
			if !tt.check(s.requests[0]) {
				raw, _ := json.Marshal(s.requests[0].raw)
				t.Errorf("the request is %s", raw)
			}
			if len(*lessons) > 0 {
				t.Errorf("lessons = %v, want none", *lessons)
			}
		})
	}
	for _, bad := range []openai.Accepts{{System: "two"}, {Length: "tokens"}, {Schemas: "strict"}} {
		if _, err := openai.New(openai.Options{BaseURL: "http://127.0.0.1:1", Model: "m", Accepts: bad}); err == nil || !strings.Contains(err.Error(), "use one of") {
			t.Errorf("New with %+v: err = %v, want one that lists the values", bad, err)
		}
	}
}

// TestRenamedPropertiesComeBack has a model call a tool whose property got another name.
func TestRenamedPropertiesComeBack(t *testing.T) {
	s := &service{answer: func(r *request) []string {
		return []string{`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"hammer","arguments":"{\"at\":[\"anvil\"],\"metal\":\"iron\"}"}}]},"finish_reason":"tool_calls"}]}`}
	}}
	p, _ := s.start(t, openai.Options{Accepts: openai.Accepts{Schemas: openai.SchemasPlain}})
	got, err := collect(t.Context(), p, llm.Request{Messages: turn, Tools: tools})
	if err != nil || len(got.Calls) != 1 {
		t.Fatalf("calls = %v, %v", got.Calls, err)
	}
	if want := `{"@at":["anvil"],"metal":"iron"}`; got.Calls[0].Arguments != want {
		t.Errorf("arguments = %s, want %s", got.Calls[0].Arguments, want)
	}
	messages := append(slices.Clip(turn), llm.Message{Role: llm.RoleAssistant, ToolCalls: got.Calls}, llm.Message{Role: llm.RoleTool, ToolCallID: "a", Content: "loud"})
	if _, err := collect(t.Context(), p, llm.Request{Messages: messages, Tools: tools}); err != nil {
		t.Fatal(err)
	}
	last := s.requests[1].Messages
	if got, want := last[len(last)-2].ToolCalls[0].Function.Arguments, `{"at":["anvil"],"metal":"iron"}`; got != want {
		t.Errorf("the model is shown its call as %s, want %s", got, want)
	}
}

// TestWhatIsAttachedReturns has vendors attach something to a call. It returns to the same endpoint and model,
// and to no other.
func TestWhatIsAttachedReturns(t *testing.T) {
	tests := []struct {
		name   string
		events []string
		want   string // extra_content, reasoning_content and reasoning_details of the message with the call
	}{
		{"a signature", []string{
			`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"bellows","arguments":"{}"},"extra_content":{"google":{"thought_signature":"Zm9yZ2U="}}}]},"finish_reason":"tool_calls"}]}`},
			`{"google":{"thought_signature":"Zm9yZ2U="}} null null`},
		{"a signature of its own event", []string{
			`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"bellows","arguments":"{}"}}]}}]}`,
			`{"choices":[{"delta":{"tool_calls":[{"index":0,"extra_content":{"google":{"thought_signature":"Zm9yZ2U="}}}]},"finish_reason":"stop"}]}`},
			`{"google":{"thought_signature":"Zm9yZ2U="}} null null`},
		{"reasoning in parts", []string{
			`{"choices":[{"delta":{"reasoning_content":"The forge "}}]}`,
			`{"choices":[{"delta":{"reasoning_content":"is cold."}}]}`,
			`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"bellows","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`},
			`null "The forge is cold." null`},
		{"reasoning details in parts", []string{
			`{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","index":0,"text":"The forge "}]}}]}`,
			`{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","index":0,"text":"is cold."}]}}]}`,
			`{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","index":0,"signature":"s"}]}}]}`,
			`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"bellows","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`},
			`null null [{"index":0,"signature":"s","text":"The forge is cold.","type":"reasoning.text"}]`},
		{"a whole message", []string{
			`{"choices":[{"message":{"reasoning_content":"Cold.","tool_calls":[{"id":"a","function":{"name":"bellows","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`},
			`null "Cold." null`},
	}
	show := func(r *request) string {
		for _, m := range r.Messages {
			if len(m.ToolCalls) > 0 {
				or := func(raw json.RawMessage) string {
					if raw == nil {
						return "null"
					}
					return string(raw)
				}
				return or(m.ToolCalls[0].Extra) + " " + or(m.Reasoning) + " " + or(m.Details)
			}
		}
		return "no call"
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &service{answer: func(r *request) []string {
				if r.count("tool") > 0 {
					return []string{aye}
				}
				return tt.events
			}}
			p, _ := s.start(t, openai.Options{})
			got, err := collect(t.Context(), p, llm.Request{Messages: turn, Tools: tools})
			if err != nil || len(got.Calls) != 1 {
				t.Fatalf("calls = %v, %v", got.Calls, err)
			}
			messages := append(slices.Clip(turn), llm.Message{Role: llm.RoleAssistant, ToolCalls: got.Calls}, llm.Message{Role: llm.RoleTool, ToolCallID: "a", Content: "hot"})
			next := llm.Request{Messages: messages, Tools: tools}
			if _, err := collect(t.Context(), p, next); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, show(s.requests[1])); diff != "" {
				t.Errorf("attached to the call (-want +got):\n%s", diff)
			}
			other := &service{}
			q, _ := other.start(t, openai.Options{})
			if _, err := collect(t.Context(), q, next); err != nil {
				t.Fatal(err)
			}
			if got := show(other.requests[0]); got != "null null null" {
				t.Errorf("another service got %s", got)
			}
		})
	}
}

// TestAttachedIsWanted has vendors refuse calls without what they attach, as with a roll that the program made
// itself, and refuse it back.
func TestAttachedIsWanted(t *testing.T) {
	own := bellows
	thought := []string{`{"choices":[{"delta":{"reasoning_content":"Cold.","tool_calls":[{"index":0,"id":"a","function":{"name":"bellows","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`}
	tests := []struct {
		name     string
		refuse   func(*request) (int, string)
		requests int
		lessons  []string
	}{
		{"signatures, Google", func(r *request) (int, string) {
			for _, m := range r.Messages {
				for _, c := range m.ToolCalls {
					if c.Extra == nil {
						return 400, `[{"error":{"code":400,"message":"Function call is missing a thought_signature in functionCall parts.","status":"INVALID_ARGUMENT"}}]`
					}
				}
			}
			return 0, ""
		}, 3, []string{"signature", "signature"}},
		{"reasoning, DeepSeek", func(r *request) (int, string) {
			for _, m := range r.Messages {
				if m.Role == "assistant" && m.Reasoning == nil {
					return fault(400, "The `reasoning_content` in the thinking mode must be passed back to the API.")
				}
			}
			return 0, ""
		}, 2, []string{"reasoning with every message"}},
		{"no reasoning back, Cerebras", func(r *request) (int, string) {
			for i, m := range r.Messages {
				if m.Reasoning != nil {
					return fault(400, fmt.Sprintf("messages.%d.assistant.reasoning_content: property 'messages.%d.assistant.reasoning_content' is unsupported", i, i))
				}
			}
			return 0, ""
		}, 2, []string{"reasoning_content back"}},
		{"not both reasoning and text, gpt-oss", func(r *request) (int, string) {
			for _, m := range r.Messages {
				if m.Reasoning != nil && m.Content != nil {
					return fault(500, "Cannot pass both content and thinking in an assistant message with tool calls!")
				}
			}
			return 0, ""
		}, 2, []string{"own reasoning back"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &service{answer: func(*request) []string { return thought }}
			p, lessons := s.start(t, openai.Options{})
			got, err := collect(t.Context(), p, llm.Request{Messages: turn, Tools: tools})
			if err != nil {
				t.Fatal(err)
			}
			s.refuse, s.answer, s.requests = tt.refuse, nil, nil
			messages := append(slices.Clip(turn),
				llm.Message{Role: llm.RoleAssistant, Content: "Wait.", ToolCalls: got.Calls}, llm.Message{Role: llm.RoleTool, ToolCallID: "a", Content: "hot"},
				llm.Message{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{own}}, llm.Message{Role: llm.RoleTool, ToolCallID: own.ID, Content: "hotter"})
			if got, err := collect(t.Context(), p, llm.Request{Messages: messages, Tools: tools}); err != nil || got.Text != "Aye." {
				t.Fatalf("said %q, %v", got.Text, err)
			}
			if len(s.requests) != tt.requests || len(*lessons) != len(tt.lessons) {
				t.Fatalf("%d requests and lessons %v, want %d and %q", len(s.requests), *lessons, tt.requests, tt.lessons)
			}
			for i, want := range tt.lessons {
				if !strings.Contains((*lessons)[i].Text, want) {
					t.Errorf("lesson %q, want one with %q", (*lessons)[i].Text, want)
				}
			}
		})
	}
}

// TestLearningIsConcurrent has many turns learn the same at once.
func TestLearningIsConcurrent(t *testing.T) {
	s := &service{refuse: func(r *request) (int, string) {
		if r.count("system") > 1 {
			return fault(400, "System message must be at the beginning.")
		}
		return 0, ""
	}}
	server := httptest.NewServer(s)
	defer server.Close()
	var mu sync.Mutex // guards lessons
	lessons := 0
	p, err := openai.New(openai.Options{BaseURL: server.URL, Model: "m", Learned: func(openai.Lesson) { mu.Lock(); lessons++; mu.Unlock() }})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if got, err := collect(context.WithoutCancel(t.Context()), p, llm.Request{Messages: turn}); err != nil || got.Text != "Aye." {
				t.Errorf("said %q, %v", got.Text, err)
			}
		})
	}
	group.Wait()
	if lessons != 1 {
		t.Errorf("%d lessons were reported, want 1", lessons)
	}
	if _, err := collect(t.Context(), p, llm.Request{Messages: turn}); err != nil || s.requests[len(s.requests)-1].count("system") != 1 {
		t.Errorf("afterwards the system messages are %d, %v", s.requests[len(s.requests)-1].count("system"), err)
	}
}
