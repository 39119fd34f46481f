package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// HomeRoom is the id of the room of the program's own campaign. Other rooms belong to guilds.
const HomeRoom = "home"

// ConsoleOptions configure a console.
type ConsoleOptions struct {
	// Feed receives the events of all tables. Required.
	Feed *Feed
	// Problems returns the errors and warnings of the configuration. If nil, there are none.
	Problems func() []userfile.Problem
	// Accounts let people sign in with an account of another service. If nil, they need a token.
	Accounts Accounts
	// Logger receives errors; if nil, they are discarded.
	Logger  *slog.Logger
	Version string
}

// Console serves the console's page and its requests. It is safe for concurrent use.
type Console struct {
	o       ConsoleOptions
	files   *Files
	signIns signInStates
	streams streams
	owner   string          // token of the person who started the program; see OwnerToken
	crumb   string          // CSRF token of visitors who are not signed in
	seal    string          // key for cookies, see sealAccount
	ended   context.Context // context of all streams
	end     context.CancelFunc

	mu    sync.Mutex // guards the fields below
	rooms map[string]*consoleRoom
}

// consoleRoom is a room in which a game is played.
type consoleRoom struct {
	id, name string
	game     *play.Game
	session  *play.Session // nil while no session runs
}

// NewConsole returns a console without rooms; [Console.Onlook] adds them.
func NewConsole(o ConsoleOptions) *Console {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	c := &Console{o: o, owner: rand.Text(), crumb: rand.Text(), seal: rand.Text(), rooms: map[string]*consoleRoom{}, files: LoadFiles(consoleFiles, "console")}
	c.ended, c.end = context.WithCancel(context.Background())
	return c
}

// OwnerToken returns a token that signs in with all rights until the program ends. It is for the person who
// started the program.
func (c *Console) OwnerToken() string { return c.owner }

// Close ends all streams. Other requests still work.
func (c *Console) Close() { c.end() }

// Open shows the program's own game, with or without a session.
func (c *Console) Open(game *play.Game) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.rooms[HomeRoom]
	if r == nil {
		r = &consoleRoom{id: HomeRoom, name: game.Config.Campaign.Name}
		c.rooms[HomeRoom] = r
	}
	r.game = game
}

// Onlook returns the receiver for the events of a room's games. A guild's room exists while its session runs.
// Onlook of a nil console returns nil.
func (c *Console) Onlook(id string) play.Onlooker {
	if c == nil {
		return nil
	}
	return onlooker{c, id}
}

type onlooker struct {
	console *Console
	id      string
}

// Began implements [play.Onlooker].
func (o onlooker) Began(g *play.Game, s *play.Session) {
	o.console.mu.Lock()
	defer o.console.mu.Unlock()
	name := cmp.Or(g.Config.Campaign.Name, o.id)
	o.console.rooms[o.id] = &consoleRoom{id: o.id, name: name, game: g, session: s}
}

// Ended implements [play.Onlooker].
func (o onlooker) Ended(g *play.Game, s *play.Session) {
	o.console.mu.Lock()
	defer o.console.mu.Unlock()
	r := o.console.rooms[o.id]
	switch {
	case r == nil || r.session != s: // a newer session has begun
	case o.id == HomeRoom:
		o.console.rooms[o.id] = &consoleRoom{id: r.id, name: r.name, game: g}
	default:
		delete(o.console.rooms, o.id)
	}
}

// Saw implements [play.Onlooker].
func (o onlooker) Saw(_ *play.Game, e table.Event) { o.console.o.Feed.Add(o.id, e) }

// Forgot implements [play.Onlooker].
func (o onlooker) Forgot(*play.Game) { o.console.o.Feed.Forget(o.id) }

// visible returns the rooms that a visitor may enter, the program's own first.
func (c *Console) visible(ctx context.Context, v *visitor) []*consoleRoom {
	c.mu.Lock()
	out := slices.Collect(maps.Values(c.rooms))
	c.mu.Unlock()
	out = slices.DeleteFunc(out, func(r *consoleRoom) bool { return !c.enters(ctx, v, r.id) })
	slices.SortFunc(out, func(a, b *consoleRoom) int {
		if (a.id == HomeRoom) != (b.id == HomeRoom) {
			return cmp.Compare(map[bool]int{true: 0, false: 1}[a.id == HomeRoom], map[bool]int{true: 0, false: 1}[b.id == HomeRoom])
		}
		return cmp.Compare(a.id, b.id)
	})
	return out
}

// Handler serves the console. The handler around it must refuse unknown hosts and origins, see package
// access. who identifies visitors.
func (c *Console) Handler(who identifier) http.Handler {
	d := &authenticator{Console: c, identifier: who, accountRates: access.NewRates(who.Address, accountEvery, accountBurst)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", c.servePage)
	mux.HandleFunc("GET /console/web/", c.servePage)
	mux.HandleFunc("GET /console/me", d.me)
	mux.HandleFunc("POST /console/signin", d.signIn)
	mux.HandleFunc("POST /console/signout", d.signOut)
	if c.o.Accounts != nil {
		mux.HandleFunc("GET "+accountPath, d.often(d.beginAccount))
		mux.HandleFunc("GET "+accountPath+"/back", d.often(d.endAccount))
	}
	mux.HandleFunc("GET /console/events", d.inRoom(d.follow))
	mux.HandleFunc("GET /console/table", d.inRoom(d.showTable))
	mux.HandleFunc("GET /console/tools", d.inRoom(d.showTools))
	mux.HandleFunc("GET /console/world", d.inRoom(d.showWorld))
	mux.HandleFunc("GET /console/memory", d.inRoom(d.showMemory))
	mux.HandleFunc("GET /console/problems", d.inRoom(d.showProblems))
	mux.HandleFunc("GET /console/recap", d.inRoom(d.recap))
	mux.HandleFunc("GET /console/read", d.inRoom(d.read))
	mux.HandleFunc("POST /console/order", d.inRoom(d.order))
	mux.HandleFunc("POST /console/call", d.inRoom(d.call))
	mux.HandleFunc("POST /console/facts", d.inRoom(d.findFacts))
	mux.HandleFunc("POST /console/memory", d.inRoom(d.decideMemory))
	forged := http.NewCrossOriginProtection()
	return Secure(forged.Handler(mux))
}

// roomRequest is a request of an identified visitor about a room.
type roomRequest struct {
	auth    *authenticator
	w       http.ResponseWriter
	r       *http.Request
	visitor *visitor
	room    *consoleRoom
}

// calling returns a context for calls with the visitor's rights.
func (a *roomRequest) calling() context.Context {
	return access.WithSubject(a.r.Context(), a.visitor.subject)
}
