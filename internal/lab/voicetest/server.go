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
	// Heartbeat is the interval in Hello. Zero means 13.75 s. The server closes
	// a connection silent for one and a half intervals.
	Heartbeat time.Duration
	// Modes are the offered encryption modes. Nil means both, AES first.
	Modes []string
	// Replay is the number of messages a resume can request again. Zero means
	// 512; negative means none.
	Replay int
	// ReplayFirst repeats missed messages before a resume is confirmed.
	ReplayFirst bool
	// FirstSequence is the number of a session's first message. Zero means 1.
	FirstSequence uint16
	// Away is how long a disconnected session can be resumed. Zero means 15 s.
	// It stays in its channel meanwhile.
	Away time.Duration
	// Transition is how long a transition waits for participants that are not
	// ready. Zero means 2 s.
	Transition time.Duration
	// AllowPlain admits clients with DAVE version 0, which downgrade the
	// channel to 0 for as long as they stay. Discord refuses them with 4017.
	AllowPlain bool
	// NumberFirst numbers the first transition of a group, and waits for all to
	// be ready, where Discord executes it at once.
	NumberFirst bool
	// Arrivals is the number of stored packets of each participant, the last
	// ones. Zero means 3,000, which is a minute.
	Arrivals int
	// Patience bounds every wait of the Go API. Zero means a minute.
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

// Server is one voice server: all voice channels of a region. Its methods are
// safe for concurrent use.
type Server struct {
	opts    Options
	http    *httptest.Server
	udp     *net.UDPConn
	stop    context.CancelFunc
	stopped <-chan struct{}
	running sync.WaitGroup // the UDP reader, the watch, and the connections

	sending sync.Mutex // held while packets are sent, never under mu

	mu         sync.Mutex // guards the fields below and everything they reach
	changed    chan struct{}
	admissions map[string]*admission   // by token
	rooms      map[string]*room        // by guild and channel
	ssrcs      map[uint32]*participant // by assigned ssrc
	lastSSRC   uint32
	dice       *mathrand.Rand
	swallow    int           // heartbeats to leave unanswered
	deafUDP    int           // discovery packets to lose
	late       time.Duration // delay of Speaking to others
	later      []delayed
	unsent     []datagram // packets that flush will send
	faults     []string
	overrun    int // faults beyond the bound
}

// delayed is an action of the watch at a time; it runs under s.mu.
type delayed struct {
	at time.Time
	do func()
}

// maxFaults bounds the stored faults; further ones are only counted.
const maxFaults = 50

// New starts a server that is closed when the test ends. Faults that were not
// taken fail the test then.
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
	_ = s.udp.SetReadBuffer(4 << 20) // A smaller buffer also works.
	_ = s.udp.SetWriteBuffer(4 << 20)
	ctx, cancel := context.WithCancel(context.Background())
	s.stop, s.stopped = cancel, ctx.Done()
	s.http = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	s.http.Config.BaseContext = func(net.Listener) context.Context { return ctx }
	s.http.Config.ErrorLog = log.New(io.Discard, "", 0) // from clients that leave during the handshake
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

// Endpoint returns the host and port of the voice gateway, as in
// VOICE_SERVER_UPDATE.
func (s *Server) Endpoint() string { return s.http.Listener.Addr().String() }

// CAFile writes the certificate, in PEM, with which clients trust every server
// of this package, and returns the file's path. The file is removed when the
// test ends.
func (s *Server) CAFile(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "voice-ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.http.Certificate().Raw})
	if err := os.WriteFile(path, block, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TLS returns a client configuration that trusts every server of this package.
func (s *Server) TLS() *tls.Config {
	pool := x509.NewCertPool()
	pool.AddCert(s.http.Certificate())
	return &tls.Config{RootCAs: pool}
}

// TakeFaults returns the faults so far and clears them.
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

// AwaitFault returns when a fault contains a text, and clears all faults.
func (s *Server) AwaitFault(ctx context.Context, text string) error {
	return s.await(ctx, "a fault with "+text, func() bool {
		if !slices.ContainsFunc(s.faults, func(f string) bool { return strings.Contains(f, text) }) {
			return false
		}
		s.faults = nil
		return true
	})
}

// fault records an offence of a client; s.mu must be held.
func (s *Server) fault(format string, args ...any) {
	if len(s.faults) == maxFaults {
		s.overrun++
		return
	}
	s.faults = append(s.faults, fmt.Sprintf(format, args...))
	s.touch()
}

// touch wakes all waiters for a change; s.mu must be held.
func (s *Server) touch() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// await returns when cond, called under the lock, reports true.
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

// watch handles timeouts: it closes silent connections, ends sessions that were
// not resumed, executes transitions and sends delayed packets.
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

// forgive extends all deadlines after a stall of the machine, so that it does
// not count against clients; s.mu must be held.
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

// pass is one round of watch; s.mu must be held.
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

// after schedules an action; it runs under s.mu.
func (s *Server) after(d time.Duration, do func()) {
	s.later = append(s.later, delayed{time.Now().Add(d), do})
}

// secret returns a random text that begins with its kind, so that messages show
// it.
func secret(kind string) string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // cannot fail
	return strings.ReplaceAll(kind, " ", "") + "-" + hex.EncodeToString(b)
}
