package app

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/web"
)

// openRoom creates the table for browsers and starts it; Close ends it. If sessions is true, the table may
// begin sessions itself. It returns the onlooker for the game's sessions: other, or the feed if that is nil,
// followed by the room.
func (a *App) openRoom(cfg *config.Config, sessions bool, other play.Onlooker) play.Onlooker {
	o := web.RoomOptions{Feed: a.feed, Table: web.HomeRoom, MaxGuests: cfg.Browser.MaxGuests, Network: networkOf(cfg.Browser), Hearing: cfg.Hearing, Logger: a.log}
	if sessions {
		o.Start = a.startForGuests
	}
	a.Room = web.NewRoom(o)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- a.Room.Run(ctx) }()
	a.endRoom = func() error {
		cancel()
		return <-ended
	}
	if other == nil {
		other = recorder{a.feed}
	}
	return onlookers{other, a.Room}
}

// networkOf returns how browsers reach the table.
func networkOf(b config.Browser) web.Network {
	n := web.Network{Port: uint16(b.UDPPort), MinPort: uint16(b.UDPMinPort), MaxPort: uint16(b.UDPMaxPort), PublicAddresses: b.PublicAddresses}
	for _, s := range b.ICEServers {
		n.Servers = append(n.Servers, web.IceServer{URLs: s.URLs, Username: s.Username, Credential: s.Credential.Reveal()})
	}
	return n
}

// startForGuests begins a session for players in browsers.
func (a *App) startForGuests(ctx context.Context) (*play.Session, error) {
	tell := func(level, text string) { a.log.Info("the table in browsers", "level", level, "notice", text) }
	s, err := a.StartSession(ctx, play.SessionOptions{Sink: unread{}, Notify: tell})
	if err == nil {
		a.InBackground(func(ctx context.Context) { a.Prepare(ctx, tell) })
	}
	return s, err
}

// unread is the sink of a table that is displayed only through the feed.
type unread struct{}

// Emit implements [table.Sink].
func (unread) Emit(table.Event) {}

// onlookers notifies several onlookers, one after the other.
type onlookers []play.Onlooker

func (os onlookers) Began(g *play.Game, s *play.Session) {
	for _, o := range os {
		o.Began(g, s)
	}
}

func (os onlookers) Ended(g *play.Game, s *play.Session) {
	for _, o := range os {
		o.Ended(g, s)
	}
}

func (os onlookers) Saw(g *play.Game, e table.Event) {
	for _, o := range os {
		o.Saw(g, e)
	}
}

func (os onlookers) Forgot(g *play.Game) {
	for _, o := range os {
		o.Forgot(g)
	}
}

// recorder adds a table's events to a feed if there is no console that does so.
type recorder struct{ feed *web.Feed }

func (recorder) Began(*play.Game, *play.Session)   {}
func (recorder) Ended(*play.Game, *play.Session)   {}
func (r recorder) Saw(_ *play.Game, e table.Event) { r.feed.Add(web.HomeRoom, e) }
func (r recorder) Forgot(*play.Game)               { r.feed.Forget(web.HomeRoom) }

// site returns the handler of the pages for people; nil if there are none.
func (a *App) site(keeper *access.Gatekeeper) http.Handler {
	if a.Console == nil && a.Room == nil {
		return nil
	}
	mux := http.NewServeMux()
	if a.Console != nil {
		mux.Handle("/", a.Console.Handler(keeper))
	}
	if a.Room != nil {
		mux.Handle("/table/", a.Room.Handler(keeper.Address))
	}
	return mux
}

// showRoom prints where the table for browsers is served, if there is one.
func (a *App) showRoom(w io.Writer, addr string) {
	if a.Room == nil {
		return
	}
	a.Room.ServedAt("http://" + addr)
	fmt.Fprintln(w, "glyphoxa: players join in a browser at", a.Room.Link())
}
