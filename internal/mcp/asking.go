package mcp

import "context"

// Asking is how the server that a call runs on asks the outside client that made the call.
type Asking struct {
	// Client is who is asked.
	Client string
	// Ask puts a question of the protocol to the client, such as an *ElicitParams or a
	// *CreateMessageWithToolsParams of the MCP SDK, and returns its answer. An error is a
	// *[Refusal] if the client is not asked at all. It is safe for concurrent use and
	// returns once ctx, which is the call's, is done.
	Ask func(ctx context.Context, question any) (any, error)
}

type askingKey struct{}

// WithAsking returns a context whose call may ask its client; nobody is asked if a is nil.
func WithAsking(ctx context.Context, a *Asking) context.Context {
	return context.WithValue(ctx, askingKey{}, a)
}

// AskingFrom returns how a call asks its client, nil if it cannot.
func AskingFrom(ctx context.Context) *Asking {
	a, _ := ctx.Value(askingKey{}).(*Asking)
	return a
}
