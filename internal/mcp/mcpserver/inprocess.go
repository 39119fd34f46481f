package mcpserver

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// Local is a client in the same process. It has the same rights and pipeline as other clients, without a
// network connection. It is safe for concurrent use.
type Local struct {
	server *Server
	peer   *peer
}

// Local returns an in-process client for subject.
func (s *Server) Local(subject *access.Subject) *Local {
	return &Local{server: s, peer: &peer{subject: subject}}
}

// Tools lists the tools that the client may call.
func (l *Local) Tools(ctx context.Context) []*sdk.Tool {
	return l.server.catalog.listDefinitions(l.peer.attend(ctx), "", allTools)
}

// Call runs a tool; see [mcphost.Host.ExecuteTool] for arguments and errors. For a tool that Tools does not
// list, it returns [mcp.ErrUnknownTool]. events lists the events of the call.
func (l *Local) Call(ctx context.Context, name, args string) (res mcp.Result, events []string, err error) {
	ctx = l.peer.attend(ctx)
	a := l.server.dispatcher.callByName(ctx, name, json.RawMessage(args))
	return a.result, a.events, a.err
}
