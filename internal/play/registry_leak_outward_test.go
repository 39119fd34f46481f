package play_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
)

// outside serves the world to outside agents, one per NPC, and returns a function that asks as
// an NPC: a tool and a resource.
func (w *secretWorld) outside(library *mcpserver.Library, all []tools.Tool) func(viewer, tool, args string, n int) string {
	rules, err := access.New(access.Options{Limits: config.Limits{Burst: 100_000, PerSecond: 100_000, Body: 4 << 20, Sessions: 100}})
	w.must(err)
	log, err := access.OpenLog(w.t.Context(), filepath.Join(w.t.TempDir(), "audit.db"), access.LogOptions{})
	w.must(err)
	g := access.NewGate(rules, log, nil)
	host := mcphost.New(mcphost.WithGate(g))
	for _, x := range all {
		w.must(host.RegisterBuiltin(x))
	}
	server := mcpserver.New(host, mcpserver.Options{Version: "test", Policy: rules, Gate: g, Campaign: "leaks", Resources: library, World: w.live})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Run(ctx) }()
	w.t.Cleanup(func() {
		cancel()
		for _, err := range []error{<-done, host.Close(), log.Close()} {
			if err != nil {
				w.t.Error(err)
			}
		}
	})
	agents := map[string]*sdk.ClientSession{}
	return func(viewer, tool, args string, n int) string {
		if agents[viewer] == nil {
			agents[viewer] = w.connect(server, rules, viewer)
		}
		var b strings.Builder
		res, err := agents[viewer].CallTool(w.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
		if err != nil {
			fmt.Fprint(&b, err)
		} else {
			text, err := json.Marshal(res)
			w.must(err)
			b.Write(text)
		}
		for _, uri := range []string{mcpserver.TranscriptURI(w.session), mcpserver.EntitiesURI(), mcpserver.EntityURI(fmt.Sprintf("thing-%d", n%w.size.entities))} {
			doc, err := agents[viewer].ReadResource(w.t.Context(), &sdk.ReadResourceParams{URI: uri})
			if err != nil {
				continue // this viewer may not see it
			}
			for _, c := range doc.Contents {
				b.WriteString(c.Text)
			}
		}
		return b.String()
	}
}

// connect connects an agent that sees as an NPC does.
func (w *secretWorld) connect(server *mcpserver.Server, rules *access.Engine, viewer string) *sdk.ClientSession {
	profile, ok := rules.Profile("player.full")
	if !ok {
		w.t.Fatal("there is no such profile")
	}
	subject := &access.Subject{Name: "agent-" + viewer, Profile: profile, NPC: viewer, Transport: "test"}
	fromServer, toClient := io.Pipe()
	fromClient, toServer := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, subject, mcpserver.Lines(fromClient, toClient, 0)) }()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(w.t.Context(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	w.must(err)
	w.t.Cleanup(func() {
		_ = session.Close()
		if err := <-done; err != nil {
			w.t.Error(err)
		}
		cancel()
	})
	return session
}
