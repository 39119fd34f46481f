package mcpserver

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// completion answers completion requests for arguments of prompts and resource templates.
type completion struct {
	*dispatcher
	resources Resources // nil if there are none
	prompts   Prompts   // nil if there are none
}

// complete answers completion/complete.
func (c completion) complete(ctx context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	var (
		values []string
		more   bool
		err    error
		v      = c.viewOf(ctx)
		arg    = req.Params.Argument
	)
	ref := req.Params.Ref
	if ref == nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the request names nothing to complete"}
	}
	err = c.passGate(ctx, methodComplete, oneField("argument", arg.Name), func(ctx context.Context) (err error) {
		switch {
		case ref.Type == "ref/resource" && c.resources != nil:
			values, more, err = c.resources.Complete(ctx, v, ref.URI, arg.Name, arg.Value)
		case ref.Type == "ref/prompt" && c.prompts != nil:
			values, more, err = c.prompts.Complete(ctx, v, ref.Name, arg.Name, arg.Value)
		default:
			err = ErrUnknownResource
		}
		return err
	})
	if errors.Is(err, ErrUnknownResource) || errors.Is(err, ErrUnknownPrompt) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "there is nothing of that name to complete"}
	}
	if err != nil {
		return nil, c.refuse(err)
	}
	if values == nil {
		values = []string{}
	}
	return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: values, HasMore: more}}, nil
}
