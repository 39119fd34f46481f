package access

import (
	"context"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// maxMade bounds what is told of a proposed call that was made, in characters.
const maxMade = 4000

// Waiting is where calls wait for somebody to agree, and Host where those are made that
// were proposed. It is safe for concurrent use.
type Waiting struct {
	Policy *Engine
	Host   *mcphost.Host
}

// Made is what came of a proposed call that was made.
type Made struct {
	Result string `json:"result,omitempty" jsonschema:"What the tool returned."`
	Failed string `json:"failed,omitempty" jsonschema:"Why it could not be done after all."`
}

// Decide grants or denies a call in the name of by. A proposed one that is granted is
// made before Decide returns, once: what came of it is returned, and ctx does not end
// it. The errors are those of [Engine.Decide].
func (w Waiting) Decide(ctx context.Context, id string, grant bool, by string) (*Made, error) {
	if err := w.Policy.Decide(id, grant, by); err != nil {
		return nil, err
	}
	p, proposed := w.Policy.TakeProposal(id)
	if !proposed {
		return nil, nil
	}
	ctx = mcp.WithDoor(p.Context(ctx), w.Host.Everything())
	res, err := w.Host.ExecuteTool(ctx, p.Call.Tool, p.Call.Args)
	made := &Made{}
	switch {
	case err != nil:
		made.Failed, _ = mcp.Telling(err)
	case res.IsError:
		made.Failed = res.Text
	default:
		made.Result = res.Text
	}
	made.Failed, made.Result = untrusted.Clip(made.Failed, maxMade), untrusted.Clip(made.Result, maxMade)
	if made.Failed != "" {
		w.Policy.NoteFailed(id, made.Failed)
	}
	return made, nil
}
