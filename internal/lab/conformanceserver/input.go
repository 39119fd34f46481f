//lint:file-ignore SA1019 The suite has servers ask for sampling and roots as long as a revision has them.

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The newest revision has no requests from server to client: a tool that needs
// input returns what it needs, and the client calls again with that input.

// requestFixtures each ask for one kind of input.
func requestFixtures() []fixture {
	return []fixture{
		{name: "test_missing_capability", does: "Needs a client that offers its model.", asks: true, run: talks(needsSampling)},
		{name: "test_input_required_result_elicitation", does: "Needs the user's name.", asks: true, run: talks(needsName)},
		{name: "test_input_required_result_sampling", does: "Needs an answer of the client's model.", asks: true, run: talks(needsCapital)},
		{name: "test_input_required_result_list_roots", does: "Needs the client's roots.", asks: true, run: talks(needsRoots)},
		{name: "test_input_required_result_capabilities", does: "Asks for what the client can give, no more.", asks: true, run: talks(needsWhatThereIs)},
	}
}

// inputFixtures keep state between two calls, at the client.
func inputFixtures(s *seal) []fixture {
	return []fixture{
		{name: "test_input_required_result_request_state", does: "Hands its state to the client and takes it back.", asks: true, run: talks(s.confirms)},
		{name: "test_input_required_result_tampered_state", does: "Turns down a state it has not made.", asks: true, run: talks(s.confirms)},
		{name: "test_input_required_result_multiple_inputs", does: "Needs three things at once.", asks: true, run: talks(s.needsAll)},
		{name: "test_input_required_result_multi_round", does: "Needs two things, one after the other.", asks: true, run: talks(s.rounds)},
	}
}

// ask returns a form for the user.
func ask(message, form string) *sdk.ElicitParams {
	return &sdk.ElicitParams{Message: message, RequestedSchema: json.RawMessage(form)}
}

// question returns a prompt for the client's model.
func question(text string) *sdk.CreateMessageParams {
	return &sdk.CreateMessageParams{
		Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}, MaxTokens: 100,
	}
}

func needs(state string, requests sdk.InputRequestMap) *sdk.CallToolResult {
	return &sdk.CallToolResult{InputRequests: requests, RequestState: state}
}

// accepted returns the user's input, or nil if the user did not accept.
func accepted(all sdk.InputResponseMap, key string) map[string]any {
	res, ok := all[key].(*sdk.ElicitResult)
	if !ok || res == nil || res.Action != "accept" {
		return nil
	}
	return res.Content
}

// filled returns a text from the user's input, or "".
func filled(all sdk.InputResponseMap, key, field string) string {
	text, _ := accepted(all, key)[field].(string)
	return text
}

// completed returns the answer of the client's model.
func completed(all sdk.InputResponseMap, key string) (text string, ok bool) {
	res, ok := all[key].(*sdk.CreateMessageWithToolsResult)
	if !ok || res == nil {
		return "", false
	}
	for _, c := range res.Content {
		if t, ok := c.(*sdk.TextContent); ok {
			return t.Text, true
		}
	}
	return "", true
}

func listed(all sdk.InputResponseMap, key string) (roots []*sdk.Root, ok bool) {
	res, ok := all[key].(*sdk.ListRootsResult)
	if !ok || res == nil {
		return nil, false
	}
	return res.Roots, true
}

func needsSampling(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if c := req.ClientCapabilities(); c != nil && c.Sampling != nil {
		return words("The client offers its model."), nil
	}
	data, err := json.Marshal(sdk.MissingRequiredClientCapabilityData{
		RequiredCapabilities: &sdk.ClientCapabilities{Sampling: &sdk.SamplingCapabilities{}},
	})
	if err != nil {
		return nil, fmt.Errorf("encoding what is missing: %w", err)
	}
	return nil, &jsonrpc.Error{
		Code: sdk.CodeMissingRequiredClientCapabilities, Message: "the client must offer sampling", Data: data,
	}
}

func needsName(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if name := filled(req.Params.InputResponses, "user_name", "name"); name != "" {
		return words("Hello, %s!", name), nil
	}
	return needs("", sdk.InputRequestMap{"user_name": ask("What is your name?", callerForm)}), nil
}

func needsCapital(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if text, ok := completed(req.Params.InputResponses, "capital_question"); ok {
		return words("The model says: %s", text), nil
	}
	return needs("", sdk.InputRequestMap{"capital_question": question("What is the capital of France?")}), nil
}

func needsRoots(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	roots, ok := listed(req.Params.InputResponses, "client_roots")
	if !ok {
		return needs("", sdk.InputRequestMap{"client_roots": &sdk.ListRootsParams{}}), nil
	}
	var uris []string
	for _, r := range roots {
		uris = append(uris, r.URI)
	}
	return words("The client shows %d roots: %s", len(roots), strings.Join(uris, ", ")), nil
}

func needsWhatThereIs(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if len(req.Params.InputResponses) > 0 {
		return words("The client gave what it can."), nil
	}
	requests := sdk.InputRequestMap{}
	if c := req.ClientCapabilities(); c != nil {
		if c.Elicitation != nil {
			requests["user_name"] = ask("What is your name?", callerForm)
		}
		if c.Sampling != nil {
			requests["greeting"] = question("Write a short greeting.")
		}
		if c.RootsV2 != nil {
			requests["client_roots"] = &sdk.ListRootsParams{}
		}
	}
	if len(requests) == 0 {
		return words("The client can give nothing."), nil
	}
	return needs("", requests), nil
}
