package mcpserver

//lint:file-ignore SA1019 clients of the older revisions know no other way to be asked for what their model says

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// mayAskClient reports whether an external server may ask the client a question during this call. It is false
// if the client does not support questions.
func (d *dispatcher) mayAskClient(ctx context.Context, req *sdk.CallToolRequest) bool {
	c := req.ClientCapabilities()
	if c == nil || c.Elicitation == nil && c.Sampling == nil {
		return false
	}
	if _, ours := d.findOwn(ctx, req.Params.Name); ours {
		return true // it may call other tools
	}
	t, ok := d.findDirect(ctx, req.Params.Name)
	return ok && (t.Composite || t.Source != mcp.SourceBuiltin)
}

// checkCapability returns a refusal if the client does not support the kind of question.
func checkCapability(c *sdk.ClientCapabilities, question any) error {
	can := false
	switch question.(type) {
	case *sdk.ElicitParams:
		can = c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil) // the default is forms
	case *sdk.CreateMessageWithToolsParams:
		can = c.Sampling != nil
	}
	if can {
		return nil
	}
	return &mcp.Refusal{Code: mcp.CodeForbidden, By: "client", Reason: "the client behind the call cannot be asked that"}
}

// sessionRequests returns the way to ask a client of an older revision: a request to the client, sent as part of
// its own call.
func sessionRequests(client string, req *sdk.CallToolRequest) *mcp.ClientRequests {
	return &mcp.ClientRequests{Client: client, Send: func(ctx context.Context, question any) (any, error) {
		if err := checkCapability(req.ClientCapabilities(), question); err != nil {
			return nil, err
		}
		var answer any
		var err error
		switch q := question.(type) {
		case *sdk.ElicitParams:
			answer, err = req.Session.Elicit(ctx, q)
		case *sdk.CreateMessageWithToolsParams:
			answer, err = req.Session.CreateMessageWithTools(ctx, q)
		}
		if err != nil {
			return nil, answeredBadly(ctx, err)
		}
		return answer, nil
	}}
}

// answeredBadly converts a client's error to the answer for the server that asked. It passes on the client's
// code and message and hides everything else.
func answeredBadly(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("waiting for the client's answer: %w", context.Cause(ctx))
	}
	if wire, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return &jsonrpc.Error{Code: wire.Code, Message: untrusted.Line(wire.Message, 500)}
	}
	return fmt.Errorf("asking the client: %v", err)
}
