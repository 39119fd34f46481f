package voice

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	guildID   = "1000"
	botID     = "2000"
	channelA  = "3001"
	channelB  = "3002"
	aliceID   = "4001"
	bobID     = "4002"
	botSSRC   = 7
	aliceSSRC = 101
)

// fakeNet is an in-memory network of voice servers, for virtual time.
type fakeNet struct {
	dials   chan *fakeGateway // each connection to a gateway
	media   chan *fakeMedia
	refuse  func(url string) error
	noMedia error
	alive   bool // answers heartbeats automatically
}

func (n *fakeNet) dialGateway(ctx context.Context, url string) (socket, error) {
	if n.refuse != nil {
		if err := n.refuse(url); err != nil {
			return nil, err
		}
	}
	g := &fakeGateway{url: url, alive: n.alive, toBot: make(chan inbound, 256), fromBot: make(chan said, 256), gone: make(chan struct{})}
	select {
	case n.dials <- g:
		return g, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (n *fakeNet) dialMedia(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
	if n.noMedia != nil {
		return nil, n.noMedia
	}
	m := &fakeMedia{addr: addr, toBot: make(chan []byte, 4096), fromBot: make(chan []byte, 4096), closed: make(chan struct{}), woken: make(chan struct{}, 1)}
	n.media <- m
	return m, nil
}

// said is a message from the bot.
type said struct {
	op     int
	binary bool
	data   json.RawMessage
	at     time.Time
}

// fakeGateway is the server's end of a gateway connection. It is also the bot's socket.
type fakeGateway struct {
	url     string
	alive   bool // answers heartbeats automatically
	toBot   chan inbound
	fromBot chan said
	stalled atomic.Pointer[chan struct{}] // blocks writes until it is closed
	once    sync.Once
	gone    chan struct{} // closed once the bot disconnects
	code    int           // close code from the bot
}

func (g *fakeGateway) read(ctx context.Context) (bool, []byte, error) {
	select {
	case m := <-g.toBot:
		return m.isBinary, m.data, m.err
	case <-ctx.Done():
		return false, nil, ctx.Err()
	case <-g.gone:
		return false, nil, net.ErrClosed
	}
}

func (g *fakeGateway) write(ctx context.Context, isBinary bool, data []byte) error {
	m := said{binary: isBinary, at: time.Now()}
	if isBinary {
		m.op, m.data = int(data[0]), append([]byte(nil), data[1:]...)
	} else {
		var e struct {
			Op int             `json:"op"`
			D  json.RawMessage `json:"d"`
		}
		if err := json.Unmarshal(data, &e); err != nil {
			panic(err)
		}
		m.op, m.data = e.Op, e.D
	}
	if m.op == opHeartbeat && g.alive {
		g.acknowledge(m)
		return nil
	}
	if wait := g.stalled.Load(); wait != nil {
		select {
		case <-*wait:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	select {
	case <-g.gone:
		return net.ErrClosed
	case g.fromBot <- m:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stall blocks writes until unstall.
func (g *fakeGateway) stall() {
	wait := make(chan struct{})
	g.stalled.Store(&wait)
}

func (g *fakeGateway) unstall() { close(*g.stalled.Swap(nil)) }

func (g *fakeGateway) close(code int) { g.once.Do(func() { g.code = code; close(g.gone) }) }
func (g *fakeGateway) drop()          { g.close(0) }

func (g *fakeGateway) say(op int, d any) { g.sayNumbered(op, d, noSeq) }

func (g *fakeGateway) sayNumbered(op int, d any, seq int64) {
	m := map[string]any{"op": op, "d": d}
	if seq != noSeq {
		m["seq"] = seq
	}
	data, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	g.toBot <- inbound{data: data}
}

func (g *fakeGateway) sayBinary(seq uint16, op byte, payload string) {
	data := append(binary.BigEndian.AppendUint16(nil, seq), op)
	g.toBot <- inbound{isBinary: true, data: append(data, payload...)}
}

// hangUp closes the connection with a code, or drops it if the code is 0.
func (g *fakeGateway) hangUp(code int) {
	if code == 0 {
		g.toBot <- inbound{err: errors.New("connection reset")}
		return
	}
	g.toBot <- inbound{err: closedError{code}}
}

// fakeMedia is the server's end of a UDP connection. It is also the bot's net.Conn.
type fakeMedia struct {
	addr    netip.AddrPort
	toBot   chan []byte
	fromBot chan []byte
	once    sync.Once
	closed  chan struct{}

	mu       sync.Mutex // guards the field below
	deadline time.Time
	woken    chan struct{}
}

func (m *fakeMedia) Read(b []byte) (int, error) {
	for {
		m.mu.Lock()
		deadline := m.deadline
		m.mu.Unlock()
		timer := newStoppedTimer()
		if !deadline.IsZero() {
			timer.Reset(time.Until(deadline))
		}
		select {
		case p := <-m.toBot:
			timer.Stop()
			return copy(b, p), nil
		case <-m.closed:
			timer.Stop()
			return 0, net.ErrClosed
		case <-timer.C:
			return 0, os.ErrDeadlineExceeded
		case <-m.woken:
			timer.Stop()
		}
	}
}

func (m *fakeMedia) SetReadDeadline(t time.Time) error {
	m.mu.Lock()
	m.deadline = t
	m.mu.Unlock()
	select {
	case m.woken <- struct{}{}:
	default:
	}
	return nil
}

func (m *fakeMedia) Write(b []byte) (int, error) {
	select {
	case <-m.closed:
		return 0, net.ErrClosed
	case m.fromBot <- append([]byte(nil), b...):
		return len(b), nil
	}
}

func (m *fakeMedia) Close() error                     { m.once.Do(func() { close(m.closed) }); return nil }
func (m *fakeMedia) LocalAddr() net.Addr              { return net.UDPAddrFromAddrPort(m.addr) }
func (m *fakeMedia) RemoteAddr() net.Addr             { return net.UDPAddrFromAddrPort(m.addr) }
func (m *fakeMedia) SetDeadline(time.Time) error      { return nil }
func (m *fakeMedia) SetWriteDeadline(time.Time) error { return nil }

// table is a bot's connection and its surroundings, in a synctest bubble.
type table struct {
	t     *testing.T
	c     *Conn
	net   *fakeNet
	stop  context.CancelFunc
	ended chan error // result of Run

	modes []string
	key   []byte
	dave  int

	mu     sync.Mutex // guards the fields below
	moves  []string
	events []Event
	heard  []heardPacket
	// answer reacts to a move as the main gateway does. Nil stays silent.
	answer func(channel string)
	wish   func(channel string) error
}

type heardPacket struct {
	user string
	Packet
}

func (p heardPacket) String() string { return fmt.Sprintf("%s:%d %q", p.user, p.Seq, p.Payload) }

// newTable starts a connection whose main gateway admits the bot everywhere.
func newTable(t *testing.T, tweak func(*table)) *table {
	tb := &table{
		t: t, net: &fakeNet{dials: make(chan *fakeGateway, 16), media: make(chan *fakeMedia, 16)},
		modes: []string{XChaCha20Poly1305, AES256GCM}, key: make([]byte, KeySize), ended: make(chan error, 1),
	}
	for i := range tb.key {
		tb.key[i] = byte(i)
	}
	tb.answer = func(channel string) { tb.admit(channel, "session-1", "voice.example:443", "token-1") }
	tb.c = New(Options{
		Guild: guildID, User: botID, Move: tb.move,
		OnPacket: func(user string, p Packet) {
			tb.mu.Lock()
			defer tb.mu.Unlock()
			tb.heard = append(tb.heard, heardPacket{user, p})
		},
		OnEvent: func(e Event) {
			tb.mu.Lock()
			defer tb.mu.Unlock()
			tb.events = append(tb.events, e)
		},
		Logger: slog.New(slog.DiscardHandler),
	})
	tb.c.net = tb.net
	if tweak != nil {
		tweak(tb)
	}
	ctx, cancel := context.WithCancel(context.Background())
	tb.stop = cancel
	go func() { tb.ended <- tb.c.Run(ctx) }()
	return tb
}

func (tb *table) move(_ context.Context, channel string) error {
	tb.mu.Lock()
	tb.moves = append(tb.moves, channel)
	answer, wish := tb.answer, tb.wish
	tb.mu.Unlock()
	if wish != nil {
		if err := wish(channel); err != nil {
			return err
		}
	}
	if answer != nil {
		answer(channel)
	}
	return nil
}

// admit sends the bot its voice state, and its server unless the channel is empty.
func (tb *table) admit(channel, session, endpoint, token string) {
	if channel == "" {
		tb.c.UpdateState(State{})
		return
	}
	tb.c.UpdateState(State{Channel: channel, Session: session})
	tb.c.UpdateServer(Server{Token: token, Endpoint: endpoint})
}

// close ends the connection and checks that Run returns nil.
func (tb *table) close() {
	tb.t.Helper()
	tb.stop()
	if err := <-tb.ended; err != nil {
		tb.t.Errorf("Run returned %v", err)
	}
}

func (tb *table) take() ([]string, []Event, []heardPacket) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	moves, events, heard := tb.moves, tb.events, tb.heard
	tb.moves, tb.events, tb.heard = nil, nil, nil
	return moves, events, heard
}

// join starts a Join and returns the channel for its result.
func (tb *table) join(channel string) chan error {
	done := make(chan error, 1)
	go func() { done <- tb.c.Join(context.Background(), channel) }()
	return done
}

// dial returns the next connection to a gateway.
func (tb *table) dial() *fakeGateway {
	tb.t.Helper()
	select {
	case g := <-tb.net.dials:
		return g
	case <-time.After(time.Minute):
		tb.t.Fatal("no connection to the voice gateway within a minute")
		return nil
	}
}

// expect returns the next message with an opcode. It answers and skips heartbeats.
func (tb *table) expect(g *fakeGateway, op int) said {
	tb.t.Helper()
	timer := time.NewTimer(time.Minute)
	defer timer.Stop()
	for {
		select {
		case m := <-g.fromBot:
			if m.op == opHeartbeat && op != opHeartbeat {
				g.acknowledge(m)
				continue
			}
			if m.op != op {
				tb.t.Fatalf("the bot sent opcode %d %s, want %d", m.op, m.data, op)
			}
			return m
		case <-timer.C:
			tb.t.Fatalf("no opcode %d within a minute", op)
		}
	}
}

func (g *fakeGateway) acknowledge(m said) {
	var d heartbeatData
	if json.Unmarshal(m.data, &d) == nil {
		g.say(opHeartbeatAck, map[string]any{"t": d.T})
	}
}

// begin plays the server's part of a session start.
func (tb *table) begin(g *fakeGateway) *fakeMedia {
	tb.t.Helper()
	g.say(opHello, map[string]any{"v": 8, "heartbeat_interval": 13750.0})
	tb.expect(g, opIdentify)
	g.say(opReady, map[string]any{"ssrc": botSSRC, "ip": "127.0.0.1", "port": 50000, "modes": tb.modes, "heartbeat_interval": 1})
	m := <-tb.net.media
	d, err := ParseDiscovery(<-m.fromBot)
	if err != nil || d.SSRC != botSSRC {
		tb.t.Fatalf("discovery of %d: %v", d.SSRC, err)
	}
	d.Addr = netip.MustParseAddrPort("203.0.113.9:41000")
	m.toBot <- d.Append(nil)
	var selected selectData
	if err := json.Unmarshal(tb.expect(g, opSelectProtocol).data, &selected); err != nil {
		tb.t.Fatal(err)
	}
	if selected.Protocol != "udp" || selected.Data.Address != "203.0.113.9" || selected.Data.Port != 41000 {
		tb.t.Errorf("selected %+v", selected)
	}
	tb.describe(g, selected.Data.Mode)
	return m
}

func (tb *table) describe(g *fakeGateway, mode string) {
	key := make([]int, len(tb.key))
	for i, b := range tb.key {
		key[i] = int(b)
	}
	g.say(opSessionDescription, map[string]any{"mode": mode, "secret_key": key, "dave_protocol_version": tb.dave})
}

// connect joins channelA.
func (tb *table) connect() (*fakeGateway, *fakeMedia) {
	tb.t.Helper()
	done := tb.join(channelA)
	g := tb.dial()
	m := tb.begin(g)
	if err := <-done; err != nil {
		tb.t.Fatalf("Join: %v", err)
	}
	return g, m
}

// mode returns the mode that the bot chooses.
func (tb *table) mode() string {
	mode, _ := Choose(tb.modes)
	return mode
}

// frame returns an audible frame.
func frame() *audio.Frame {
	var f audio.Frame
	for i := range f {
		f[i] = int16(i%100) * 50
	}
	return &f
}

// inBubble runs a connection's test in virtual time.
func inBubble(t *testing.T, tweak func(*table), test func(t *testing.T, tb *table)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		tb := newTable(t, tweak)
		defer tb.close()
		test(t, tb)
	})
}

// names returns the types of events with their distinguishing values.
func names(events []Event) []string {
	var out []string
	for _, e := range events {
		switch e := e.(type) {
		case Interrupted:
			out = append(out, "Interrupted")
		case Disconnected:
			out = append(out, fmt.Sprintf("Disconnected %d", e.Cause))
		default:
			out = append(out, fmt.Sprintf("%T %+v", e, e)[len("voice."):])
		}
	}
	return out
}
