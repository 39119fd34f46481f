package glyphoxa

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// ErrInvalidArguments is returned by a handler whose arguments fit the schema but make no sense. The model sees the
// message and may call again, and the error does not count against the tool's health.
var ErrInvalidArguments = mcp.ErrInvalidArguments

// Tool is a function that NPCs may call. [NewTool] makes one from a Go function.
type Tool struct {
	// Name matches ^[A-Za-z0-9_-]{1,64}$ and is not the name of a built-in tool.
	Name string
	// Title is the name that people see. If empty, they see Name.
	Title string
	// Description tells the model what the tool returns. Models choose by it.
	Description string
	// Parameters is the JSON Schema of the arguments; its type is object. Only arguments that fit it reach the
	// handler.
	Parameters map[string]any
	// Result is the JSON Schema of the result. If nil, the result is text.
	Result map[string]any
	// Handler runs the tool. Arguments and result are JSON, the result plain text if Result is nil. It must be
	// safe for concurrent calls and must return when ctx is done.
	Handler func(ctx context.Context, args string) (string, error)
	// Expected is the median duration that the host assumes until it has measured the tool. It decides which
	// turns the tool is offered in. It must be at least 1 ms.
	Expected time.Duration
	// Deadline bounds a call. It must not be shorter than Expected.
	Deadline time.Duration
	// Writes says that the tool changes something. It then runs when the turn is committed, so that a cancelled
	// turn changes nothing, and the NPC does not see the result. Other tools must change nothing, because the
	// host calls them to measure them.
	Writes bool
	// Probe is JSON arguments for measuring the tool. If empty, the host makes some from the schema.
	Probe string
}

// NewTool makes a tool of a function. The schemas are made from A and R: names come from the json tags,
// descriptions from the jsonschema tags, and a field without omitempty or omitzero is required. NewTool panics if
// JSON Schema cannot represent A or R. Set the remaining fields of the tool as needed.
func NewTool[A, R any](name, description string, expected, deadline time.Duration, run func(context.Context, A) (R, error)) Tool {
	return Tool{
		Name: name, Description: description, Expected: expected, Deadline: deadline,
		Parameters: tools.SchemaOf[A](nil), Result: tools.SchemaOf[R](nil), Handler: tools.JSON(run),
	}
}

var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// build checks the tool and converts it.
func (t Tool) build() (tools.Tool, error) {
	switch {
	case !toolName.MatchString(t.Name):
		return tools.Tool{}, fmt.Errorf("a tool is called %q; use up to 64 of A-Z, a-z, 0-9, _ and -", t.Name)
	case t.Handler == nil:
		return tools.Tool{}, fmt.Errorf("the tool %s has no handler", t.Name)
	case t.Expected < time.Millisecond:
		return tools.Tool{}, fmt.Errorf("the tool %s does not say how long a call takes; set Expected to 1 ms or more", t.Name)
	case t.Deadline < t.Expected:
		return tools.Tool{}, fmt.Errorf("the tool %s has a deadline of %v, which is shorter than the expected %v", t.Name, t.Deadline, t.Expected)
	case t.Parameters == nil:
		return tools.Tool{}, errors.New("the tool " + t.Name + " has no schema for its arguments; NewTool makes one")
	}
	b := tools.Tool{
		Definition: llm.ToolDefinition{
			Name: t.Name, Description: t.Description, Parameters: t.Parameters,
			EstimatedDurationMs: int(t.Expected.Milliseconds()), MaxDurationMs: int(t.Deadline.Milliseconds()),
		},
		Handler: t.Handler, Title: t.Title, OutputSchema: t.Result, Probe: t.Probe,
	}
	if t.Writes {
		return tools.Writing(b), nil
	}
	return tools.Reading(b), nil
}
