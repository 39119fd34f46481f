package mcp

import "context"

// Asking lets the server that runs a call ask the outside client that made it.
type Asking struct {
	// Client is the name of the client.
	Client string
	// Ask sends a protocol question, such as an *ElicitParams or a *CreateMessageWithToolsParams of the MCP
	// SDK, to the client and returns the answer. The error is a *[Refusal] if the client was not asked. Ask
	// is safe for concurrent use and returns when ctx, the call's context, ends.
	Ask func(ctx context.Context, question any) (any, error)
}

type askingKey struct{}

// WithAsking returns a context whose call may ask its client. A nil a forbids it.
func WithAsking(ctx context.Context, a *Asking) context.Context {
	return context.WithValue(ctx, askingKey{}, a)
}

// AskingFrom returns how a call asks its client, or nil if it cannot.
func AskingFrom(ctx context.Context) *Asking {
	a, _ := ctx.Value(askingKey{}).(*Asking)
	return a
}
