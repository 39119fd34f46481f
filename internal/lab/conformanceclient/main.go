// Command conformanceclient is the client that the MCP conformance suite (npm:
// @modelcontextprotocol/conformance) tests. Everything that a tool host does
// goes through internal/mcp/mcphost; the rest, elicitation and the
// authorization-code grant, through the SDK that the host uses.
//
// It is only for tests and no package imports it. The suite runs it with a
// server's address, and names the scenario in the environment.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
)

// Environment variables of the suite.
const (
	scenarioVar = "MCP_CONFORMANCE_SCENARIO"
	settingsVar = "MCP_CONFORMANCE_CONTEXT"
)

// settings is a scenario's data for its client, as JSON.
type settings struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	ToolCalls    []struct {
		Name      string         `json:"name"`
		Arguments map[string]any `json:"arguments"`
	} `json:"toolCalls"`
}

// scenario does what the suite expects with the server at url. An error ends
// the client with status 1, which some scenarios require.
type scenario func(ctx context.Context, url string, s settings) error

// scenarios are those that involve a tool host or its SDK. Every other scenario
// whose name begins with auth/ tests the authorization-code grant.
var scenarios = map[string]scenario{
	"initialize":                       list,
	"request-metadata":                 list,
	"json-schema-ref-no-deref":         list,
	"tools_call":                       call("add_numbers", `{"a":5,"b":3}`),
	"sse-retry":                        call("test_reconnection", `{}`),
	"http-standard-headers":            callAll(`{}`),
	"http-custom-headers":              callAsked,
	"http-invalid-tool-headers":        callAll(`{"region":"us-west1"}`),
	"json-schema-2020-12-preservation": echoSchema,
	"auth/client-credentials-basic":    clientCredentials,

	"elicitation-sep1034-client-defaults": elicit(map[string]any{}, "test_client_elicitation_defaults"),
	"sep-2322-client-request-state": elicit(map[string]any{"confirmed": true},
		"test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_unrelated", "test_mrtr_no_result_type"),
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("usage: conformanceclient SERVER-URL")
	}
	var s settings
	if err := json.Unmarshal([]byte(cmp.Or(os.Getenv(settingsVar), "{}")), &s); err != nil {
		return fmt.Errorf("reading %s: %w", settingsVar, err)
	}
	name := os.Getenv(scenarioVar)
	play, ok := scenarios[name]
	switch {
	case ok:
	case strings.HasPrefix(name, "auth/"):
		play = authorizationCode
	default:
		return fmt.Errorf("%s: %q is no scenario known here", scenarioVar, name)
	}
	return play(ctx, args[0], s)
}
