package app

import (
	"context"
	"net/http"

	"github.com/MrWong99/glyphoxa/internal/browser"
	"github.com/MrWong99/glyphoxa/internal/console"
	"github.com/MrWong99/glyphoxa/internal/feed"
	"github.com/MrWong99/glyphoxa/internal/mcp/identity"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// openRoom makes the table in browsers and begins to run it; Close ends it. It returns who
// is told of the game's sessions: the room, and other, or if that is nil, the feed.
func (a *App) openRoom(other play.Onlooker) play.Onlooker {
	a.Room = browser.New(browser.Options{Feed: a.feed, Table: console.Home, Logger: a.log})
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

// onlookers are told one after the other.
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

// recorder adds what a table tells to a feed, where there is no console that does.
type recorder struct{ feed *feed.Feed }

func (recorder) Began(*play.Game, *play.Session)   {}
func (recorder) Ended(*play.Game, *play.Session)   {}
func (r recorder) Saw(_ *play.Game, e table.Event) { r.feed.Add(console.Home, e) }
func (r recorder) Forgot(*play.Game)               { r.feed.Forget(console.Home) }

// site are the pages for people; nil if there are none.
func (a *App) site(keeper *identity.Gatekeeper) http.Handler {
	if a.Console == nil && a.Room == nil {
		return nil
	}
	mux := http.NewServeMux()
	if a.Console != nil {
		mux.Handle("/", a.Console.Handler(keeper))
	}
	if a.Room != nil {
		mux.Handle("/table/", a.Room.Handler())
	}
	return mux
}

// roomLink is the way to the table in browsers that a server at addr shows.
func (a *App) roomLink(addr string) string { return "http://" + addr + a.Room.Path() }
