package mcphost_test

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

// serveVar makes the test binary an MCP server on stdio.
const serveVar = "GLYPHOXA_TEST_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(serveVar) != "" {
		if err := testServer().Run(context.Background(), &sdk.StdioTransport{}); err != nil {
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	if err := flag.Set("test.parallel", "6"); err != nil { // they wait for programs more than they compute
		panic(err)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if err := hostile.remove(); err != nil && code == 0 {
			code = 1
		}
		os.Exit(code)
	}))
}

type echoIn struct {
	Text string `json:"text"`
}

func testServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	text := func(t string) *sdk.CallToolResult {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: t}}}
	}
	sdk.AddTool(s, &sdk.Tool{Name: "echo", Description: "says\u200b it \x1b[31magain", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *sdk.CallToolRequest, in echoIn) (*sdk.CallToolResult, any, error) {
			return text(in.Text), nil, nil
		})
	sdk.AddTool(s, &sdk.Tool{Name: "env"}, func(_ context.Context, _ *sdk.CallToolRequest, in echoIn) (*sdk.CallToolResult, any, error) {
		return text(strings.Join(os.Environ(), "\n")), nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "fail"}, func(context.Context, *sdk.CallToolRequest, echoIn) (*sdk.CallToolResult, any, error) {
		return nil, nil, errors.New("the well is dry")
	})
	sdk.AddTool(s, &sdk.Tool{Name: "die"}, func(context.Context, *sdk.CallToolRequest, echoIn) (*sdk.CallToolResult, any, error) {
		return nil, nil, syscall.Kill(os.Getpid(), syscall.SIGKILL)
	})
	return s
}

func stdioConfig(t *testing.T, name string) config.MCPServerConfig {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return config.MCPServerConfig{
		Name: name, Transport: config.TransportStdio, Command: exe, Args: []string{"-test.run=none"},
		Env: map[string]config.Secret{serveVar: "1"},
	}
}

func waitFor(t *testing.T, h *mcphost.Host, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(watchdog)
	for {
		changed := h.Changed()
		if ok() {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

func TestStdioServer(t *testing.T) {
	t.Setenv("GLYPHOXA_SECRET", "hunter2")
	h := newHost(t, noop("echo", true))
	if err := h.RegisterServer(t.Context(), stdioConfig(t, "peer")); err != nil {
		t.Fatal(err)
	}
	if got := names(h.AvailableTools(mcp.BudgetDeep)); got != "die echo env fail peer_echo" {
		t.Errorf("tools = %s, want the taken name prefixed", got)
	}
	if got := names(h.AvailableTools(mcp.BudgetFast)); got != "echo" {
		t.Errorf("FAST = %s, want no tool nobody measured", got)
	}
	res, err := h.ExecuteTool(t.Context(), "peer_echo", `{"text":"hi\u200b there"}`)
	if err != nil || res.Text != "hi there" {
		t.Errorf("peer_echo = %q, %v, want cleaned text", res.Text, err)
	}
	res, err = h.ExecuteTool(t.Context(), "env", `{"text":""}`)
	if err != nil || strings.Contains(res.Text, "hunter2") || !strings.Contains(res.Text, serveVar) || !strings.Contains(res.Text, "PATH=") {
		t.Errorf("environment of the server = %q, %v, want PATH and its own variables alone", res.Text, err)
	}
	res, err = h.ExecuteTool(t.Context(), "fail", `{"text":""}`)
	if err != nil || !res.IsError || !strings.Contains(res.Text, "the well is dry") {
		t.Errorf("fail = %+v, %v, want a result with IsError", res, err)
	}
	if _, err = h.ExecuteTool(t.Context(), "peer_echo", `{}`); !errors.Is(err, mcp.ErrInvalidArguments) {
		t.Errorf("err = %v, want ErrInvalidArguments", err)
	}
	for _, d := range h.AvailableTools(mcp.BudgetDeep) {
		if d.Name == "peer_echo" && d.Description != "says it again" {
			t.Errorf("description = %q, want it cleaned", d.Description)
		}
	}
}

func TestDeadServerTakesItsToolsAlongAndReturns(t *testing.T) {
	h := newHost(t)
	if err := h.RegisterServer(t.Context(), stdioConfig(t, "peer")); err != nil {
		t.Fatal(err)
	}
	ts := h.Toolset(mcphost.ToolsetOptions{Allow: []string{"echo", "die"}, Tier: mcp.BudgetDeep})
	before := h.Changed()
	if _, err := ts.Execute(t.Context(), "die", `{"text":""}`); !errors.Is(err, mcp.ErrUnavailable) {
		t.Errorf("calling the killed server = %v, want ErrUnavailable", err)
	}
	<-before
	if _, err := ts.Execute(t.Context(), "echo", `{"text":"x"}`); !errors.Is(err, mcp.ErrUnavailable) {
		t.Errorf("a toolset older than the death executes: %v", err)
	}
	waitFor(t, h, "the server comes back", func() bool { return len(h.AvailableTools(mcp.BudgetDeep)) > 0 })
	if res, err := h.ExecuteTool(t.Context(), "echo", `{"text":"back"}`); err != nil || res.Text != "back" {
		t.Errorf("echo after the restart = %q, %v", res.Text, err)
	}
}

func TestBadServersAreReportedNotFatal(t *testing.T) {
	h := newHost(t)
	for name, cfg := range map[string]config.MCPServerConfig{
		"unknown transport": {Name: "a", Transport: "pigeon"},
		"open quote":        {Name: "b", Transport: config.TransportStdio, Command: `server "x`},
		"empty command":     {Name: "c", Transport: config.TransportStdio},
		"no url":            {Name: "d", Transport: config.TransportStreamableHTTP, URL: "tools.example.com"},
	} {
		if err := h.RegisterServer(t.Context(), cfg); err == nil || errors.Is(err, mcp.ErrUnavailable) {
			t.Errorf("%s: err = %v, want a configuration error", name, err)
		}
	}
	missing := config.MCPServerConfig{Name: "gone", Transport: config.TransportStdio, Command: "/no/such/server"}
	if err := h.RegisterServer(t.Context(), missing); !errors.Is(err, mcp.ErrUnavailable) {
		t.Errorf("err = %v, want ErrUnavailable", err)
	}
	if err := h.RegisterServer(t.Context(), missing); err == nil || errors.Is(err, mcp.ErrUnavailable) {
		t.Errorf("registering twice = %v, want the name to be taken", err)
	}
	if s := h.Servers(); len(s) != 1 || s[0].State == "ready" {
		t.Errorf("servers = %+v, want one that is not ready", s)
	}
}

func TestStreamableHTTPServer(t *testing.T) {
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return testServer() }, nil)
	var auth []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a := r.Header.Get("Authorization"); a != "Bearer s3cret" {
			auth = append(auth, a)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	defer srv.Close()
	var log strings.Builder
	h := mcphost.New(mcphost.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	cfg := config.MCPServerConfig{Name: "web", Transport: config.TransportStreamableHTTP, URL: srv.URL, Auth: config.MCPAuth{Token: "Bearer s3cret"}}
	if err := h.RegisterServer(t.Context(), cfg); !errors.Is(err, mcp.ErrUnavailable) || !strings.Contains(err.Error(), "allow_private") {
		t.Errorf("a loopback url without allow_private: err = %v, want advice", err)
	}
	cfg.Name, cfg.AllowPrivate = "web2", true
	if err := h.RegisterServer(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	if res, err := h.ExecuteTool(t.Context(), "echo", `{"text":"over http"}`); err != nil || res.Text != "over http" {
		t.Errorf("echo = %q, %v", res.Text, err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if len(auth) > 0 {
		t.Errorf("requests without the token: %q", auth)
	}
	if strings.Contains(log.String(), "s3cret") {
		t.Error("the token is in the log")
	}
}
