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

// RoomFront names this front in stored records: a guest's user is browser:ID.
const RoomFront = "browser"

// DefaultGuests is the default limit of guests at a table.
const DefaultGuests = 12

//go:embed room
var roomFiles embed.FS

// RoomOptions configure a room.
type RoomOptions struct {
	// Feed has the events of the room's table under the name Table. Required.
	Feed  *Feed
	Table string
	// Start starts a session when the first guest joins and no session runs. The session ends Idle after the
	// last guest has left. If nil, guests can only join running sessions.
	Start func(context.Context) (*play.Session, error)
	// Idle is how long a session from Start may have no guests. If zero, 15 minutes.
	Idle time.Duration
	// MaxGuests bounds the guests at once. If zero, DefaultGuests.
	MaxGuests int
	Network   Network
	Hearing   config.Hearing
	// Detection is the voice detection. The caller closes it after Run. If nil, the room opens one from
	// Hearing.
	Detection *providers.Detection
	// Sent is called after each frame of the NPCs' sound was passed to the network, with the time since Write
	// was called. A single goroutine calls it, so it must not block. It may be nil.
	Sent func(took time.Duration)
	// Logger receives messages for operators. If nil, nothing is logged.
	Logger *slog.Logger
}

// Room is a table in browsers. It is safe for concurrent use. Call Run to start it.
type Room struct {
	o          RoomOptions
	files      *Files
	rates      *access.Rates
	address    func(*http.Request) string // of a request's sender
	frames     chan *outgoing             // waiting to be sent; returned through spare
	freeFrames chan *outgoing
	parts      func() (*parts, error) // opened for the first guest
	opened     atomic.Pointer[parts]

	invite atomic.Pointer[string]   // changed only with mu held
	base   atomic.Pointer[string]   // address at which it is served
	here   atomic.Pointer[[]*guest] // connected guests; replaced, never modified
	work   sync.WaitGroup           // guests; Run waits for it

	mu     sync.Mutex        // guards the fields below, down to alone
	guests map[string]*guest // guests with a seat, by its secret
	// leaving are guests who have lost their seat, until their connection is completely closed.
	leaving map[*guest]struct{}
	removed removedSeats
	at      *Sitting      // nil while no session runs
	lines   []lineMessage // of the sitting, the latest ones
	closed  bool
	own     *play.Session // from Start, nil without one
	alone   time.Time     // since when own has no guests

	starting sync.Mutex // held while a session starts or ends
}

// parts are shared by all guests.
type parts struct {
	dialer    *dialer
	library   *opus.Library // nil if libopus is missing
	missing   error         // why library is nil
	npc       *webrtc.TrackLocalStaticRTP
	detection *providers.Detection
}

// NewRoom returns a room. Call Run to start it.
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
	r := &Room{o: o, files: LoadFiles(roomFiles, "room"), frames: make(chan *outgoing, 2), freeFrames: make(chan *outgoing, 4), guests: map[string]*guest{}, leaving: map[*guest]struct{}{}}
	for range cap(r.freeFrames) {
		r.freeFrames <- new(outgoing)
	}
	r.here.Store(&[]*guest{})
	r.ServedAt("")
	r.RenewInvite()
	r.parts = sync.OnceValues(r.openParts)
	return r
}

// RenewInvite creates a new invite. The old one admits no more guests, even if they are just joining. Guests
// who have joined with it stay, and can return to their seats.
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

// Link returns the address of the table with the invite.
func (r *Room) Link() string { return *r.base.Load() + "/table/#" + *r.invite.Load() }

// ServedAt sets the base address of the table, such as http://127.0.0.1:8787.
func (r *Room) ServedAt(base string) { r.base.Store(&base) }

// openParts opens the parts that the first guest needs.
func (r *Room) openParts() (*parts, error) {
	p := &parts{}
	var err error
	if p.dialer, err = newDialer(r.o.Network, observe.NewLibraryLogs(r.o.Logger)); err != nil {
		return nil, err
	}
	p.library, p.missing = opus.Load()
	if p.missing != nil {
		r.o.Logger.Warn("the NPCs cannot be heard in browsers", "reason", p.missing)
	}
	if p.npc, err = webrtc.NewTrackLocalStaticRTP(opusCodec, "npcs", "table"); err != nil {
		return nil, errors.Join(err, p.dialer.close())
	}
	if p.detection = r.o.Detection; p.detection == nil {
		p.detection, err = providers.OpenDetection(r.o.Hearing, func(err error) {
			r.o.Logger.Warn("voice detection failed, so loudness decides from now on who is speaking", "reason", err)
		})
		if err != nil {
			return nil, errors.Join(err, p.dialer.close())
		}
	}
	r.opened.Store(p)
	return p, nil
}

// Run sends the NPCs' sound and the table's events to guests until ctx ends. It then disconnects all guests
// and waits for them. Call it once.
func (r *Room) Run(ctx context.Context) error {
	defer context.AfterFunc(ctx, r.close)() // revoke the seats first, however long the rest takes
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

// close revokes all seats and then disconnects the guests.
func (r *Room) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.revokeAll()
}

// lookAfter detects guests who stopped speaking, and ends an idle session, until ctx ends.
func (r *Room) lookAfter(ctx context.Context) {
	ticker := time.NewTicker(quietAfter / 4)
	defer ticker.Stop()
	for {
		select {
		case now := <-ticker.C:
			for _, g := range *r.here.Load() {
				g.detectSilence(now)
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

// Ended implements [play.Onlooker]. Guests leave with the session. Their seats end first, so that they need
// the invite to join the next session.
func (r *Room) Ended(_ *play.Game, s *play.Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.at == nil || r.at.session != s {
		return
	}
	r.at, r.lines = nil, nil
	r.revokeAll()
}

// Saw implements [play.Onlooker]. Events arrive through the feed instead.
func (r *Room) Saw(*play.Game, table.Event) {}

// Forgot implements [play.Onlooker].
func (r *Room) Forgot(*play.Game) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.lines {
		r.broadcast(removedMessage{Type: "gone", ID: l.ID})
	}
	r.lines = nil
}

// Guests returns the sorted names of the guests.
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

// Seats returns the seats of the connected guests whom the table hears.
func (r *Room) Seats() []*table.Seat {
	var all []*table.Seat
	for _, g := range *r.here.Load() {
		if g.seat != nil {
			all = append(all, g.seat)
		}
	}
	return all
}

// Remove removes a guest from the table permanently. It revokes the seat and renews the invite in one step
// before it closes the connection, so that the guest cannot return while the connection closes.
func (r *Room) Remove(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var here []string
	found := false
	for _, g := range r.guests { // a guest who rejoins may be listed twice for a moment
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
	return fmt.Errorf("nobody with that name has joined in a browser; the players are %s", strings.Join(here, ", "))
}

// arrive adds a guest to the connected ones, and depart removes one.
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
	r.broadcastState()
}

// broadcast sends a message to all connected guests.
func (r *Room) broadcast(message any) {
	text := encode(message)
	for _, g := range *r.here.Load() {
		g.sendText(text)
	}
}

// broadcastState sends the current players and NPCs to all connected guests.
func (r *Room) broadcastState() {
	players, npcs := r.players(), r.played().npcs()
	for _, g := range *r.here.Load() {
		g.sendText(encode(stateMessage{Type: "state", Players: players, NPCs: npcs, You: g.name}))
	}
}

// players returns the connected guests.
func (r *Room) players() []playerView {
	all := []playerView{}
	for _, g := range *r.here.Load() {
		all = append(all, playerView{g.name, g.muted.Load()})
	}
	return all
}
