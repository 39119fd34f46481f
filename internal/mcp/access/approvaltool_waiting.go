package access

import (
	"context"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// maxMade bounds the reported result of a proposed call, in characters.
const maxMade = 4000

// Waiting combines the engine where calls wait for approval with the host that runs granted proposals. It is
// safe for concurrent use.
type Waiting struct {
	Policy *Engine
	Host   *mcphost.Host
}

// Made is the result of a proposed call.
type Made struct {
	Result string `json:"result,omitempty" jsonschema:"What the tool returned."`
	Failed string `json:"failed,omitempty" jsonschema:"Why it could not be done after all."`
}

// Decide grants or denies a call in the name of by. If it grants a proposed call, it runs the call once
// before it returns, and returns the result; the end of ctx does not cancel that call. The errors are those
// of [Engine.Decide].
func (w Waiting) Decide(ctx context.Context, id string, grant bool, by string) (*Made, error) {
	if err := w.Policy.Decide(id, grant, by); err != nil {
		return nil, err
	}
	p, proposed := w.Policy.PopProposal(id)
	if !proposed {
		return nil, nil
	}
	ctx = mcp.WithExecutor(p.Context(ctx), w.Host.Everything())
	res, err := w.Host.ExecuteTool(ctx, p.Call.Tool, p.Call.Args)
	made := &Made{}
	switch {
	case err != nil:
		made.Failed, _ = mcp.PublicText(err)
	case res.IsError:
		made.Failed = res.Text
	default:
		made.Result = res.Text
	}
	made.Failed, made.Result = untrusted.Clip(made.Failed, maxMade), untrusted.Clip(made.Result, maxMade)
	if made.Failed != "" {
		w.Policy.RecordFailure(id, made.Failed)
	}
	return made, nil
}
