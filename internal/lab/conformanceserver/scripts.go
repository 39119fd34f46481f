package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
)

// script is one of the suite's prompts.
type script struct {
	sdk.Prompt
	write func(ctx context.Context, args map[string]string) *sdk.GetPromptResult
}

// scripts are the suite's prompts. They are safe for concurrent use.
type scripts struct {
	all   []script    // by name; the temporary one last
	extra atomic.Bool // whether the temporary prompt exists
}

func newScripts() *scripts {
	argument := func(name, does string) *sdk.PromptArgument {
		return &sdk.PromptArgument{Name: name, Description: does, Required: true}
	}
	return &scripts{all: []script{
		{sdk.Prompt{Name: "test_input_required_result_prompt", Description: "Needs something of the user first."}, writeWithInput},
		{sdk.Prompt{
			Name: "test_prompt_with_arguments", Description: "Says what it was given.",
			Arguments: []*sdk.PromptArgument{argument("arg1", "First text."), argument("arg2", "Second text.")},
		}, writeArguments},
		{sdk.Prompt{
			Name: "test_prompt_with_embedded_resource", Description: "Holds a resource.",
			Arguments: []*sdk.PromptArgument{argument("resourceUri", "Address of the resource.")},
		}, writeResource},
		{sdk.Prompt{Name: "test_prompt_with_image", Description: "Holds an image."}, writeImage},
		{sdk.Prompt{Name: "test_simple_prompt", Title: "Simple prompt", Description: "Takes nothing."}, writeSimple},
		{sdk.Prompt{Name: "test_zz_passing_prompt", Description: "Is there every other time."}, writeSimple},
	}}
}

// toggle adds or removes the temporary prompt.
func (s *scripts) toggle() {
	for {
		there := s.extra.Load()
		if s.extra.CompareAndSwap(there, !there) {
			return
		}
	}
}

// here returns the current prompts.
func (s *scripts) here() []script {
	if s.extra.Load() {
		return s.all
	}
	return s.all[:len(s.all)-1]
}

// List lists the prompts by name.
func (s *scripts) List(mcpserver.LibraryView) []*sdk.Prompt {
	var list []*sdk.Prompt
	for _, p := range s.here() {
		list = append(list, &p.Prompt)
	}
	return list
}

// find returns a prompt by name.
func (s *scripts) find(name string) (script, error) {
	here := s.here()
	i := slices.IndexFunc(here, func(p script) bool { return p.Name == name })
	if i < 0 {
		return script{}, fmt.Errorf("%w %q", mcpserver.ErrUnknownPrompt, name)
	}
	return here[i], nil
}

// Get renders a prompt if all its arguments are present.
func (s *scripts) Get(ctx context.Context, _ mcpserver.LibraryView, name string, args map[string]string) (*sdk.GetPromptResult, error) {
	p, err := s.find(name)
	if err != nil {
		return nil, err
	}
	for _, a := range p.Arguments {
		if _, ok := args[a.Name]; a.Required && !ok {
			return nil, fmt.Errorf("%w: %s is missing", mcp.ErrInvalidArguments, a.Name)
		}
	}
	return p.write(ctx, args), nil
}

// Complete offers a few words for any argument.
func (s *scripts) Complete(_ context.Context, _ mcpserver.LibraryView, name, argument, prefix string) (values []string, more bool, err error) {
	if _, err := s.find(name); err != nil {
		return nil, false, err
	}
	for _, word := range []string{"paper", "party", "test-value"} {
		if strings.HasPrefix(word, prefix) {
			values = append(values, word)
		}
	}
	return values, false, nil
}

func written(content ...sdk.Content) *sdk.GetPromptResult {
	res := &sdk.GetPromptResult{}
	for _, c := range content {
		res.Messages = append(res.Messages, &sdk.PromptMessage{Role: "user", Content: c})
	}
	return res
}

func writeSimple(context.Context, map[string]string) *sdk.GetPromptResult {
	return written(&sdk.TextContent{Text: "This is a simple prompt for testing."})
}

func writeArguments(_ context.Context, args map[string]string) *sdk.GetPromptResult {
	return written(&sdk.TextContent{Text: fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", args["arg1"], args["arg2"])})
}

func writeResource(_ context.Context, args map[string]string) *sdk.GetPromptResult {
	return written(
		&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: args["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing."}},
		&sdk.TextContent{Text: "Please process the embedded resource above."},
	)
}

func writeImage(context.Context, map[string]string) *sdk.GetPromptResult {
	return written(&sdk.ImageContent{Data: picture(), MIMEType: "image/png"}, &sdk.TextContent{Text: "Please analyze the image above."})
}

// writeWithInput asks the user first; see requestFixtures.
func writeWithInput(ctx context.Context, _ map[string]string) *sdk.GetPromptResult {
	if req := mcpserver.PromptRequestFrom(ctx); req != nil {
		if text := filled(req.Params.InputResponses, "user_context", "context"); text != "" {
			return written(&sdk.TextContent{Text: "Context: " + text})
		}
	}
	return &sdk.GetPromptResult{InputRequests: sdk.InputRequestMap{"user_context": ask("What is it about?", contextForm)}}
}
