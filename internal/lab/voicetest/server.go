package voicetest

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Options configure a Server. The zero value is a voice server without faults.
type Options struct {
	// Heartbeat is the interval that Hello announces. If zero, 13.75 s. A
	// connection silent for one and a half of it is closed.
	Heartbeat time.Duration
	// Modes are the encryption modes that are offered. If nil, both, AES first.
	Modes []string
	// Replay is how many messages a resume can ask for again. If zero, 512; if
	// negative, none.
	Replay int
	// ReplayFirst repeats what was missed before a resume is confirmed.
	ReplayFirst bool
	// FirstSequence is the number of a session's first message. If zero, 1.
	FirstSequence uint16
	// Away is how long a session whose connection broke waits to be resumed. If
	// zero, 15 s. It stays in its channel meanwhile.
	Away time.Duration
	// Transition is how long a transition waits for who is not ready. If zero, 2 s.
	Transition time.Duration
	// AllowPlain lets clients in whose version of DAVE is 0, which takes the
	// channel down to 0 for as long as they stay. Discord refuses them with 4017.
	AllowPlain bool
	// NumberFirst gives the first transition of a group a number, and waits for
	// all to be ready, where Discord has it executed at once.
	NumberFirst bool
	// Arrivals is how many packets of each participant are kept, the last of
	// them. If zero, 3,000, which is a minute.
	Arrivals int
	// Patience bounds every wait of the Go API. If zero, a minute.
	Patience time.Duration
}

func (o *Options) fill() {
	if o.Heartbeat == 0 {
		o.Heartbeat = 13750 * time.Millisecond
	}
	if o.Modes == nil {
		o.Modes = []string{AES256GCM, XChaCha20}
	}
	if o.Replay == 0 {
		o.Replay = 512
	}
	if o.FirstSequence == 0 {
		o.FirstSequence = 1
	}
	if o.Away == 0 {
		o.Away = 15 * time.Second
	}
	if o.Transition == 0 {
		o.Transition = 2 * time.Second
	}
	if o.Arrivals == 0 {
		o.Arrivals = 3000
	}
	if o.Patience == 0 {
		o.Patience = time.Minute
	}
}

// Server is one voice server: all voice channels of a region. Its methods may be
// called by any goroutine.
type Server struct {
	opts    Options
	http    *httptest.Server
	udp     *net.UDPConn
	stop    context.CancelFunc
	stopped <-chan struct{}
	running sync.WaitGroup // the reader of UDP, the watch, and the connections

	sending sync.Mutex // held while packets are sent, never under mu

	mu         sync.Mutex // guards the fields below and everything they reach
	changed    chan struct{}
	admissions map[string]*admission   // by token
	rooms      map[string]*room        // by guild and channel
	ssrcs      map[uint32]*participant // by the ssrc that it was given
	lastSSRC   uint32
	dice       *mathrand.Rand
	swallow    int           // heartbeats to leave unanswered
	deafUDP    int           // discovery packets to lose
	late       time.Duration // by which others are told late who speaks
	later      []delayed
	unsent     []datagram // packets that flush will send
	faults     []string
	overrun    int // faults beyond the bound
}

// delayed is what the watch does once its time has come; s.mu is held.
type delayed struct {
	at time.Time
	do func()
}

// maxFaults bounds the faults that are kept; more are counted.
const maxFaults = 50

// New starts a server that is closed when the test ends. Faults nobody took fail
// the test then.
func New(t testing.TB, o *Options) *Server {
	t.Helper()
	s, err := newServer(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		for _, f := range s.TakeFaults() {
			t.Errorf("Discord's voice: %s", f)
		}
	})
	return s
}

func newServer(o *Options) (*Server, error) {
	s := &Server{
		changed: make(chan struct{}), admissions: map[string]*admission{}, rooms: map[string]*room{}, ssrcs: map[uint32]*participant{},
		lastSSRC: 1000, dice: mathrand.New(mathrand.NewPCG(1, 2)),
	}
	if o != nil {
		s.opts = *o
	}
	s.opts.fill()
	var err error
	if s.udp, err = net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}); err != nil {
		return nil, err
	}
	_ = s.udp.SetReadBuffer(4 << 20) // Less will do.
	_ = s.udp.SetWriteBuffer(4 << 20)
	ctx, cancel := context.WithCancel(context.Background())
	s.stop, s.stopped = cancel, ctx.Done()
	s.http = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	s.http.Config.BaseContext = func(net.Listener) context.Context { return ctx }
	s.http.Config.ErrorLog = log.New(io.Discard, "", 0) // of clients that leave in mid-handshake
	s.http.StartTLS()
	s.running.Add(2)
	go func() { defer s.running.Done(); s.readUDP() }()
	go func() { defer s.running.Done(); s.watch(ctx) }()
	return s, nil
}

// Close ends all connections and waits for them. It may be called twice.
func (s *Server) Close() {
	s.stop()
	_ = s.udp.Close()
	s.http.Close()
	s.running.Wait()
}

// Endpoint returns the host and port of the voice gateway, as
// VOICE_SERVER_UPDATE names it.
func (s *Server) Endpoint() string { return s.http.Listener.Addr().String() }

// CAFile writes the certificate by which clients know every server of this
// package, in PEM, and returns the file's path. It is gone when the test ends.
func (s *Server) CAFile(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "voice-ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.http.Certificate().Raw})
	if err := os.WriteFile(path, block, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TLS returns what a client trusts every server of this package by.
func (s *Server) TLS() *tls.Config {
	pool := x509.NewCertPool()
	pool.AddCert(s.http.Certificate())
	return &tls.Config{RootCAs: pool}
}

// TakeFaults returns the faults so far and forgets them.
func (s *Server) TakeFaults() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.faults
	if s.overrun > 0 {
		all = append(all, fmt.Sprintf("%d more faults", s.overrun))
	}
	s.faults, s.overrun = nil, 0
	return all
}

// AwaitFault returns once there is a fault with a text in it, and forgets all.
func (s *Server) AwaitFault(ctx context.Context, text string) error {
	return s.await(ctx, "a fault with "+text, func() bool {
		if !slices.ContainsFunc(s.faults, func(f string) bool { return strings.Contains(f, text) }) {
			return false
		}
		s.faults = nil
		return true
	})
}

// fault notes what a client did wrong; s.mu is held.
func (s *Server) fault(format string, args ...any) {
	if len(s.faults) == maxFaults {
		s.overrun++
		return
	}
	s.faults = append(s.faults, fmt.Sprintf(format, args...))
	s.touch()
}

// touch wakes everybody who waits for a change; s.mu is held.
func (s *Server) touch() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// await returns once cond, which runs under the lock, reports true.
func (s *Server) await(ctx context.Context, what string, cond func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, s.opts.Patience)
	defer cancel()
	for {
		s.mu.Lock()
		done, changed := cond(), s.changed
		s.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", what, ctx.Err())
		case <-s.stopped:
			return fmt.Errorf("waiting for %s: %w", what, http.ErrServerClosed)
		}
	}
}

// watch does what time demands: it ends silent connections and sessions that
// nobody resumed, executes transitions and sends what was held back.
func (s *Server) watch(ctx context.Context) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-tick.C:
			now := time.Now()
			s.mu.Lock()
			s.forgive(now.Sub(last))
			last = now
			s.pass(now)
			s.mu.Unlock()
			s.flush()
		case <-ctx.Done():
			return
		}
	}
}

// forgive lets a machine that stood still blame nobody for it; s.mu is held.
func (s *Server) forgive(slept time.Duration) {
	if slept < 500*time.Millisecond {
		return
	}
	for _, p := range s.ssrcs {
		p.away = p.away.Add(slept)
		if p.conn != nil {
			p.conn.beat = p.conn.beat.Add(slept)
		}
	}
}

// pass is one round of watch; s.mu is held.
func (s *Server) pass(now time.Time) {
	waiting := s.later[:0]
	var due []delayed
	for _, d := range s.later {
		if d.at.After(now) {
			waiting = append(waiting, d)
		} else {
			due = append(due, d)
		}
	}
	s.later = waiting
	for _, d := range due {
		d.do()
	}
	for _, p := range s.ssrcs {
		p.pass(now)
	}
	for _, r := range s.rooms {
		r.group.pass(now)
	}
}

// after has something done later; s.mu is held then, too.
func (s *Server) after(d time.Duration, do func()) {
	s.later = append(s.later, delayed{time.Now().Add(d), do})
}

// secret returns a random text. It begins with its kind, to be known in messages.
func secret(kind string) string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // It never fails.
	return strings.ReplaceAll(kind, " ", "") + "-" + hex.EncodeToString(b)
}
