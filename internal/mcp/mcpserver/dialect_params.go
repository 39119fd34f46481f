package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// draft07URI identifies the JSON Schema draft of the dialect's schemas.
const draft07URI = "http://json-schema.org/draft-07/schema#"

// listedTool is a tool in the answer to tools/list.
type listedTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

// decodeParams decodes the params object into v.
func decodeParams(params json.RawMessage, v any) error {
	if len(params) == 0 || params[0] != '{' {
		return invalid("params must be an object")
	}
	var misfit *json.UnmarshalTypeError
	switch err := json.Unmarshal(params, v); {
	case errors.As(err, &misfit):
		return invalid(fmt.Sprintf("%s must be a %s", misfit.Field, misfit.Type))
	case err != nil:
		return invalid("params cannot be read")
	}
	return nil
}

// callParams decodes the tool name and arguments from the params of a call. It ignores a caller named in the
// params, because the session determines the caller.
func callParams(params json.RawMessage) (name string, args json.RawMessage, err error) {
	var p struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := decodeParams(params, &p); err != nil {
		return "", nil, err
	}
	if p.Name == "" {
		return "", nil, invalid("name is missing")
	}
	switch {
	case p.Arguments == nil || string(p.Arguments) == "null":
		p.Arguments = json.RawMessage("{}")
	case p.Arguments[0] != '{':
		return "", nil, invalid("arguments must be an object")
	}
	return p.Name, p.Arguments, nil
}

// draft07 encodes a schema, marked as draft-07.
func draft07(schema any) (json.RawMessage, error) {
	raw, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	if raw[0] != '{' {
		raw = []byte(`{"type":"object"}`)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, err
	}
	delete(members, "$schema")
	rest, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	head := fmt.Sprintf(`{"$schema":%q`, draft07URI)
	if len(members) == 0 {
		return json.RawMessage(head + "}"), nil
	}
	return append(append([]byte(head), ','), bytes.TrimPrefix(rest, []byte("{"))...), nil
}
