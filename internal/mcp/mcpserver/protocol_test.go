package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// patience bounds how long a test waits for what it is told.
const patience = time.Minute

// TestToolsSpeakTheProtocol has tools answer with an error of the protocol
// itself, and with a request for input.
func TestToolsSpeakTheProtocol(t *testing.T) {
	answers := func(name string, res mcp.Result) mcphost.BuiltinTool {
		return mcphost.BuiltinTool{
			Definition: llm.ToolDefinition{Name: name}, Permission: "dice.roll", ReadOnly: true,
			Respond: func(context.Context, string) (mcp.Result, error) { return res, nil },
		}
	}
	wire := &jsonrpc.Error{Code: sdk.CodeMissingRequiredClientCapabilities, Message: "offer sampling", Data: json.RawMessage(`{"a":1}`)}
	form := &sdk.ElicitParams{Message: "Who?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{}}`)}
	h := newFixture(t, plan{tools: []mcphost.BuiltinTool{
		answers("refuses", mcp.Result{Native: wire, IsError: true}),
		answers("asks", mcp.Result{Native: &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"who": form}, RequestState: "first"}}),
	}})
	asked := make(chan string, 10)
	s := h.pipe("dm", &sdk.ClientOptions{ElicitationHandler: func(_ context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		asked <- req.Params.Message
		return nil, errors.New("the user has left")
	}})
	var got *jsonrpc.Error
	if _, err := call(t, s, "refuses", nil); !errors.As(err, &got) || got.Code != wire.Code || got.Message != wire.Message || string(got.Data) != string(wire.Data) {
		t.Errorf("err = %v, want %v as it is", err, wire)
	}
	if _, err := call(t, s, "asks", nil); err == nil {
		t.Error("the call ends well although its user has left")
	}
	if got := <-asked; got != form.Message {
		t.Errorf("the user is asked %q, want %q", got, form.Message)
	}
}

// posters are prompts, one of which comes and goes.
type posters struct {
	mcpserver.Prompts
	extra atomic.Bool
}

func (p *posters) List(mcpserver.LibraryView) []*sdk.Prompt {
	list := []*sdk.Prompt{{Name: "always"}}
	if p.extra.Load() {
		list = append(list, &sdk.Prompt{Name: "sometimes"})
	}
	return list
}

func (p *posters) Get(_ context.Context, _ mcpserver.LibraryView, name string, _ map[string]string) (*sdk.GetPromptResult, error) {
	return nil, mcpserver.ErrUnknownPrompt
}

// TestPromptsChange has prompts come and go: clients are told within 50 ms and
// see the new list.
func TestPromptsChange(t *testing.T) {
	for _, protocol := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(protocol, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { testPromptsChange(t, protocol) })
		})
	}
}

func testPromptsChange(t *testing.T, protocol string) {
	p := &posters{}
	h := newFixture(t, plan{options: func(o *mcpserver.Options) { o.Prompts = p }})
	told := make(chan time.Time, 10)
	s := h.pipeOf("dm", protocol, &sdk.ClientOptions{PromptListChangedHandler: func(context.Context, *sdk.PromptListChangedRequest) { told <- time.Now() }})
	for _, row := range []struct {
		name  string
		extra bool
		want  string
	}{
		{name: "one comes", extra: true, want: "always sometimes"},
		{name: "one goes", extra: false, want: "always"},
	} {
		p.extra.Store(row.extra)
		start := time.Now()
		h.server.PromptsChanged()
		select {
		case at := <-told:
			if after := at.Sub(start); after > 50*time.Millisecond {
				t.Errorf("%s: told after %v, want at most 50ms", row.name, after)
			}
		case <-time.After(patience):
			t.Fatalf("%s: the client is not told", row.name)
		}
		list, err := s.ListPrompts(t.Context(), nil)
		must(t, "listing", err)
		var names []string
		for _, p := range list.Prompts {
			names = append(names, p.Name)
		}
		if got := strings.Join(names, " "); got != row.want {
			t.Errorf("%s: prompts = %s, want %s", row.name, got, row.want)
		}
	}
}

// TestAddressesAreSpeltInManyWays has a resource read and followed by whatever
// spelling of its address a client prefers.
func TestAddressesAreSpeltInManyWays(t *testing.T) {
	h := newFixture(t, plan{})
	placed, err := call(t, h.pipe("dm", nil), "place_entity", map[string]any{"type": "person", "name": "Käthe", "position": []int{1, 2, 3}})
	must(t, "placing", err)
	id := decoded[struct{ Entity struct{ ID string } }](t, placed.StructuredContent).Entity.ID
	canonical := mcpserver.EntityURI(id)
	for _, protocol := range []string{"2025-11-25", "2026-07-28"} {
		addr := h.web(config.Server{Clients: clients("dm")})
		s := h.http(addr, "dm", protocol, nil)
		for _, row := range []struct{ name, uri string }{
			{name: "canonical", uri: canonical},
			{name: "plain", uri: "glyphoxa://entities/" + id},
			{name: "over-encoded", uri: "glyphoxa://entities/" + overEncoded(id)},
		} {
			t.Run(protocol+" "+row.name, func(t *testing.T) {
				res, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: row.uri})
				if err != nil || len(res.Contents) != 1 || res.Contents[0].URI != canonical || !strings.Contains(res.Contents[0].Text, "Käthe") {
					t.Errorf("reading %s: %+v, %v; want the document at %s", row.uri, res, err, canonical)
				}
			})
		}
		for _, uri := range []string{"", "glyphoxa://entities/nobody", "glyphoxa://entities/a b", "glyphoxa://entities/%zz", "glyphoxa://entities/a\nb", "http://127.0.0.1/", "ö", "{+uri}"} {
			_, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
			var wire *jsonrpc.Error
			if !errors.As(err, &wire) {
				t.Errorf("%s: reading %q: %v, want an error of the protocol", protocol, uri, err)
			}
		}
	}
	told := make(chan string, 10)
	// In the newest revision the client would not wait until it is subscribed.
	s := h.http(h.web(config.Server{Clients: clients("dm")}), "dm", "2025-11-25", &sdk.ClientOptions{ResourceUpdatedHandler: func(_ context.Context, req *sdk.ResourceUpdatedNotificationRequest) {
		told <- req.Params.URI
	}})
	must(t, "subscribing", s.Subscribe(t.Context(), &sdk.SubscribeParams{URI: "glyphoxa://entities/" + overEncoded(id)}))
	_, err = call(t, s, "move_entity", map[string]any{"id": id, "position": []int{4, 5, 6}})
	must(t, "moving", err)
	select {
	case got := <-told:
		if got != canonical {
			t.Errorf("told of %s, want %s", got, canonical)
		}
	case <-time.After(patience):
		t.Error("whoever spells an address another way is not told of changes")
	}
}

// overEncoded percent-encodes every byte.
func overEncoded(text string) string {
	const hex = "0123456789abcdef"
	var b strings.Builder
	for i := range len(text) {
		b.WriteString("%" + string(hex[text[i]>>4]) + string(hex[text[i]&15]))
	}
	return b.String()
}
