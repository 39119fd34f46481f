//lint:file-ignore SA1019 The suite holds servers to sampling and logging as long as a revision has them.

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
)

// askingFixtures call their client while they run.
func askingFixtures() []fixture {
	return []fixture{
		{name: "test_tool_with_logging", does: "Sends three log messages.", asks: true, run: talks(logs)},
		{name: "test_logging_tool", does: "Logs, which reaches only clients that asked for it.", asks: true, run: talks(logsOnce)},
		{name: "test_tool_with_progress", does: "Reports its progress thrice.", asks: true, run: talks(progresses)},
		{
			name: "test_sampling", does: "Has the client's model complete a prompt.",
			input: textInput("prompt", "What the model is asked."), asks: true, run: talks(samples),
		},
		{
			name: "test_elicitation", does: "Asks the client's user for a name.",
			input: textInput("message", "What the user is told."), asks: true, run: talks(elicitsName),
		},
		{
			name: "test_elicitation_sep1034_defaults", does: "Asks the user with defaults of every kind.",
			asks: true, run: elicits("Please review and update the form fields with defaults", defaultsForm),
		},
		{
			name: "test_elicitation_sep1330_enums", does: "Asks the user to choose, in every way there is.",
			asks: true, run: elicits("Please select options from the enum fields", choicesForm),
		},
		{name: "test_reconnection", does: "Closes its stream; the answer waits for whoever comes back.", asks: true, run: talks(reconnects)},
	}
}

// textInput is the schema of one required text.
func textInput(name, does string) string {
	return fmt.Sprintf(`{"type":"object","properties":{%q:{"type":"string","description":%q}},"required":[%q]}`, name, does, name)
}

// step is the time between two progress reports.
const step = 50 * time.Millisecond

func logs(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	for i, text := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if i > 0 {
			if err := pause(ctx, step); err != nil {
				return nil, err
			}
		}
		if err := req.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: text}); err != nil {
			return nil, fmt.Errorf("logging: %w", err)
		}
	}
	return words("Three messages were logged."), nil
}

func logsOnce(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if err := req.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: "test_logging_tool runs"}); err != nil {
		return nil, fmt.Errorf("logging: %w", err)
	}
	return words("A message was logged for whoever wants it."), nil
}

func progresses(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	report := mcp.ProgressFrom(ctx)
	if report == nil {
		report = func(float64, float64, string) {} // the client did not ask for progress
	}
	for _, done := range []float64{0, 50, 100} {
		report(done, 100, fmt.Sprintf("Completed step %v of 100", done))
		if err := pause(ctx, step); err != nil {
			return nil, err
		}
	}
	return words("%v", req.Params.GetProgressToken()), nil
}

func samples(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	var in struct{ Prompt string }
	if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
		return nil, fmt.Errorf("%w: %v", mcp.ErrInvalidArguments, err)
	}
	res, err := req.Session.CreateMessage(ctx, &sdk.CreateMessageParams{
		Messages:  []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: in.Prompt}}},
		MaxTokens: 100,
	})
	if err != nil {
		return nil, fmt.Errorf("asking the client's model: %w", err)
	}
	text, ok := res.Content.(*sdk.TextContent)
	if !ok {
		return words("LLM response: something else than text"), nil
	}
	return words("LLM response: %s", text.Text), nil
}

func elicitsName(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	var in struct{ Message string }
	if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
		return nil, fmt.Errorf("%w: %v", mcp.ErrInvalidArguments, err)
	}
	return elicit(ctx, req, in.Message, nameForm)
}

// elicits asks the user to fill in a form, given as a JSON Schema.
func elicits(message, form string) tools.Respond {
	return talks(func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return elicit(ctx, req, message, form)
	})
}

func elicit(ctx context.Context, req *sdk.CallToolRequest, message, form string) (*sdk.CallToolResult, error) {
	res, err := req.Session.Elicit(ctx, &sdk.ElicitParams{Message: message, RequestedSchema: json.RawMessage(form)})
	if err != nil {
		return nil, fmt.Errorf("asking the user: %w", err)
	}
	content, err := json.Marshal(res.Content)
	if err != nil {
		return nil, fmt.Errorf("encoding the user's answer: %w", err)
	}
	return words("User response: action=%s, content=%s", res.Action, content), nil
}

// reconnects closes the stream and answers later.
func reconnects(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if req.Extra != nil && req.Extra.CloseSSEStream != nil {
		req.Extra.CloseSSEStream(sdk.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
	}
	if err := pause(ctx, 2*step); err != nil {
		return nil, err
	}
	return words("The answer reached a client that has come back."), nil
}
