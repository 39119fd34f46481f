package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pion/rtp"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
	"github.com/MrWong99/glyphoxa/internal/lab/fakestt"
	"github.com/MrWong99/glyphoxa/internal/lab/visitor"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/web"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

// patience bounds every wait.
const patience = 2 * time.Minute

const home = "home"

// setting is a table in browsers whose model, voices and recognition are on loopback.
type setting struct {
	t       *testing.T
	room    *web.Room
	game    *play.Game
	session *play.Session
	url     string
	feed    *web.Feed
	opus    *opus.Library
	stop    context.CancelFunc // stops the room

	mu     sync.Mutex // guards events
	events []table.Event
}

// setup describes a table.
type setup struct {
	answer    string          // of all NPCs
	hears     *fakestt.Script // nil: no recognition
	voiceless bool
	options   web.RoomOptions
}

// open opens a table with a session until the test ends.
func open(t *testing.T, s setup) *setting {
	t.Helper()
	library, err := opus.Load()
	if err != nil {
		t.Skip("libopus is needed: ", err)
	}
	model := fakeopenai.Start(t, fakeopenai.Always(fakeopenai.Say(s.answer)), nil)
	tts, stt := fmt.Sprintf("{name: openai, api_key: key, base_url: '%s'}", model.URL()), "none"
	if s.voiceless {
		tts = "silent"
	}
	if s.hears != nil {
		stt = fmt.Sprintf("{name: deepgram, api_key: key, base_url: '%s'}", fakestt.Start(t, *s.hears).URL())
	}
	dir := t.TempDir()
	settings := fmt.Sprintf("data_dir: %s\nlanguages: [en]\ncampaign: {name: The Rusty Flagon}\nproviders:\n  llm: {name: openai, model: gpt-4o, api_key: key, base_url: '%s'}\n  tts: %s\n  stt: %s\n"+
		"npcs:\n  - {name: Bartok, role: innkeeper, voice: {id: alloy}}\n", dir, model.URL(), tts, stt)
	path := filepath.Join(dir, "glyphoxa.yaml")
	if err := os.WriteFile(path, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := play.LoadConfig(path)
	if err != nil {
		t.Fatal(err)
	}
	b := &setting{t: t, feed: web.NewFeed(), opus: library}
	s.options.Feed, s.options.Table = b.feed, home
	b.room = web.NewRoom(s.options)
	running, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	b.stop = stop
	ended := make(chan error, 1)
	go func() { ended <- b.room.Run(running) }()
	if b.game, err = play.Open(t.Context(), play.Options{Config: cfg, Onlooker: b, Audience: b.room}); err != nil {
		t.Fatal(err)
	}
	if b.session, err = b.game.StartSession(t.Context(), play.SessionOptions{Sink: b}); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(b.room.Handler(func(r *http.Request) string { return r.RemoteAddr }))
	b.url = server.URL + "/table/"
	t.Cleanup(func() {
		if err := b.session.Close(); err != nil {
			t.Error(err)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := b.game.Close(); err != nil {
			t.Error(err)
		}
		server.Close()
	})
	return b
}

// Emit implements [table.Sink].
func (b *setting) Emit(e table.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = append(b.events, e)
}

func (b *setting) Began(g *play.Game, s *play.Session) { b.room.Began(g, s) }
func (b *setting) Ended(g *play.Game, s *play.Session) { b.room.Ended(g, s) }
func (b *setting) Saw(_ *play.Game, e table.Event)     { b.feed.Add(home, e) }
func (b *setting) Forgot(g *play.Game)                 { b.feed.Forget(home); b.room.Forgot(g) }

// invite returns the invite in the link.
func (b *setting) invite() string {
	_, invite, _ := strings.Cut(b.room.Link(), "#")
	return invite
}

// player is a guest who has joined.
type player struct {
	*visitor.Visitor
	t *testing.T

	mu      sync.Mutex // guards the fields below
	changed chan struct{}
	told    []visitor.Message
	heard   map[int][]int16 // decoded sound by stream
	packets map[int][]*rtp.Packet
	decoded map[int]opus.Decoder
	library *opus.Library
}

// join lets a guest join.
func (b *setting) join(o visitor.Options) (*player, error) {
	p := &player{t: b.t, heard: map[int][]int16{}, packets: map[int][]*rtp.Packet{}, decoded: map[int]opus.Decoder{}, library: b.opus, changed: make(chan struct{})}
	if o.Invite == "" {
		o.Invite = b.invite()
	}
	o.Table, o.Opus, o.Heard, o.Told = b.url, b.opus, p.hear, p.take
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	v, err := visitor.Join(ctx, o)
	p.Visitor = v
	return p, err
}

// enter lets a guest join and closes it at the end of the test.
func (b *setting) enter(name string) *player {
	b.t.Helper()
	p, err := b.join(visitor.Options{Name: name})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		if err := p.Close(); err != nil {
			b.t.Error(err)
		}
	})
	return p
}

func (p *player) hear(stream int, packet *rtp.Packet) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := p.decoded[stream]
	if d == nil {
		d, _ = opus.NewDecoder(p.library) // never fails with a loaded library
		p.decoded[stream] = d
	}
	var f audio.Frame
	if err := d.Decode(&f, packet.Payload); err != nil {
		p.t.Errorf("a packet of stream %d cannot be decoded: %v", stream, err)
		return
	}
	p.heard[stream] = append(p.heard[stream], f[:]...)
	p.packets[stream] = append(p.packets[stream], packet)
	p.wake()
}

func (p *player) take(m visitor.Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told = append(p.told, m)
	p.wake()
}

func (p *player) wake() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// await waits until is returns true.
func (p *player) await(what string, is func() bool) {
	p.t.Helper()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		p.mu.Lock()
		ok, changed := is(), p.changed
		p.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-timer.C:
			p.mu.Lock()
			defer p.mu.Unlock()
			p.t.Fatalf("%s did not come; there came %+v", what, p.told)
		}
	}
}

// awaitMessage waits for a message.
func (p *player) awaitMessage(what string, is func(visitor.Message) bool) (found visitor.Message) {
	p.t.Helper()
	p.await(what, func() bool {
		for _, m := range p.told {
			if is(m) {
				found = m
				return true
			}
		}
		return false
	})
	return found
}

// awaitNobody waits until the table is empty.
func (b *setting) awaitNobody() {
	b.t.Helper()
	for end := time.Now().Add(patience); len(b.room.Guests()) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			b.t.Fatalf("%v have not left", b.room.Guests())
		}
	}
}

// awaitEvent waits for an event of the table.
func (b *setting) awaitEvent(what string, is func(table.Event) bool) {
	b.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		b.mu.Lock()
		found := slices.ContainsFunc(b.events, is)
		b.mu.Unlock()
		if found {
			return
		}
		if time.Now().After(end) {
			b.t.Fatalf("%s did not come", what)
		}
	}
}
