package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/diceroller"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client connects to a server over host; changed counts list notifications.
func client(t *testing.T, host *mcphost.Host) (session *sdk.ClientSession, changed chan struct{}) {
	t.Helper()
	changed = make(chan struct{}, 16)
	near, far := sdk.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	server := mcpserver.New(host, mcpserver.Options{Version: "test", Instructions: "Be nice."})
	go func() { done <- server.Run(ctx, far) }()
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { changed <- struct{}{} },
	})
	session, err := c.Connect(t.Context(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run = %v", err)
		}
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
	return session, changed
}

func newHost(t *testing.T) *mcphost.Host {
	t.Helper()
	host := mcphost.New()
	for _, def := range diceroller.Tools(diceroller.WithSeed(1)) {
		if err := host.RegisterBuiltin(def); err != nil {
			t.Fatal(err)
		}
	}
	return host
}

func listed(t *testing.T, s *sdk.ClientSession) map[string]*sdk.Tool {
	t.Helper()
	all := map[string]*sdk.Tool{}
	for tool, err := range s.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		all[tool.Name] = tool
	}
	return all
}

func TestDefinitionsAreComplete(t *testing.T) {
	s, _ := client(t, newHost(t))
	roll := listed(t, s)["roll"]
	if roll == nil || roll.Title == "" || roll.Description == "" || roll.InputSchema == nil || roll.OutputSchema == nil {
		t.Fatalf("roll = %+v, want title, description and both schemas", roll)
	}
	if a := roll.Annotations; a == nil || !a.ReadOnlyHint || !a.IdempotentHint || a.OpenWorldHint == nil || *a.OpenWorldHint {
		t.Errorf("annotations = %+v, want read-only, idempotent, closed world", a)
	}
}

func TestCalls(t *testing.T) {
	s, _ := client(t, newHost(t))
	call := func(name string, args any) (*sdk.CallToolResult, error) {
		return s.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
	}
	res, err := call("roll", map[string]any{"expression": "2d6+3"})
	if err != nil || res.IsError {
		t.Fatalf("roll = %+v, %v", res, err)
	}
	text := res.Content[0].(*sdk.TextContent).Text
	structured, err := json.Marshal(res.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	var a, b map[string]any
	if json.Unmarshal([]byte(text), &a) != nil || json.Unmarshal(structured, &b) != nil || a["total"] == nil || a["total"] != b["total"] {
		t.Errorf("text %s and structured content %s differ", text, structured)
	}
	if res.Meta["executionTimeMs"] == nil {
		t.Error("no executionTimeMs in _meta")
	}
	for name, args := range map[string]any{"schema": map[string]any{}, "grammar": map[string]any{"expression": "2x6"}} {
		res, err := call("roll", args)
		if err != nil || !res.IsError || !strings.Contains(res.Content[0].(*sdk.TextContent).Text, "invalid arguments") {
			t.Errorf("%s: roll = %+v, %v, want a result with isError", name, res, err)
		}
	}
	_, err = call("ghost", map[string]any{})
	var wire interface{ Error() string }
	if !errors.As(err, &wire) || !strings.Contains(err.Error(), "ghost") {
		t.Errorf("an unknown tool answers %v, want a protocol error", err)
	}
}

func TestListFollowsTheRegistry(t *testing.T) {
	host := newHost(t)
	s, changed := client(t, host)
	before := listed(t, s)
	wait := func() {
		t.Helper()
		select {
		case <-changed:
		case <-time.After(10 * time.Second):
			t.Fatal("no list_changed")
		}
	}
	err := host.RegisterBuiltin(mcphost.BuiltinTool{
		Definition: llm.ToolDefinition{Name: "late"},
		Handler:    func(context.Context, string) (string, error) { return "plain text", nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	wait()
	after := listed(t, s)
	if before["late"] != nil || after["late"] == nil || after["roll"] == nil {
		t.Errorf("tools before and after: %v, %v", slices.Collect(keys(before)), slices.Collect(keys(after)))
	}
	res, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "late"})
	if err != nil || res.Content[0].(*sdk.TextContent).Text != "plain text" || res.StructuredContent != nil {
		t.Errorf("late = %+v, %v, want plain text alone", res, err)
	}
}

func keys(m map[string]*sdk.Tool) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func TestClosedInputStillGetsItsAnswers(t *testing.T) {
	host := newHost(t)
	defer host.Close()
	ended := make(chan struct{})
	slow := mcphost.BuiltinTool{
		Definition: llm.ToolDefinition{Name: "slow"},
		Handler: func(context.Context, string) (string, error) {
			<-ended // the client has closed its end before the call is done
			return "at last", nil
		},
	}
	if err := host.RegisterBuiltin(slow); err != nil {
		t.Fatal(err)
	}
	in := strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"pipe","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow","arguments":{}}}`, "",
	}, "\n")
	var out bytes.Buffer
	transport := mcpserver.Draining(&sdk.IOTransport{Reader: io.NopCloser(&eofTeller{Reader: strings.NewReader(in), ended: ended}), Writer: nopCloser{&out}})
	if err := mcpserver.New(host, mcpserver.Options{}).Run(t.Context(), transport); err != nil {
		t.Errorf("Run = %v", err)
	}
	if !strings.Contains(out.String(), "at last") {
		t.Errorf("output = %s, want the answer to the call", out.String())
	}
}

// eofTeller closes ended when its reader ends.
type eofTeller struct {
	io.Reader
	ended chan struct{}
	once  sync.Once
}

func (e *eofTeller) Read(p []byte) (int, error) {
	n, err := e.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		e.once.Do(func() { close(e.ended) })
	}
	return n, err
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
