package web

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pion/webrtc/v4"
	"golang.org/x/sync/errgroup"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/observe"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

// RoomFront names the transport in what is kept: who joins here is browser:ID.
const RoomFront = "browser"

// DefaultGuests is how many guests a table takes.
const DefaultGuests = 12

//go:embed room
var roomFiles embed.FS

// RoomOptions say what a room is of.
type RoomOptions struct {
	// Feed has the events of the room's table, under the name Table. Required.
	Feed  *Feed
	Table string
	// Start begins a session when the first guest joins and nobody else plays; it ends
	// Idle after the last guest has left. If nil, guests only join sessions of others.
	Start func(context.Context) (*play.Session, error)
	// Idle is how long a session that Start began stays without guests. If zero, 15 minutes.
	Idle time.Duration
	// MaxGuests may be there at once. If zero, DefaultGuests.
	MaxGuests int
	Network   Network
	Hearing   config.Hearing
	// Detection tells voice from noise; it stays the caller's, who closes it after Run. If
	// nil, the room opens that of Hearing.
	Detection *providers.Detection
	// Sent is told of each frame of the NPCs' sound that was given to the network, and how
	// long after Write was called. One goroutine calls it; it does not wait. If nil, nobody is.
	Sent func(took time.Duration)
	// Logger receives what operators care about. If nil, nothing is logged.
	Logger *slog.Logger
}

// Room is one table in browsers. It is safe for concurrent use; Run runs it.
type Room struct {
	o       RoomOptions
	files   *Files
	rates   *access.Rates
	address func(*http.Request) string // of who sent a request
	frames  chan *outgoing             // to be sent; given back by spare
	spare   chan *outgoing
	parts   func() (*parts, error) // opened for the first guest
	opened  atomic.Pointer[parts]

	invite atomic.Pointer[string]   // changed with mu held
	base   atomic.Pointer[string]   // where it is served
	here   atomic.Pointer[[]*guest] // who is connected; replaced, never changed
	work   sync.WaitGroup           // guests; ends with Run

	mu     sync.Mutex        // guards the fields below, down to alone
	guests map[string]*guest // who holds a seat, by its secret
	// leaving are those whose seat is another's or nobody's already, until nothing of their
	// connection is left.
	leaving map[*guest]struct{}
	removed removedSeats
	at      *Sitting      // nil while nobody plays
	lines   []lineMessage // of the sitting, the latest
	closed  bool
	own     *play.Session // that Start began, nil while there is none
	alone   time.Time     // since when it has no guests

	starting sync.Mutex // held while a session begins or ends
}

// parts are what all guests share.
type parts struct {
	dialer    *dialer
	library   *opus.Library // nil where libopus is missing
	missing   error         // why it is
	npc       *webrtc.TrackLocalStaticRTP
	detection *providers.Detection
}

// NewRoom returns a room that runs nothing yet.
func NewRoom(o RoomOptions) *Room {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.MaxGuests == 0 {
		o.MaxGuests = DefaultGuests
	}
	if o.Idle == 0 {
		o.Idle = 15 * time.Minute
	}
	r := &Room{o: o, files: LoadFiles(roomFiles, "room"), frames: make(chan *outgoing, 2), spare: make(chan *outgoing, 4), guests: map[string]*guest{}, leaving: map[*guest]struct{}{}}
	for range cap(r.spare) {
		r.spare <- new(outgoing)
	}
	r.here.Store(&[]*guest{})
	r.ServedAt("")
	r.RenewInvite()
	r.parts = sync.OnceValues(r.openParts)
	return r
}

// RenewInvite makes a new invite. The old one admits no guest from then on, not even one
// whose join is under way; guests who have joined by it stay, and may come back to their seats.
func (r *Room) RenewInvite() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.renewInvite()
}

// renewInvite is RenewInvite for callers that hold mu.
func (r *Room) renewInvite() {
	invite := rand.Text()
	r.invite.Store(&invite)
}

// Link is the way to the table, with the invite.
func (r *Room) Link() string { return *r.base.Load() + "/table/#" + *r.invite.Load() }

// ServedAt says where the table is served, such as http://127.0.0.1:8787.
func (r *Room) ServedAt(base string) { r.base.Store(&base) }

// openParts opens what the first guest takes.
func (r *Room) openParts() (*parts, error) {
	p := &parts{}
	var err error
	if p.dialer, err = newDialer(r.o.Network, observe.NewLibraryLogs(r.o.Logger)); err != nil {
		return nil, err
	}
	p.library, p.missing = opus.Load()
	if p.missing != nil {
		r.o.Logger.Warn("the NPCs are not heard in browsers", "reason", p.missing)
	}
	if p.npc, err = webrtc.NewTrackLocalStaticRTP(opusCodec, "npcs", "table"); err != nil {
		return nil, errors.Join(err, p.dialer.close())
	}
	if p.detection = r.o.Detection; p.detection == nil {
		p.detection, err = providers.OpenDetection(r.o.Hearing, func(err error) {
			r.o.Logger.Warn("voice detection failed, and energy does it from now on", "reason", err)
		})
		if err != nil {
			return nil, errors.Join(err, p.dialer.close())
		}
	}
	r.opened.Store(p)
	return p, nil
}

// Run sends the NPCs' sound and tells guests what happens, until ctx ends. It then says
// goodbye to all guests and returns once nothing of them is left. It is called once.
func (r *Room) Run(ctx context.Context) error {
	defer context.AfterFunc(ctx, r.close)() // first of all, whatever else takes its time to end
	g, running := errgroup.WithContext(ctx)
	g.Go(func() error { return r.sendSound(running) })
	g.Go(func() error { r.followEvents(running); return nil })
	g.Go(func() error { r.lookAfter(running); return nil })
	err := g.Wait()
	r.close()
	r.work.Wait()
	err = errors.Join(err, r.endOwn(func() bool { return true }))
	if p := r.opened.Load(); p != nil {
		err = errors.Join(err, p.dialer.close())
		if r.o.Detection == nil {
			err = errors.Join(err, p.detection.Close())
		}
	}
	return err
}

// close revokes all seats, and has the guests leave after that.
func (r *Room) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.revokeAll()
}

// lookAfter notes who has stopped speaking, until ctx ends.
func (r *Room) lookAfter(ctx context.Context) {
	ticker := time.NewTicker(quietAfter / 4)
	defer ticker.Stop()
	for {
		select {
		case now := <-ticker.C:
			for _, g := range *r.here.Load() {
				g.settleSpeaking(now)
			}
			if err := r.endOwn(r.isAlone); err != nil {
				r.o.Logger.Error("ending a session of players in browsers", "reason", err)
			}
		case <-ctx.Done():
			return
		}
	}
}

// Began implements [play.Onlooker].
func (r *Room) Began(g *play.Game, s *play.Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at, r.lines = sittingOf(g, s), nil
}

// Ended implements [play.Onlooker]. Guests leave with the session, and their seats end first:
// a guest of this session needs the invite to join the next one.
func (r *Room) Ended(_ *play.Game, s *play.Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.at == nil || r.at.session != s {
		return
	}
	r.at, r.lines = nil, nil
	r.revokeAll()
}

// Saw implements [play.Onlooker]: what happens comes through the feed.
func (r *Room) Saw(*play.Game, table.Event) {}

// Forgot implements [play.Onlooker].
func (r *Room) Forgot(*play.Game) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.lines {
		r.tellAll(goneMessage{Type: "gone", ID: l.ID})
	}
	r.lines = nil
}

// Guests are the names of those who have joined, in order.
func (r *Room) Guests() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var names []string
	for _, g := range r.guests {
		names = append(names, g.name)
	}
	slices.Sort(names)
	return names
}

// Seats are those of the guests who are connected and whom the table hears.
func (r *Room) Seats() []*table.Seat {
	var all []*table.Seat
	for _, g := range *r.here.Load() {
		if g.seat != nil {
			all = append(all, g.seat)
		}
	}
	return all
}

// Remove takes a guest from the table for good: it revokes the seat and renews the invite in
// one step, before it ends the connection, so that neither lets the guest in again while the
// connection is torn down.
func (r *Room) Remove(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var here []string
	found := false
	for _, g := range r.guests { // a guest who joins again may be there twice for a moment
		if strings.EqualFold(g.name, strings.TrimSpace(name)) {
			if !found {
				r.renewInvite()
			}
			found = true
			r.removed.add(userID(g.secret))
			r.revoke(g, reasonRemoved)
		}
		here = append(here, g.name)
	}
	if found {
		return nil
	}
	if len(here) == 0 {
		return errors.New("nobody has joined in a browser")
	}
	slices.Sort(here)
	return fmt.Errorf("nobody of that name has joined in a browser; there are %s", strings.Join(here, ", "))
}

// arrive adds a guest to those who are connected, and depart takes one out.
func (r *Room) arrive(g *guest) { r.changeHere(func(all []*guest) []*guest { return append(all, g) }) }
func (r *Room) depart(g *guest) {
	r.changeHere(func(all []*guest) []*guest { return slices.DeleteFunc(all, func(o *guest) bool { return o == g }) })
	for _, other := range *r.here.Load() {
		other.slots.free(g)
	}
}

func (r *Room) changeHere(change func([]*guest) []*guest) {
	r.mu.Lock()
	next := change(slices.Clone(*r.here.Load()))
	r.here.Store(&next)
	r.mu.Unlock()
	r.tellState()
}

// tellAll sends a message to everybody who is connected.
func (r *Room) tellAll(message any) {
	text := encode(message)
	for _, g := range *r.here.Load() {
		g.sendText(text)
	}
}

// tellState tells everybody who is there.
func (r *Room) tellState() {
	players, npcs := r.players(), r.played().npcs()
	for _, g := range *r.here.Load() {
		g.sendText(encode(stateMessage{Type: "state", Players: players, NPCs: npcs, You: g.name}))
	}
}

// players are those who have joined and are connected.
func (r *Room) players() []playerView {
	all := []playerView{}
	for _, g := range *r.here.Load() {
		all = append(all, playerView{g.name, g.muted.Load()})
	}
	return all
}
