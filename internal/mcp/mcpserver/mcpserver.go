// Package mcpserver offers the host's registry to outside agents as an MCP
// server: over stdio, streamable HTTP, WebSocket and in-process, with the same
// meaning on each of them. Who calls, what they may see, and what they may
// call is decided in one place, [Server.look].
//
// Imported by internal/app.
package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/policy"
	"github.com/MrWong99/glyphoxa/internal/mcp/resource"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Options configures a Server.
type Options struct {
	// Version and Instructions are told to clients.
	Version, Instructions string
	// Log is told what operators should know. If nil, nobody is.
	Log *slog.Logger
	// Logger receives the SDK's messages. If nil, they are discarded.
	Logger *slog.Logger
	// Policy decides who may do what. Required.
	Policy *policy.Engine
	// Gate governs the server's own methods as the host's gate governs its
	// tools. If nil, they pass.
	Gate mcphost.Gate
	// Prefixed names tools "skill:NAME" and "workflow:NAME" (ruling 14).
	Prefixed bool
	// Compact leaves clients two tools, list_programs and invoke_program.
	Compact bool
	// Campaign is the name under which compact clients know the tools.
	Campaign string
	// Resources and Prompts are served if not nil.
	Resources Resources
	Prompts   Prompts
	// World is kept in sync with clients that ask for it, if not nil.
	World *world.World
	// Refresh reads anew what may have changed on disk, such as workflows. If
	// nil, there is nothing to read.
	Refresh func(context.Context) error
	// PageSize is the most entries of one page of a list; 0 means 100.
	PageSize int
}

// Resources is what clients can read. It is safe for concurrent use.
type Resources interface {
	List(ctx context.Context, v resource.View) ([]*sdk.Resource, error)
	Templates(v resource.View) []*sdk.ResourceTemplate
	// Read returns resource.ErrUnknown for what is not there or hidden.
	Read(ctx context.Context, v resource.View, uri string) (*sdk.ReadResourceResult, error)
	Complete(ctx context.Context, v resource.View, template, argument, prefix string) (values []string, more bool, err error)
}

// Prompts is what clients can have written for them. It is safe for
// concurrent use.
type Prompts interface {
	List(v resource.View) []*sdk.Prompt
	// Get returns prompt.ErrUnknown for what is not there or hidden, and wraps
	// [mcp.ErrInvalidArguments] for bad arguments.
	Get(ctx context.Context, v resource.View, name string, args map[string]string) (*sdk.GetPromptResult, error)
	Complete(ctx context.Context, v resource.View, name, argument, prefix string) (values []string, more bool, err error)
}

const defaultPage = 100

// Server hands the tools of a host to MCP clients and keeps their lists up to
// date. It is safe for concurrent use. Run owns a goroutine per source of
// change; every transport owns its connections.
type Server struct {
	host *mcphost.Host
	o    Options
	sdk  *sdk.Server
	own  map[string]ownTool

	audience *audience
	// fanout serves the feeds of all connections.
	fanout fanout

	mu      sync.Mutex // guards the fields below
	listed  map[string]*sdk.Tool
	written map[string]bool // prompts the SDK knows, by name
}

// New returns a server over host.
func New(host *mcphost.Host, o Options) *Server {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.PageSize <= 0 {
		o.PageSize = defaultPage
	}
	s := &Server{host: host, o: o, fanout: fanout{world: o.World}, listed: map[string]*sdk.Tool{}, audience: newAudience()}
	s.own = s.ownTools()
	info := &sdk.Implementation{Name: "glyphoxa", Title: "Glyphoxa", Version: o.Version}
	s.sdk = sdk.NewServer(info, s.sdkOptions())
	s.sdk.AddReceivingMiddleware(s.receive)
	s.sdk.AddSendingMiddleware(s.send)
	s.PromptsChanged()
	s.addResources()
	s.addMethods()
	s.followFor("")
	s.followFor(memory.Anyone)
	s.list()
	return s
}

func (s *Server) sdkOptions() *sdk.ServerOptions {
	o := &sdk.ServerOptions{
		Instructions: s.o.Instructions, Logger: s.o.Logger, PageSize: s.o.PageSize,
		Capabilities: &sdk.ServerCapabilities{
			Tools: &sdk.ToolCapabilities{ListChanged: true},
		},
	}
	offerLogging(o.Capabilities)
	if s.o.Resources != nil {
		o.Capabilities.Resources = &sdk.ResourceCapabilities{ListChanged: true, Subscribe: true}
		o.SubscribeHandler = s.subscribe
		o.UnsubscribeHandler = func(context.Context, *sdk.UnsubscribeRequest) error { return nil }
	}
	if s.o.Prompts != nil {
		o.Capabilities.Prompts = &sdk.PromptCapabilities{ListChanged: true}
	}
	if s.o.Resources != nil || s.o.Prompts != nil {
		o.CompletionHandler = s.complete
	}
	return o
}

// Run keeps the lists up to date and tells clients what changes, until ctx
// ends. Transports may serve while it runs; it is called once.
func (s *Server) Run(ctx context.Context) error {
	var work sync.WaitGroup
	work.Go(func() { s.follow(ctx) })
	if s.o.World != nil {
		work.Go(func() { s.announce(ctx, &work) })
	}
	work.Wait()
	return nil
}

// follow lists the tools anew whenever the registry or somebody's rights
// change; the SDK then notifies clients.
func (s *Server) follow(ctx context.Context) {
	registry, rights := s.host.Changed(), s.o.Policy.Changed()
	s.list()
	for {
		select {
		case <-ctx.Done():
			return
		case <-registry:
			registry = s.host.Changed()
			s.list()
			s.updated(ctx, uriLatency)
		case <-rights:
			rights = s.o.Policy.Changed()
			s.touch()
			s.PromptsChanged()
		}
	}
}

// list brings the SDK's list up to the registry's: it sends notifications,
// routes calls and checks headers by it. Who is shown what is decided
// elsewhere. Only what differs for clients is touched.
func (s *Server) list() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := map[string]*sdk.Tool{}
	for _, t := range s.everything() {
		now[t.Name] = t
		if old, ok := s.listed[t.Name]; ok && same(old, t) {
			continue
		}
		s.sdk.AddTool(t, s.call)
	}
	for name := range s.listed {
		if _, ok := now[name]; !ok {
			s.sdk.RemoveTools(name)
		}
	}
	s.listed = now
}

// touch makes the SDK say that the list of tools has changed.
func (s *Server) touch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.listed {
		s.sdk.AddTool(t, s.call)
		return
	}
}

// everything are the tools under their outward names, whoever may see them.
func (s *Server) everything() []*sdk.Tool {
	var all []*sdk.Tool
	if !s.o.Compact {
		for _, t := range s.host.Tools(mcp.BudgetDeep) {
			if _, ours := s.own[t.Definition.Name]; !ours {
				all = append(all, s.definition(t))
			}
		}
	}
	for _, t := range s.own {
		all = append(all, t.def)
	}
	return all
}

// same reports whether two definitions look the same to a client, but for the
// latencies, which move with every call.
func same(a, b *sdk.Tool) bool {
	x, y := *a, *b
	x.Meta, y.Meta = nil, nil
	return reflect.DeepEqual(x, y) && a.Meta[metaTier] == b.Meta[metaTier]
}

// ended tells an orderly end of a session from a failure.
func ended(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
		return nil // we were told to stop, or the client has left
	}
	return err
}

// farewell bounds the time open calls get when the server stops.
const farewell = 10 * time.Second

// errStopping is why calls end that outlast the farewell.
var errStopping = fmt.Errorf("the server stops: %w", mcp.ErrClosed)

// uriLatency is the resource that changes when tools come, go or change tier.
const uriLatency = "glyphoxa://tools/latency"
