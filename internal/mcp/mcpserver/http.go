package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/observe"
)

// Bounds of the network transports.
const (
	headerTime  = 10 * time.Second // to send the headers
	bodyTime    = 30 * time.Second // to send the body after them
	idleTime    = 2 * time.Minute  // between two requests of a connection
	sessionTime = 10 * time.Minute // between two requests of a session
	maxHeader   = 32 << 10         // bytes of all headers
	eventBytes  = 32 << 20         // of events kept for clients that reconnect
)

// newestProtocol is the first revision without sessions; its clients name the revision in a header of every
// request.
const (
	newestProtocol  = "2026-07-28"
	protocolHeader  = "Mcp-Protocol-Version"
	sessionHeader   = "Mcp-Session-Id"
	defaultSessions = 1000
)

// socketClosing bounds the closing handshake of a stranger's WebSocket, because many may have to be closed at
// once.
const socketClosing = 100 * time.Millisecond

// WebOptions configures the network transports.
type WebOptions struct {
	// Gatekeeper identifies callers. Required.
	Gatekeeper *access.Gatekeeper
	// Guard refuses unknown hosts and origins. Its Addr is filled in.
	Guard access.Guard
	// Limits bound requests and sessions; zero values mean the defaults.
	Limits config.Limits
	// Metrics and Health are served if not nil.
	Metrics *observe.Metrics
	Health  *observe.Health
	// Site serves all other paths with pages for people, if not nil. It identifies its callers itself, with
	// the gatekeeper.
	Site http.Handler

	bodyTime time.Duration // time for receiving a body; 0 means the constant
}

// Web serves a Server over streamable HTTP at /mcp and WebSocket at /ws.
type Web struct {
	server   *Server
	o        WebOptions
	listener net.Listener
	http     *http.Server
	mcp      http.Handler // behind identification
	answered answered
	intake   intake
	sockets  sync.WaitGroup
	stop     context.Context // ends when sockets must end
	halt     context.CancelFunc

	sessions    sessions
	requests    *quota // requests being answered
	connections *quota
	held        sync.Map // net.Conn to *holding
}

// Listen opens the listener and prepares the handlers. Call [Web.Serve] to serve requests.
func (s *Server) Listen(ctx context.Context, addr string, o WebOptions) (*Web, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w; choose another address with --listen or server.listen", addr, plainListen(err))
	}
	if o.Limits.Sessions <= 0 {
		o.Limits.Sessions = defaultSessions
	}
	if o.Limits.Body <= 0 {
		o.Limits.Body = defaultBody
	}
	o.Guard.Addr = l.Addr().String()
	w := &Web{server: s, o: o, listener: l, intake: intake{max: o.Limits.Body, shares: newShares(o.Limits.Body)}}
	w.sessions.quota = newQuota("sessions", sessionBounds(o.Limits.Sessions))
	w.requests = newQuota("requests at once", requestBounds())
	w.connections = newQuota("connections", connectionBounds())
	w.stop, w.halt = context.WithCancel(context.WithoutCancel(ctx))
	w.mcp = w.attended(vouchedFor(s.judged(w.streamable())))
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	w.answered.end = end
	w.http = &http.Server{
		BaseContext: func(net.Listener) context.Context { return life },
		ConnContext: w.openConnection, ConnState: w.followConnection,
		Handler: w.routes(), ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(s.o.Logger.Handler(), slog.LevelDebug),
	}
	if o.Metrics != nil {
		if err := w.gauges(o.Metrics); err != nil {
			return nil, errors.Join(err, l.Close())
		}
	}
	return w, nil
}

// plainListen returns the underlying reason of a listen error.
func plainListen(err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Err != nil {
		return op.Err
	}
	return err
}

func (w *Web) gauges(m *observe.Metrics) error {
	return m.Gauge("glyphoxa_sessions", "Sessions of outside clients that are open.", func() float64 { return float64(w.sessions.open()) })
}

// Addr is the address the server listens on, as host:port.
func (w *Web) Addr() string { return w.listener.Addr().String() }

// Serve serves until ctx ends. It then refuses new requests and gives running calls ten seconds to finish.
func (w *Web) Serve(ctx context.Context) error {
	var memory sync.WaitGroup
	defer memory.Wait()
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	memory.Go(func() { w.intake.shares.returnMemory(life) })
	memory.Go(func() { w.endIdle(life) })
	failed := make(chan error, 1)
	go func() { failed <- w.http.Serve(framedListener{w.listener, w.recordFraming}) }() // ends with Shutdown or Close
	select {
	case err := <-failed:
		w.halt()
		w.answered.end()
		w.closeSessions()
		w.sockets.Wait()
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	return errors.Join(w.drain(), ignoreClosed(<-failed))
}

func ignoreClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

func (w *Web) routes() http.Handler {
	mux := http.NewServeMux()
	endpoint := w.identified(w.withinQuotas(w.bounded(w.atOnce(w.mcp))))
	mux.Handle("/mcp", endpoint)
	mux.Handle("/mcp/{$}", endpoint)
	mux.HandleFunc("/ws", w.websocket)
	if w.o.Health != nil {
		mux.Handle("/healthz", w.o.Health.Live())
		mux.Handle("/readyz", w.o.Health.Ready())
	}
	if w.o.Metrics != nil {
		mux.Handle("/metrics", w.identified(w.metrics(w.o.Metrics.Handler())))
	}
	if meta := w.o.Gatekeeper.Metadata(); meta != nil {
		mux.Handle(access.MetadataPath, meta)
		mux.Handle(access.MetadataPath+"/", meta)
	}
	if w.o.Site != nil {
		mux.Handle("/", w.o.Site)
	}
	return w.busied(w.guarded(mux))
}

// guarded refuses requests that no legitimate client sends, and sends CORS headers to allowed pages.
func (w *Web) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("X-Content-Type-Options", "nosniff")
		w.patient(rw, r)
		if err := twice(r); err != nil {
			w.recordUnidentified(r, byFraming, err)
			rw.Header().Set("Connection", "close")
			http.Error(rw, err.Error(), http.StatusBadRequest)
			return
		}
		if err := w.o.Guard.Check(r); err != nil {
			w.refuse(rw, r, err)
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" {
			h := rw.Header()
			h.Set("Access-Control-Allow-Origin", origin)
			h.Add("Vary", "Origin")
			h.Set("Access-Control-Expose-Headers", sessionHeader+", WWW-Authenticate, Retry-After")
			if r.Method == http.MethodOptions {
				h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
				h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Method, Mcp-Name, "+sessionHeader+", "+protocolHeader)
				h.Set("Access-Control-Max-Age", "600")
				rw.WriteHeader(http.StatusNoContent)
				return
			}
		}
		next.ServeHTTP(rw, r)
	})
}

// refuse answers a refused request. It records missing and invalid tokens, unknown host names and forbidden
// origins. A caller with too many failures must reconnect for each further request.
func (w *Web) refuse(rw http.ResponseWriter, r *http.Request, err error) {
	switch {
	case access.RefusesToken(err):
		w.recordUnidentified(r, byToken, err)
	case errors.Is(err, access.ErrUnauthorized):
		w.recordUnidentified(r, byNoToken, err)
	case errors.Is(err, access.ErrHost):
		w.recordUnidentified(r, byHost, err)
	case errors.Is(err, access.ErrOrigin):
		w.recordUnidentified(r, byOrigin, err)
	}
	if errors.Is(err, access.ErrTooMany) {
		rw.Header().Set("Connection", "close")
	}
	if c := w.o.Gatekeeper.Challenge(r, err); c != "" {
		rw.Header().Set("WWW-Authenticate", c)
	}
	if d := access.RetryAfter(err); d > 0 {
		rw.Header().Set("Retry-After", strconv.Itoa(int(d.Seconds())))
	}
	http.Error(rw, oneLine(err.Error()), access.Status(err))
}

type vouchKey struct{}

// identified identifies the caller.
func (w *Web) identified(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		subject, term, err := w.o.Gatekeeper.Admit(r)
		if err != nil {
			w.refuse(rw, r, err)
			return
		}
		ctx, end := term.Within(r.Context()) // streams and running calls end with the token
		defer end()
		r = r.WithContext(context.WithValue(access.WithSubject(ctx, subject), vouchKey{}, &peer{subject: subject, term: term}))
		if why := w.claimConnection(r, subject); why != nil {
			rw.Header().Set("Connection", "close")
			w.refuseOverQuota(rw, r, targetConnect, why)
			return
		}
		next.ServeHTTP(rw, r)
	})
}

// vouchedFor passes the identified caller to the SDK, so that the SDK binds sessions to that caller.
func vouchedFor(next http.Handler) http.Handler {
	vouch := func(ctx context.Context, _ string, _ *http.Request) (*auth.TokenInfo, error) {
		p, ok := ctx.Value(vouchKey{}).(*peer)
		if !ok {
			return nil, auth.ErrInvalidToken
		}
		return p.tokenInfo(&p.reached), nil
	}
	bound := auth.RequireBearerToken(vouch, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(next)
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		r = r.WithContext(r.Context())
		r.Header = r.Header.Clone()
		r.Header.Set("Authorization", "Bearer identified") // the token itself goes no further
		bound.ServeHTTP(rw, r)
	})
}

// streamable serves both generations of the protocol at one address, because one handler of the SDK cannot.
func (w *Web) streamable() http.Handler {
	server := func(*http.Request) *sdk.Server { return w.server.sdk }
	events := sdk.NewMemoryEventStore(nil)
	events.SetMaxBytes(eventBytes)
	sessions := sdk.NewStreamableHTTPHandler(server, &sdk.StreamableHTTPOptions{
		Logger: w.server.o.Logger, EventStore: events, SessionTimeout: sessionTime,
		MaxRequestBodyBytes: w.o.Limits.Body, DisableLocalhostProtection: true, // the guard checks host names
	})
	stateless := sdk.NewStreamableHTTPHandler(server, &sdk.StreamableHTTPOptions{
		Stateless: true, Logger: w.server.o.Logger, PropagateRequestCancellation: true,
		MaxRequestBodyBytes: w.o.Limits.Body, DisableLocalhostProtection: true,
	})
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get(protocolHeader) >= newestProtocol {
			stateless.ServeHTTP(rw, r)
			return
		}
		if r.Method == http.MethodPost {
			late := &lateFlush{ResponseWriter: rw}
			defer late.endResponse()
			rw = late
		}
		sessions.ServeHTTP(rw, r)
	})
}

// metrics serves metrics to callers who may read the audit log, and to this machine.
func (w *Web) metrics(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		s := access.SubjectFrom(r.Context())
		err := w.server.catalog.permits(r.Context(), targetMetrics, access.AuditRead)
		if why, denied := errors.AsType[*mcp.Refusal](err); s.Name != access.Anonymous && err != nil {
			if denied {
				w.server.dispatcher.recordRequest(r.Context(), targetMetrics, why)
			}
			http.Error(rw, "metrics need the permission "+access.AuditRead, http.StatusForbidden)
			return
		}
		next.ServeHTTP(rw, r)
	})
}
