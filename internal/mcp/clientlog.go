package mcp

import "context"

// ClientLog forwards a server's log messages during a call to the outside client that asked for them.
type ClientLog struct {
	// Client is the name of the client.
	Client string
	// Level is the lowest wanted level, as named by the protocol.
	Level string
	// Send forwards a message. It is safe for concurrent use and does not block.
	Send func(level, logger string, data any)
}

type clientLogKey struct{}

// WithClientLog returns a context whose call forwards log messages to l.
func WithClientLog(ctx context.Context, l *ClientLog) context.Context {
	return context.WithValue(ctx, clientLogKey{}, l)
}

// ClientLogFrom returns where a call forwards log messages, or nil.
func ClientLogFrom(ctx context.Context) *ClientLog {
	l, _ := ctx.Value(clientLogKey{}).(*ClientLog)
	return l
}
