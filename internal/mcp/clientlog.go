package mcp

import "context"

// ClientLog is where a call passes on what its server logs meanwhile: to the outside
// client that asked for messages.
type ClientLog struct {
	// Client is who gets them.
	Client string
	// Level is the least level that is wanted, as the protocol names it.
	Level string
	// Send passes a message on. It is safe for concurrent use and does not wait.
	Send func(level, logger string, data any)
}

type clientLogKey struct{}

// WithClientLog returns a context whose call passes on what its server logs.
func WithClientLog(ctx context.Context, l *ClientLog) context.Context {
	return context.WithValue(ctx, clientLogKey{}, l)
}

// ClientLogFrom returns where a call passes on what its server logs, nil if nowhere.
func ClientLogFrom(ctx context.Context) *ClientLog {
	l, _ := ctx.Value(clientLogKey{}).(*ClientLog)
	return l
}
