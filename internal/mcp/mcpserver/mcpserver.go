// Package mcpserver offers the host's registry to outside agents as an MCP
// server: over stdio, streamable HTTP, WebSocket and in-process, with the same
// meaning on each of them.
//
// A [Server] is put together from parts, each in a file of its name: the catalog
// knows what a subject is shown and may call, the dispatcher runs what is called,
// the finder searches the catalog for clients, resourceMethods, promptMethods and
// completion answer what is read, stateSync follows the world with a feed per
// connection, and the notifier says what has changed. [Web] holds the network
// transports. Rights are decided by package access alone.
//
// A [Conn] carries JSON-RPC messages over streams of our own: newline-delimited JSON and WebSocket.
// It is a connection of the MCP SDK that outlives malformed input, bounds the requests under way and
// answers all that it read before it ends (files wire_*.go). It knows JSON-RPC, not MCP.
//
// A [Library] holds what the server offers besides tools (files resource*.go): the world, its transcripts and the
// rules as resources, and prompts ([PromptLibrary]) made from them.
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
	// Version and Instructions are told to clients.
	Version, Instructions string
	// Log is told what operators should know. If nil, nobody is.
	Log *slog.Logger
	// Logger receives the SDK's messages, at a bounded rate. If nil, they are discarded.
	Logger *slog.Logger
	// Policy decides who may do what. Required.
	Policy *access.Engine
	// Gate governs the server's own methods as the host's gate governs its
	// tools. If nil, they pass.
	Gate mcphost.Gate
	// Prefixed names tools "skill:NAME" and "workflow:NAME"; docs/adr/0014
	// says why.
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
	// Tracer begins the traces of calls. If nil, none is traced.
	Tracer *tracing.Tracer
	// FirstList is how lists right after the start wait for external servers.
	FirstList FirstList
}

// Resources is what clients can read. It is safe for concurrent use.
type Resources interface {
	List(ctx context.Context, v LibraryView) ([]*sdk.Resource, error)
	Templates(v LibraryView) []*sdk.ResourceTemplate
	// Read returns ErrUnknownResource for what is not there or hidden.
	Read(ctx context.Context, v LibraryView, uri string) (*sdk.ReadResourceResult, error)
	Complete(ctx context.Context, v LibraryView, template, argument, prefix string) (values []string, more bool, err error)
}

// Prompts is what clients can have written for them. It is safe for
// concurrent use.
type Prompts interface {
	List(v LibraryView) []*sdk.Prompt
	// Get returns prompt.ErrUnknown for what is not there or hidden, and wraps
	// [mcp.ErrInvalidArguments] for bad arguments.
	Get(ctx context.Context, v LibraryView, name string, args map[string]string) (*sdk.GetPromptResult, error)
	Complete(ctx context.Context, v LibraryView, name, argument, prefix string) (values []string, more bool, err error)
}

const defaultPage = 100

// Server hands the tools of a host to MCP clients and keeps their lists up to
// date. It is safe for concurrent use. Run owns a goroutine per source of
// change; every transport owns its connections.
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
	streams    *quota // of events

	mu     sync.Mutex        // guards listed
	listed map[string]listed // tools the SDK knows, by name
}

// New returns a server over host.
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

// Run keeps the lists up to date and tells clients what changes, until ctx
// ends. Transports may serve while it runs; it is called once.
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

// followRegistry lists the tools anew whenever the registry or somebody's rights
// change; the SDK then notifies clients.
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

// listed is a tool the SDK knows.
type listed struct {
	*sdk.Tool
	revision uint64 // of the registered tool
}

// updateTools brings the SDK's list up to the registry's: it sends notifications,
// routes calls and checks headers by it. Who is shown what is decided
// elsewhere. Only what differs for clients is touched.
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

// makeCallable adds a tool to the SDK's list if it is missing there: the catalog lists a new
// tool at once, so a client can call it before followRegistry has added it.
func (s *Server) makeCallable(name string) {
	s.mu.Lock()
	_, known := s.listed[name]
	s.mu.Unlock()
	if !known {
		s.updateTools()
	}
}

// announceTools makes the SDK say that the list of tools has changed.
func (s *Server) announceTools() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.listed {
		s.sdk.AddTool(t.Tool, s.dispatcher.answerCall)
		return
	}
}

// PromptsChanged tells the server that Options.Prompts lists others than
// before; clients are notified. It does nothing without prompts.
func (s *Server) PromptsChanged() { s.prompts.updateList(s.sdk) }

// SessionChanged tells subscribers that something was said in a session, or
// that it began or ended.
func (s *Server) SessionChanged(ctx context.Context, id string) {
	s.notifier.announceUpdates(ctx, TouchedSessionURIs(id)...)
}

// looksSame reports whether two definitions look the same to a client, but for the
// latencies, which move with every call.
func looksSame(a, b *sdk.Tool) bool {
	x, y := *a, *b
	x.Meta, y.Meta = nil, nil
	return reflect.DeepEqual(x, y) && a.Meta[metaTier] == b.Meta[metaTier]
}

// withoutOrderlyEnd tells an orderly end of a session from a failure.
func withoutOrderlyEnd(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
		return nil // we were told to stop, or the client has left
	}
	return err
}

// drainTime bounds the time open calls get when the server stops.
const drainTime = 10 * time.Second

// errStopping is why calls end that outlast drainTime.
var errStopping = fmt.Errorf("the server stops: %w", mcp.ErrClosed)

// sourceServer is the source of what the server does itself.
const sourceServer = "server"

// uriLatency is the resource that changes when tools come, go or change tier.
const uriLatency = "glyphoxa://tools/latency"
