package mcpserver

// This part serves the older JSON-RPC dialect. Its clients open with their own handshake instead of MCP's and
// expect its methods, error codes and response format.
//
// It implements only the wire protocol and does no I/O except on its [Stream]. The [Backend] provides the
// tools and checks permissions.

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// ProtocolVersion is the version in the handshake's response: the MCP revision whose tools are served.
const ProtocolVersion = "2025-11-25"

// Stream is a connection that carries well-formed messages, such as a *Conn.
type Stream interface {
	// Read returns the next *jsonrpc.Request or *jsonrpc.Response. At the end of the input it returns io.EOF,
	// after all requests were answered or the wait for them timed out. If the peer can no longer be written
	// to, the error is ErrGone.
	Read(ctx context.Context) (jsonrpc.Message, error)
	// Write writes a message. It is safe for concurrent use.
	Write(ctx context.Context, msg jsonrpc.Message) error
}

// Backend creates the sessions of clients.
type Backend interface {
	// Initialize returns the session for a client that calls itself agentID and requests the rights of
	// profile. The Backend must not trust these values and decides itself what the client may do. An error
	// refuses the handshake.
	Initialize(ctx context.Context, agentID, sessionID, profile string) (Session, error)
}

// Session serves an initialised client. Its methods are safe for concurrent use and return when ctx ends. The
// client sees the text of a returned error, with the code from [mcp.CodeOf].
type Session interface {
	// Tools lists the tools that the client may call.
	Tools(ctx context.Context) ([]Tool, error)
	// Call runs a tool. args is a JSON object. The call's events are reported through ctx, see [mcp.Emit].
	Call(ctx context.Context, name string, args json.RawMessage) (mcp.Result, error)
	// Subscribe starts to report the state of the world to notify. It sends the snapshot before it returns
	// the result for the client. params is nil if there are none. notify is safe for concurrent use and works
	// until Close; an error from it means that the client is gone.
	Subscribe(ctx context.Context, params json.RawMessage, notify Notify) (any, error)
	// DeclareArea sets the area of interest.
	DeclareArea(ctx context.Context, params json.RawMessage) error
	// Close ends the session. It is called once, when no other method runs, and returns when no more
	// notifications will be sent.
	Close()
}

// Notify sends a notification to the client. params is encoded as JSON.
type Notify func(ctx context.Context, method string, params any) error

// Tool is a tool as the dialect lists it.
type Tool struct {
	Name, Description string
	// InputSchema encodes to a JSON Schema of the arguments; nil accepts anything.
	InputSchema any
}

// handshake holds the params of the dialect's initialize.
type handshake struct {
	AgentID   *string `json:"agentId"`
	SessionID *string `json:"sessionId"`
	Profile   *string `json:"profile"`
}

func (h *handshake) complete() bool {
	return h.AgentID != nil && h.SessionID != nil && h.Profile != nil
}

// IsHandshake reports whether req opens a session of this dialect, which is an initialize with the strings
// agentId, sessionId and profile. Any other request belongs to MCP.
func IsHandshake(req *jsonrpc.Request) bool {
	if req == nil || req.Method != "initialize" {
		return false
	}
	var h handshake
	return json.Unmarshal(req.Params, &h) == nil && h.complete()
}
