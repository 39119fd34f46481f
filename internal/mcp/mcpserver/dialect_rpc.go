package mcpserver

// This part serves the older dialect of JSON-RPC: clients that open with
// their own handshake instead of MCP's, and expect its methods, its codes and
// its shape of a response.
//
// It knows the wire alone and does no I/O but on its [Stream]: the tools, and who
// may do what, are its caller's.

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// ProtocolVersion is the version that the handshake answers with: the MCP
// revision whose tools are served.
const ProtocolVersion = "2025-11-25"

// Stream is a connection of well-formed messages, such as a *Conn.
type Stream interface {
	// Read returns the next *jsonrpc.Request or *jsonrpc.Response. At the end of
	// the input it returns io.EOF, once every request has been answered or that
	// took too long; a peer that nothing can be said to is ErrGone.
	Read(ctx context.Context) (jsonrpc.Message, error)
	// Write writes a message. It is safe for concurrent use.
	Write(ctx context.Context, msg jsonrpc.Message) error
}

// Backend binds clients to sessions.
type Backend interface {
	// Initialize returns the session of a client that calls itself agentID and
	// asks for the rights of profile. Both are its own words: what it may do is
	// for the Backend to decide. An error refuses the handshake.
	Initialize(ctx context.Context, agentID, sessionID, profile string) (Session, error)
}

// Session is what an initialized client can do. Its methods are safe for
// concurrent use and return once ctx is done. What they return as an error is
// said to the client in its own words, with the code of [mcp.CodeOf].
type Session interface {
	// Tools lists the tools that the client may call.
	Tools(ctx context.Context) ([]Tool, error)
	// Call runs a tool. args is a JSON object. What the call causes it reports
	// through ctx, see [mcp.Emit].
	Call(ctx context.Context, name string, args json.RawMessage) (mcp.Result, error)
	// Subscribe begins to report the state of the world to notify, the snapshot
	// before it returns, and returns the result for the client. params is nil if
	// there are none. notify is safe for concurrent use and works until Close;
	// its error means that the client is gone.
	Subscribe(ctx context.Context, params json.RawMessage, notify Notify) (any, error)
	// DeclareArea sets the area of interest.
	DeclareArea(ctx context.Context, params json.RawMessage) error
	// Close ends the session. It is called once, when no other method runs, and
	// returns when nothing notifies any more.
	Close()
}

// Notify sends a notification to the client. params is encoded as JSON.
type Notify func(ctx context.Context, method string, params any) error

// Tool is a tool as the dialect lists it.
type Tool struct {
	Name, Description string
	// InputSchema encodes to a JSON Schema of the arguments; nil takes anything.
	InputSchema any
}

// handshake is the params of the dialect's initialize.
type handshake struct {
	AgentID   *string `json:"agentId"`
	SessionID *string `json:"sessionId"`
	Profile   *string `json:"profile"`
}

func (h *handshake) complete() bool {
	return h.AgentID != nil && h.SessionID != nil && h.Profile != nil
}

// IsHandshake reports whether req opens a session of this dialect: an
// initialize whose agentId, sessionId and profile are strings. Anything else
// is left to MCP.
func IsHandshake(req *jsonrpc.Request) bool {
	if req == nil || req.Method != "initialize" {
		return false
	}
	var h handshake
	return json.Unmarshal(req.Params, &h) == nil && h.complete()
}
