package mcpserver

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/tracing"
)

// startTrace begins the trace of a call, below what its client says in _meta that it
// belongs to.
func (d *dispatcher) startTrace(ctx context.Context, req *sdk.CallToolRequest) (context.Context, *tracing.Span) {
	if d.tracer == nil {
		return ctx, nil
	}
	protocol, session := req.Params.GetMeta()[sdk.MetaKeyProtocolVersion], ""
	if req.Session != nil {
		if opened := req.Session.InitializeParams(); protocol == nil && opened != nil {
			protocol = opened.ProtocolVersion
		}
		session = req.Session.ID()
	}
	revision, _ := protocol.(string)
	return d.tracer.StartServed(ctx, req.Params.GetMeta(), req.Params.Name, revision, session)
}

// callFailure is a word for how a call failed, empty if it did not.
func callFailure(res *sdk.CallToolResult, err error) string {
	switch {
	case err != nil:
		return tracing.OtherError
	case res != nil && res.IsError:
		return tracing.ToolError
	}
	return ""
}
