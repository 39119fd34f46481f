package mcpserver

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/tracing"
)

// startTrace starts the trace of a call, as a child of the trace in the request's _meta, if any.
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

// callFailure names how a call failed, or returns "" if it succeeded.
func callFailure(res *sdk.CallToolResult, err error) string {
	switch {
	case err != nil:
		return tracing.OtherError
	case res != nil && res.IsError:
		return tracing.ToolError
	}
	return ""
}
