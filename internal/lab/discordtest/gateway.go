package discordtest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// Intents select the events that a session receives.
type Intents int

// The intents for which the server sends events.
const (
	IntentGuilds         Intents = 1 << 0
	IntentGuildMembers   Intents = 1 << 1 // privileged
	IntentGuildWebhooks  Intents = 1 << 5
	IntentVoiceStates    Intents = 1 << 7
	IntentPresences      Intents = 1 << 8 // privileged
	IntentGuildMessages  Intents = 1 << 9
	IntentReactions      Intents = 1 << 10
	IntentGuildTyping    Intents = 1 << 11
	IntentDirectMessages Intents = 1 << 12
	IntentDirectTyping   Intents = 1 << 14
	IntentMessageContent Intents = 1 << 15 // privileged

	// AllIntents are all of Discord's: 17 in a row, automatic moderation and
	// polls.
	AllIntents Intents = 1<<17 - 1 | 3<<20 | 3<<24
	// PrivilegedIntents are those that need permission for the application.
	PrivilegedIntents = IntentGuildMembers | IntentPresences | IntentMessageContent
)

// The gateway's opcodes.
const (
	opDispatch       = 0
	opHeartbeat      = 1
	opIdentify       = 2
	opPresence       = 3
	opVoiceState     = 4
	opResume         = 6
	opReconnect      = 7
	opRequestMembers = 8
	opInvalidSession = 9
	opHello          = 10
	opHeartbeatAck   = 11
)

// Discord's close codes of gateway connections.
const (
	CloseUnknownError         = 4000
	CloseUnknownOpcode        = 4001
	CloseDecodeError          = 4002
	CloseNotAuthenticated     = 4003
	CloseAuthenticationFailed = 4004
	CloseAlreadyAuthenticated = 4005
	CloseInvalidSequence      = 4007
	CloseRateLimited          = 4008
	CloseSessionTimedOut      = 4009
	CloseInvalidShard         = 4010
	CloseShardingRequired     = 4011
	CloseInvalidVersion       = 4012
	CloseInvalidIntents       = 4013
	CloseDisallowedIntents    = 4014
)

const (
	maxPayload        = 4096 // bytes in one client payload
	payloadsPerMinute = 120
	maxConnections    = 10000 // connection records that are kept
	controlQueue      = 256   // more than a client can request within the limit
)

// gateway is the state of the main gateway, guarded by Server.mu.
type gateway struct {
	allowed    Intents
	sessions   []*session
	open       []*conn
	records    []*Connection
	identified map[int]time.Time // by shard group
	starts     int               // identifies left of 1,000
	swallow    int               // heartbeats to leave unanswered
	faults     gatewayFaults
}

func (g *gateway) init(o Options) {
	g.allowed = o.Intents
	g.identified = map[int]time.Time{}
	g.starts = 1000
}

// A Connection is the server's record of one gateway connection.
type Connection struct {
	At         time.Time
	Version    int
	Session    string // empty until the client identified or resumed
	Resumed    bool   // the client resumed a session
	Sequence   int    // given at the resume
	Intents    Intents
	Shard      [2]int // id and number
	Compressed bool
	Identify   json.RawMessage // as the client sent it, or nil
	Heartbeats int
	Open       bool
	CloseCode  int  // 0 if there was none
	ByClient   bool // the client closed it
}

// farewell ends a connection; without a code it is dropped.
type farewell struct {
	code   int
	reason string
}

// conn is one connection: its handler reads, and one goroutine writes.
type conn struct {
	s       *Server
	ws      *websocket.Conn
	pack    *packer
	control chan []byte
	wake    chan struct{}
	bye     chan farewell

	// guarded by Server.mu
	record  *Connection
	session *session
	sent    int // events of the session passed to the writer
	beat    time.Time
	leaving bool
	recent  []time.Time // payloads in the last minute
}

// serveGateway runs one connection until it ends.
func (s *Server) serveGateway(w http.ResponseWriter, r *http.Request) {
	s.conns.Add(1) // while the HTTP server still waits for this handler
	defer s.conns.Done()
	s.mu.Lock()
	away := time.Now().Before(s.gateway.faults.away)
	s.mu.Unlock()
	if away {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return // Accept has answered.
	}
	ws.SetReadLimit(1 << 20)
	q := r.URL.Query()
	version, _ := strconv.Atoi(q.Get("v"))
	c := &conn{
		s: s, ws: ws, pack: newPacker(q.Get("compress") == "zlib-stream"),
		control: make(chan []byte, controlQueue), wake: make(chan struct{}, 1), bye: make(chan farewell, 1),
		record: &Connection{At: time.Now(), Version: version, Open: true, Compressed: q.Get("compress") != ""},
		beat:   time.Now(),
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	s.enter(c)
	written := make(chan struct{})
	go func() {
		defer close(written)
		c.write(ctx)
	}()
	code := c.read(ctx)
	cancel()
	<-written
	_ = ws.CloseNow()
	s.leave(c, code)
}

// enter sends the hello of a new connection.
func (s *Server) enter(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := &s.gateway
	g.open = append(g.open, c)
	if len(g.records) < maxConnections {
		g.records = append(g.records, c.record)
	}
	if c.record.Version != 9 && c.record.Version != 10 {
		s.fault("gateway: version %d asked for", c.record.Version)
		c.leave(CloseInvalidVersion, "Invalid API version.")
		return
	}
	c.send(opHello, map[string]any{"heartbeat_interval": s.opts.Heartbeat.Milliseconds()})
	s.touch()
}

// leave removes a connection. If the client closes with 1000 or 1001, its
// session ends; otherwise it can be resumed.
func (s *Server) leave(c *conn, code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gateway.open = slices.DeleteFunc(s.gateway.open, func(o *conn) bool { return o == c })
	c.record.Open = false
	if !c.leaving {
		c.record.CloseCode, c.record.ByClient = code, true
		if c.session != nil && (code == 1000 || code == 1001) {
			c.session.ended = true
		}
	}
	if c.session != nil && c.session.conn == c {
		c.session.conn = nil
	}
	s.touch()
}

// read handles the client's payloads and returns its close code, or 0.
func (c *conn) read(ctx context.Context) int {
	for {
		_, data, err := c.ws.Read(ctx)
		if err != nil {
			var ce websocket.CloseError
			if errors.As(err, &ce) {
				return int(ce.Code)
			}
			return 0
		}
		c.receive(data)
	}
}

// write sends queued payloads until the connection ends.
func (c *conn) write(ctx context.Context) {
	watch := time.NewTicker(c.s.opts.Heartbeat / 2)
	defer watch.Stop()
	for {
		var err error
		select {
		case p := <-c.control:
			if err = c.writeEvents(ctx); err == nil { // Earlier events go out first.
				err = c.put(ctx, p)
			}
		case <-c.wake:
			err = c.writeEvents(ctx)
		case <-watch.C:
			c.checkPulse()
		case f := <-c.bye:
			c.depart(ctx, f)
			return
		case <-ctx.Done():
			return
		}
		if err != nil {
			_ = c.ws.CloseNow()
			return
		}
	}
}

func (c *conn) writeEvents(ctx context.Context) error {
	c.s.mu.Lock()
	var due [][]byte
	if c.session != nil {
		due = c.session.log[c.sent:]
		c.sent = len(c.session.log)
	}
	c.s.mu.Unlock()
	for _, p := range due {
		if err := c.put(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// depart sends the queue and closes. A farewell without a code drops the
// connection as a network failure does.
func (c *conn) depart(ctx context.Context, f farewell) {
	if f.code == 0 {
		_ = c.ws.CloseNow()
		return
	}
	if c.writeEvents(ctx) != nil {
		return
	}
	for len(c.control) > 0 { // Only the writer receives from it.
		if c.put(ctx, <-c.control) != nil {
			return
		}
	}
	_ = c.ws.Close(websocket.StatusCode(f.code), f.reason)
}

// checkPulse closes a connection whose client stopped sending heartbeats.
func (c *conn) checkPulse() {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if time.Since(c.beat) > c.s.opts.Heartbeat*3/2 {
		c.leave(CloseUnknownError, "Heartbeats stopped.")
	}
}

// leave makes the writer close the connection; s.mu must be held.
func (c *conn) leave(code int, reason string) {
	if c.leaving {
		return
	}
	c.leaving = true
	c.record.CloseCode = code
	c.bye <- farewell{code, reason} // has room: only the first gets here
}

// blame closes the connection for an offence of the client.
func (c *conn) blame(code int, reason string) {
	c.s.fault("gateway: %s (closed with %d)", reason, code)
	c.leave(code, reason)
}

// send queues a payload that is not an event; s.mu must be held. It closes the
// connection of a client that does not read.
func (c *conn) send(op int, d any) {
	p := mustJSON(map[string]any{"op": op, "d": d, "s": nil, "t": nil})
	select {
	case c.control <- p:
	default:
		c.leave(CloseRateLimited, "The client does not read.")
	}
}

// gatewayURL returns the URL of a gateway path.
func (s *Server) gatewayURL(path string) string {
	return "ws" + strings.TrimPrefix(s.http.URL, "http") + path
}
