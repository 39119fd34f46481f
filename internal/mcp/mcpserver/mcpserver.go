// Package mcpserver offers the host's registry to outside agents as an MCP server, over stdio, streamable
// HTTP, WebSocket and in-process, with the same semantics on all of them:
//
//	server := mcpserver.New(host, mcpserver.Options{Policy: policy, Gate: gate})
//	web, err := server.Listen(ctx, addr, mcpserver.WebOptions{Gatekeeper: gatekeeper})
//	go server.Run(ctx) // keeps lists up to date
//	err = web.Serve(ctx)
//
// A [Server] consists of parts in files of the same name. The catalog decides what a subject sees and may
// call. The dispatcher runs calls. The finder searches the catalog for clients. resourceMethods,
// promptMethods and completion answer reads. stateSync follows the world, with one feed per connection. The
// notifier announces changes. [Web] serves the network transports. Package access makes all decisions about
// permissions.
//
// A [Conn] carries JSON-RPC messages over newline-delimited JSON or WebSocket. It is a connection for the MCP
// SDK that survives malformed input, bounds the running requests, and answers every request it has read
// before it ends (files wire_*.go). It implements JSON-RPC, not MCP.
//
// A [Library] serves everything besides tools (files resource*.go): the world, its transcripts and the rules
// as resources, and prompts made from them ([PromptLibrary]).
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
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/observe"
	"github.com/MrWong99/glyphoxa/internal/tracing"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Options configures a Server.
type Options struct {
	// Version and Instructions are sent to clients.
	Version, Instructions string
	// Log receives messages for operators. If nil, they are discarded.
	Log *slog.Logger
	// Logger receives the SDK's messages, at a bounded rate. If nil, they are discarded.
	Logger *slog.Logger
	// Policy decides who may do what. Required.
	Policy *access.Engine
	// Gate governs the server's own methods like the host's gate governs tools. If nil, they are always
	// admitted.
	Gate mcphost.Gate
	// Prefixed names tools "skill:NAME" and "workflow:NAME" (docs/adr/0010).
	Prefixed bool
	// Compact reduces the visible tools to two, list_programs and invoke_program.
	Compact bool
	// Campaign is the project name in the answers of compact mode.
	Campaign string
	// Resources and Prompts are served if not nil.
	Resources Resources
	Prompts   Prompts
	// World is synchronised to clients that subscribe to it, if not nil.
	World *world.World
	// Refresh reloads files that may have changed on disk, such as workflows. If nil, there is nothing to
	// reload.
	Refresh func(context.Context) error
	// PageSize is the maximum number of entries on a page of a list; 0 means 100.
	PageSize int
	// Tracer starts the traces of calls. If nil, calls are not traced.
	Tracer *tracing.Tracer
	// FirstList makes lists right after the start wait for external servers.
	FirstList FirstList
}

// Resources serves documents that clients can read. It must be safe for concurrent use.
type Resources interface {
	List(ctx context.Context, v LibraryView) ([]*sdk.Resource, error)
	Templates(v LibraryView) []*sdk.ResourceTemplate
	// Read returns ErrUnknownResource for a document that does not exist or is hidden from the view.
	Read(ctx context.Context, v LibraryView, uri string) (*sdk.ReadResourceResult, error)
	Complete(ctx context.Context, v LibraryView, template, argument, prefix string) (values []string, more bool, err error)
}

// Prompts serves prompt templates for clients. It must be safe for concurrent use.
type Prompts interface {
	List(v LibraryView) []*sdk.Prompt
	// Get returns ErrUnknownPrompt for a prompt that does not exist or is hidden from the view, and wraps
	// [mcp.ErrInvalidArguments] for bad arguments.
	Get(ctx context.Context, v LibraryView, name string, args map[string]string) (*sdk.GetPromptResult, error)
	Complete(ctx context.Context, v LibraryView, name, argument, prefix string) (values []string, more bool, err error)
}

const defaultPage = 100

// Server offers the tools of a host to MCP clients and keeps their lists up to date. It is safe for
// concurrent use. Run owns one goroutine per source of changes; every transport owns its connections.
type Server struct {
	host *mcphost.Host
	o    Options
	sdk  *sdk.Server

	catalog    *catalog
	dispatcher *dispatcher
	resources  *resourceMethods
	prompts    *promptMethods
	sync       *stateSync
	notifier   *notifier
	approvals  approvalNews
	fanout     fanout // serves the feeds of all connections
	streams    *quota // event streams

	mu     sync.Mutex        // guards listed
	listed map[string]listed // tools that the SDK knows, by name
}

// New returns a server for the tools of host.
func New(host *mcphost.Host, o Options) *Server {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Logger = observe.NewLibraryLogs(o.Logger).Logger("mcp/go-sdk")
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.PageSize <= 0 {
		o.PageSize = defaultPage
	}
	c := &catalog{host: host, policy: o.Policy, prefixed: o.Prefixed, compact: o.Compact, pageSize: o.PageSize}
	d := &dispatcher{catalog: c, gate: o.Gate, tracer: o.Tracer, log: o.Log}
	d.rounds = newRounds(d)
	c.own = (&finder{dispatcher: d, campaign: o.Campaign, reread: o.Refresh, pace: &refreshPace{}}).ownTools()
	s := &Server{
		host: host, o: o, catalog: c, dispatcher: d, fanout: fanout{world: o.World}, listed: map[string]listed{},
		resources: &resourceMethods{dispatcher: d, source: o.Resources},
		prompts:   &promptMethods{dispatcher: d, source: o.Prompts},
		sync:      &stateSync{dispatcher: d, world: o.World, polls: newQuota("polls", pollBounds())},
		streams:   newQuota("event streams", streamBounds()),
	}
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: "glyphoxa", Title: "Glyphoxa", Version: o.Version}, s.sdkOptions())
	s.notifier = newNotifier(s.sdk, o.World, s.resources, o.Log)
	s.sdk.AddReceivingMiddleware(s.ofItsRevision, s.receive)
	s.sdk.AddSendingMiddleware(s.notifier.filterSending)
	s.PromptsChanged()
	s.resources.addTo(s.sdk)
	s.sync.addTo(s.sdk)
	s.notifier.followFor("")
	s.notifier.followFor(memory.Anyone)
	s.updateTools()
	c.first = newFirstList(o.FirstList, s.updateTools)
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
		o.SubscribeHandler = s.resources.subscribe
		o.UnsubscribeHandler = func(context.Context, *sdk.UnsubscribeRequest) error { return nil }
	}
	if s.o.Prompts != nil {
		o.Capabilities.Prompts = &sdk.PromptCapabilities{ListChanged: true}
	}
	if s.o.Resources != nil || s.o.Prompts != nil {
		o.CompletionHandler = completion{s.dispatcher, s.o.Resources, s.o.Prompts}.complete
	}
	return o
}

// Run keeps the lists up to date and announces changes to clients until ctx ends. Call it once; transports
// may serve while it runs.
func (s *Server) Run(ctx context.Context) error {
	var work sync.WaitGroup
	work.Go(func() { s.followRegistry(ctx) })
	work.Go(func() { s.followApprovals(ctx) })
	if s.o.World != nil {
		work.Go(func() { s.notifier.announceChanges(ctx, &work) })
	}
	<-ctx.Done()
	s.dispatcher.rounds.close()
	work.Wait()
	return nil
}

// followRegistry updates the tools whenever the registry or permissions change; the SDK then notifies
// clients.
func (s *Server) followRegistry(ctx context.Context) {
	registry, rights := s.host.Changed(), s.o.Policy.Changed()
	s.updateTools()
	for {
		select {
		case <-ctx.Done():
			return
		case <-registry:
			registry = s.host.Changed()
			s.updateTools()
			s.notifier.announceUpdates(ctx, uriLatency)
		case <-rights:
			rights = s.o.Policy.Changed()
			s.announceTools()
			s.PromptsChanged()
		}
	}
}

// listed is a tool that the SDK knows.
type listed struct {
	*sdk.Tool
	revision uint64 // of the registered tool
}

// updateTools updates the SDK's list from the registry. The SDK uses its list for notifications, for routing
// calls and for checking headers, but not for deciding which client sees a tool. Only tools that differ for
// clients are touched.
func (s *Server) updateTools() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := make(map[string]listed, len(s.listed))
	for name, t := range s.catalog.everything() {
		old, ok := s.listed[name]
		if ok && old.revision == t.Revision {
			now[name] = old
			continue
		}
		def := s.catalog.defineAs(name, &t)
		now[name] = listed{def, t.Revision}
		if !ok || !looksSame(old.Tool, def) {
			s.sdk.AddTool(def, s.dispatcher.answerCall)
		}
	}
	for name := range s.listed {
		if _, ok := now[name]; !ok {
			s.sdk.RemoveTools(name)
		}
	}
	s.listed = now
}

// makeCallable adds a tool to the SDK's list if it is missing. The catalog lists a new tool at once, so a
// client can call it before followRegistry has added it.
func (s *Server) makeCallable(name string) {
	s.mu.Lock()
	_, known := s.listed[name]
	s.mu.Unlock()
	if !known {
		s.updateTools()
	}
}

// announceTools makes the SDK announce that the list of tools has changed.
func (s *Server) announceTools() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.listed {
		s.sdk.AddTool(t.Tool, s.dispatcher.answerCall)
		return
	}
}

// PromptsChanged updates the list of prompts from Options.Prompts and notifies clients. It does nothing
// without prompts.
func (s *Server) PromptsChanged() { s.prompts.updateList(s.sdk) }

// SessionChanged notifies subscribers that a line was added to a session, or that it started or ended.
func (s *Server) SessionChanged(ctx context.Context, id string) {
	s.notifier.announceUpdates(ctx, TouchedSessionURIs(id)...)
}

// looksSame reports whether two definitions look the same to a client, apart from latencies, which change
// with every call.
func looksSame(a, b *sdk.Tool) bool {
	x, y := *a, *b
	x.Meta, y.Meta = nil, nil
	return reflect.DeepEqual(x, y) && a.Meta[metaTier] == b.Meta[metaTier]
}

// withoutOrderlyEnd returns nil for the orderly end of a session, else err.
func withoutOrderlyEnd(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
		return nil // we were told to stop, or the client has left
	}
	return err
}

// drainTime bounds the time for running calls when the server stops.
const drainTime = 10 * time.Second

// errStopping is the error of calls that take longer than drainTime.
var errStopping = fmt.Errorf("the server stops: %w", mcp.ErrClosed)

// sourceServer is the source of the server's own methods and tools.
const sourceServer = "server"

// uriLatency is the resource that changes when tools are added, removed or change their tier.
const uriLatency = "glyphoxa://tools/latency"
