package simulate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os/exec"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/web"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// Browser makes the tables play in browsers: players join by a link over WebRTC
// on loopback, hear the NPCs and each other, and read along.
type Browser struct {
	// FarEnd is the players' process, as in [Discord].
	FarEnd func() *exec.Cmd
}

// rooms implements front: each table is in browsers.
type rooms struct {
	*farLine
	players int // at each table
	tell    func(string)
	lines   []*roomLine
	url     string
	mux     *http.ServeMux
	server  *http.Server
	served  chan error // receives the server's error
}

func openRooms(ctx context.Context, load Load, o *Options) (front, error) {
	far, err := startFarEnd(ctx, farSetup{Tables: load.Tables, Players: load.Players, Browser: true}, o.Browser.FarEnd)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, far.close())
	}
	mux := http.NewServeMux()
	r := &rooms{
		farLine: far, players: load.Players, tell: o.Tell, url: "http://" + listener.Addr().String(), mux: mux,
		server: &http.Server{Handler: mux, ErrorLog: log.New(io.Discard, "", 0)}, // of players who leave while joining
		served: make(chan error, 1),
	}
	go func() { r.served <- r.server.Serve(listener) }()
	return r, nil
}

// roomLine is a table in browsers. It implements line.
type roomLine struct {
	writing
	room *web.Room
	feed *web.Feed
	at   *sitting
}

// tableName is a table's name in its own feed.
const tableName = "table"

// connect implements front.
func (r *rooms) connect(s *sitting, o *Options, m *meter) line {
	l := &roomLine{writing: writing{meter: m}, feed: web.NewFeed(), at: s}
	l.room = web.NewRoom(web.RoomOptions{
		Feed: l.feed, Table: tableName, MaxGuests: r.players, Sent: l.sent,
		Detection: o.Detection, Hearing: config.Hearing{Detection: config.DetectionEnergy},
	})
	// Each connection counts as a different address, because so many players do
	// not join from one.
	pages := l.room.Handler(func(q *http.Request) string { return q.RemoteAddr })
	at := fmt.Sprintf("/%d", s.number)
	r.mux.Handle(at+"/", http.StripPrefix(at, pages))
	l.room.ServedAt(r.url + at)
	r.lines = append(r.lines, l)
	return l
}

// Write implements mixer.Outlet.
func (l *roomLine) Write(ctx context.Context, frame *audio.Frame) error {
	return l.room.Write(ctx, frame)
}

// sink implements line: players read along.
func (l *roomLine) sink(w table.Sink) table.Sink { return captioned{w, l.feed} }

// captioned is a sink that also adds its events to a feed.
type captioned struct {
	table.Sink
	feed *web.Feed
}

func (c captioned) Emit(e table.Event) {
	c.feed.Add(tableName, e)
	c.Sink.Emit(e)
}

// open implements line. The players join later.
func (l *roomLine) open(_ context.Context, s *sitting, hold func(func(context.Context) error)) error {
	cast := func() []config.NPC { return s.cast }
	l.room.Open(web.Sitting{Table: s.table, Title: "Simulation", Language: "en", Speaks: true, Cast: cast})
	hold(l.room.Run)
	return nil
}

// awaitPlayers implements front and makes the players join.
func (r *rooms) awaitPlayers(ctx context.Context) error {
	r.tell(fmt.Sprintf("%d players join", len(r.lines)*r.players))
	o := farOrder{}
	for _, l := range r.lines {
		o.Join = append(o.Join, l.room.Link())
	}
	stop := context.AfterFunc(ctx, func() { _ = r.hangUp() }) // the far end then gives up
	defer stop()
	var told farAnswer
	err := r.order(o)
	if err == nil {
		err = r.answers.Decode(&told)
	}
	switch {
	case ctx.Err() != nil:
		return ErrInterrupted
	case err != nil:
		return fmt.Errorf("having the players join: %w", err)
	case told.Failed != "":
		return errors.New(told.Failed)
	}
	for _, l := range r.lines {
		l.at.seats = l.room.Seats()
	}
	return nil
}

// addToReport implements front.
func (r *rooms) addToReport(report *Report, m *meter) (err error) {
	b := &BrowserReport{WriteLateness: m.writeLateness()}
	for _, l := range r.lines {
		b.Guests += len(l.room.Seats())
		b.Sent += l.frames()
	}
	b.GuestsLost = len(r.lines)*r.players - b.Guests
	report.Browser = b
	b.Peer, err = r.report()
	return err
}

// close implements front.
func (r *rooms) close() error {
	err := errors.Join(r.farLine.close(), r.server.Close())
	if served := <-r.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// splitLink splits a table's link into its address and the invite.
func splitLink(link string) (address, invite string) {
	address, invite, _ = strings.Cut(link, "#")
	return address, invite
}
