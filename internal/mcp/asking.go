package mcp

import "context"

// ClientRequests lets the server that runs a call ask the outside client that made it.
type ClientRequests struct {
	// Client is the name of the client.
	Client string
	// Send sends a protocol question, such as an *ElicitParams or a *CreateMessageWithToolsParams of the MCP
	// SDK, to the client and returns the answer. The error is a *[Refusal] if the client was not asked. Send
	// is safe for concurrent use and returns when ctx, the call's context, ends.
	Send func(ctx context.Context, question any) (any, error)
}

type clientRequestsKey struct{}

// WithClientRequests returns a context whose call may ask its client. A nil a forbids it.
func WithClientRequests(ctx context.Context, a *ClientRequests) context.Context {
	return context.WithValue(ctx, clientRequestsKey{}, a)
}

// ClientRequestsFrom returns how a call asks its client, or nil if it cannot.
func ClientRequestsFrom(ctx context.Context) *ClientRequests {
	a, _ := ctx.Value(clientRequestsKey{}).(*ClientRequests)
	return a
}
