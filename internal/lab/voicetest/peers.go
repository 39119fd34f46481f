package voicetest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/peers"
)

// Peers are third-party participants: @discordjs/voice with @snazzah/davey in a
// Node process, which ends with the test.
type Peers struct {
	s        *Server
	patience time.Duration

	writing sync.Mutex // guards stdin
	stdin   io.WriteCloser

	mu      sync.Mutex // guards the fields below and every Peer's state
	changed chan struct{}
	users   map[string]*Peer
	ready   bool
	ended   error // why the process is gone
	orders  int
	stderr  bytes.Buffer
}

// A Gateway is the main gateway's reaction to a participant that joins a
// channel, or leaves for an empty one: it returns the session of the voice
// state and the server's address, or false for no reaction.
type Gateway func(user, channel string) (session string, at Address, ok bool)

// A Heard is a received frame of a user: 20 ms of decrypted Opus.
type Heard struct {
	At      time.Time
	Payload []byte
}

// Silent reports whether it is the frame that ends a spurt.
func (h Heard) Silent() bool { return bytes.Equal(h.Payload, silence) }

// A PeerEvent is a peer's report other than sound.
type PeerEvent struct {
	At     time.Time
	Kind   string // status, transitioned, error or debug
	Text   string // the status, or the message
	Number int    // the transition, or the connection's close code
}

// PeerOptions configure a Peer. The zero value is a client that meets Discord's
// requirements.
type PeerOptions struct {
	// NoDAVE is a client without end-to-end encryption.
	NoDAVE bool
	// Gateway replaces the main gateway. If nil, the Server admits every user
	// who joins, and expels those who leave.
	Gateway Gateway
	// Stage says that the channels are stages, without a Gateway.
	Stage bool
}

// Peer is one participant. Its methods are safe for concurrent use.
type Peer struct {
	all         *Peers
	guild, user string
	opts        PeerOptions

	// guarded by Peers.mu
	session string
	channel string
	status  string
	heard   map[string][]Heard
	events  []PeerEvent
	played  map[int]bool
	codes   []string
}

// maxHeard bounds the stored frames of a speaker, and maxPeerEvents the stored
// events: the oldest are dropped.
const (
	maxHeard      = 100_000
	maxPeerEvents = 10_000
)

// NewPeers starts the process. Its peers can use every server of this package.
func NewPeers(t testing.TB, s *Server) *Peers {
	t.Helper()
	modules := filepath.Dir(filepath.Dir(filepath.Dir(peers.File(t, "@discordjs/voice/package.json"))))
	peers.File(t, "@snazzah/davey/package.json")
	cmd := exec.Command(peers.Node(t), filepath.Join(filepath.Dir(modules), "voice.mjs"))
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "NODE_EXTRA_CA_CERTS=" + s.CAFile(t)}
	ps := &Peers{s: s, patience: s.opts.Patience, changed: make(chan struct{}), users: map[string]*Peer{}}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = &ps.stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ps.stdin = stdin
	read := make(chan struct{})
	go func() { // ends with the process, which the cleanup ends
		defer close(read)
		ps.read(stdout)
	}()
	t.Cleanup(func() {
		_ = stdin.Close() // this ends the process
		timer := time.AfterFunc(5*time.Second, func() { _ = cmd.Process.Kill() })
		<-read
		_ = cmd.Wait()
		timer.Stop()
		if t.Failed() && ps.stderr.Len() > 0 {
			t.Logf("Node: %s", ps.stderr.Bytes())
		}
	})
	if err := ps.await(t.Context(), "Node", func() bool { return ps.ready }); err != nil {
		t.Fatal(err)
	}
	return ps
}

// Add returns a participant of a guild who is not in a channel yet.
func (ps *Peers) Add(guild, user string, o *PeerOptions) *Peer {
	p := &Peer{all: ps, guild: guild, user: user, heard: map[string][]Heard{}, played: map[int]bool{}}
	if o != nil {
		p.opts = *o
	}
	if p.opts.Gateway == nil {
		p.opts.Gateway = p.admit
	}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.users[user] = p
	return p
}

// admit is the default Gateway.
func (p *Peer) admit(user, channel string) (string, Address, bool) {
	if channel == "" {
		p.all.s.Expel(p.guild, user)
		return "", Address{}, false
	}
	session := secret("session")
	at := p.all.s.Admit(Join{Guild: p.guild, Channel: channel, User: user, Session: session, Stage: p.opts.Stage})
	return session, at, true
}

// report is an output line of the process.
type report struct {
	User    string `json:"user"`
	Event   string `json:"event"`
	To      string `json:"to"`
	Reason  int    `json:"reason"`
	From    string `json:"from"`
	Data    []byte `json:"data"`
	ID      int    `json:"id"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Payload struct {
		D struct {
			Channel *string `json:"channel_id"`
		} `json:"d"`
	} `json:"payload"`
}

// read handles the process's reports until it ends.
func (ps *Peers) read(from io.Reader) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r report
		if json.Unmarshal(lines.Bytes(), &r) != nil {
			continue // Node's own output
		}
		ps.mu.Lock()
		p := ps.users[r.User]
		asked := ps.take(p, r)
		ps.mu.Unlock()
		if asked {
			p.ask(r.Payload.D.Channel)
		}
	}
	ps.mu.Lock()
	ps.ended = errors.New("the Node process has ended")
	ps.touch()
	ps.mu.Unlock()
}

// take records a report and says whether it is for the main gateway.
func (ps *Peers) take(p *Peer, r report) bool {
	defer ps.touch()
	if r.Event == "ready" {
		ps.ready = true
		return false
	}
	if p == nil {
		for _, each := range ps.users {
			each.note(PeerEvent{Kind: r.Event, Text: r.Message})
		}
		return false
	}
	switch r.Event {
	case "gateway":
		return true
	case "packet":
		if h := append(p.heard[r.From], Heard{time.Now(), r.Data}); len(h) > maxHeard {
			p.heard[r.From] = h[1:]
		} else {
			p.heard[r.From] = h
		}
	case "status":
		p.status = r.To
		p.note(PeerEvent{Kind: r.Event, Text: r.To, Number: r.Reason})
	case "played":
		p.played[r.ID] = true
	case "code":
		p.codes = append(p.codes, r.Code)
	default:
		p.note(PeerEvent{Kind: r.Event, Text: r.Message, Number: r.ID})
	}
	return false
}

// note stores an event; Peers.mu must be held.
func (p *Peer) note(e PeerEvent) {
	e.At = time.Now()
	if len(p.events) == maxPeerEvents {
		p.events = p.events[1:]
	}
	p.events = append(p.events, e)
}

// ask passes the peer's opcode 4 to the gateway.
func (p *Peer) ask(channel *string) {
	to := ""
	if channel != nil {
		to = *channel
	}
	session, at, ok := p.opts.Gateway(p.user, to)
	if !ok {
		return
	}
	p.UpdateState(session, to)
	p.UpdateServer(at)
}

func (ps *Peers) touch() {
	close(ps.changed)
	ps.changed = make(chan struct{})
}

// await returns when cond, called under the lock, reports true.
func (ps *Peers) await(ctx context.Context, what string, cond func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, ps.patience)
	defer cancel()
	for {
		ps.mu.Lock()
		done, changed, ended := cond(), ps.changed, ps.ended
		ps.mu.Unlock()
		switch {
		case done:
			return nil
		case ended != nil:
			return fmt.Errorf("waiting for %s: %w", what, ended)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", what, ctx.Err())
		}
	}
}
