package fakeopenai

import (
	"encoding/json"
	"fmt"
	"regexp"
)

// toolName matches valid function names of the API.
var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// mostTools bounds the tools in one request.
const mostTools = 128

// check returns why the real API would refuse c, or "".
func (c Chat) check() string {
	if c.Model == "" {
		return "you must provide a model parameter"
	}
	if len(c.Messages) == 0 {
		return "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead."
	}
	if len(c.Tools) > mostTools {
		return fmt.Sprintf("Invalid 'tools': array too long. Expected an array with maximum length %d.", mostTools)
	}
	if c.StreamOptions != nil && !c.Stream {
		return "The 'stream_options' parameter is only allowed when 'stream' is enabled."
	}
	if t := c.Temperature; t != nil && (*t < 0 || *t > 2) {
		return "Invalid 'temperature': must be between 0 and 2."
	}
	for i, t := range c.Tools {
		if why := t.check(); why != "" {
			return fmt.Sprintf("Invalid 'tools[%d]': %s", i, why)
		}
	}
	if why := duplicate(c.Tools); why != "" {
		return why
	}
	return checkMessages(c.Messages)
}

func duplicate(tools []Tool) string {
	seen := make(map[string]bool, len(tools))
	for _, t := range tools {
		if seen[t.Function.Name] {
			return fmt.Sprintf("Invalid 'tools': function name %q is not unique.", t.Function.Name)
		}
		seen[t.Function.Name] = true
	}
	return ""
}

func (t Tool) check() string {
	switch {
	case t.Type != "function":
		return "type must be 'function'."
	case !toolName.MatchString(t.Function.Name):
		return fmt.Sprintf("function.name %q does not match pattern '^[a-zA-Z0-9_-]{1,64}$'.", t.Function.Name)
	case t.Function.Parameters == nil:
		return ""
	case t.Function.Parameters["type"] != "object":
		return "schema must be a JSON Schema of 'type: \"object\"'."
	}
	if _, ok := t.Function.Parameters["properties"].(map[string]any); !ok {
		return "object schema missing properties."
	}
	if req, ok := t.Function.Parameters["required"]; ok {
		if _, ok := req.([]any); !ok {
			return "schema's 'required' is no array."
		}
	}
	return ""
}

// checkMessages checks each message, and that every call is answered right
// after its message.
func checkMessages(messages []Message) string {
	open := map[string]bool{}
	for i, m := range messages {
		at := fmt.Sprintf("messages[%d]", i)
		if m.Role != "tool" && len(open) > 0 {
			return "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
		}
		switch m.Role {
		case "system", "developer", "user":
			if m.Content == nil {
				return fmt.Sprintf("Invalid value for 'content' of %s: expected a string, got null.", at)
			}
			if m.Name != "" && !toolName.MatchString(m.Name) {
				return fmt.Sprintf("Invalid '%s.name': string does not match pattern.", at)
			}
		case "assistant":
			if why := m.checkAssistant(at, open); why != "" {
				return why
			}
		case "tool":
			if m.Content == nil {
				return fmt.Sprintf("Invalid value for 'content' of %s: expected a string, got null.", at)
			}
			if !open[m.ToolCallID] {
				return "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
			}
			delete(open, m.ToolCallID)
		default:
			return fmt.Sprintf("Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', and 'tool'.", m.Role)
		}
	}
	if len(open) > 0 {
		return "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
	}
	return ""
}

func (m Message) checkAssistant(at string, open map[string]bool) string {
	if m.Content == nil && len(m.ToolCalls) == 0 {
		return fmt.Sprintf("Invalid value for 'content' of %s: expected a string, got null.", at)
	}
	for j, c := range m.ToolCalls {
		var args string
		switch {
		case c.ID == "":
			return fmt.Sprintf("Missing required parameter: '%s.tool_calls[%d].id'.", at, j)
		case open[c.ID]:
			return fmt.Sprintf("Duplicate value for 'tool_call_id' of %q in %s.", c.ID, at)
		case c.Type != "function":
			return fmt.Sprintf("Invalid value for '%s.tool_calls[%d].type'.", at, j)
		case !toolName.MatchString(c.Function.Name):
			return fmt.Sprintf("Invalid '%s.tool_calls[%d].function.name': string does not match pattern.", at, j)
		case len(c.Function.Arguments) == 0:
			return fmt.Sprintf("Missing required parameter: '%s.tool_calls[%d].function.arguments'.", at, j)
		case json.Unmarshal(c.Function.Arguments, &args) != nil:
			return fmt.Sprintf("Invalid type for '%s.tool_calls[%d].function.arguments': expected a string.", at, j)
		}
		open[c.ID] = true
	}
	return ""
}
