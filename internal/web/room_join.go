package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"regexp"
	"time"
	"unicode/utf8"

	"github.com/pion/webrtc/v4"
	"golang.org/x/time/rate"

	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

const (
	maxBody      = maxOffer + 8<<10
	maxName      = untrusted.MaxName // characters
	joinTime     = 15 * time.Second
	joinEvery    = time.Second // per address, after the first joinBurst
	joinBurst    = 20
	inviteHeader = "X-Table-Invite"
)

// joining is a page's request to join.
type joining struct {
	Invite  string `json:"invite"`
	Name    string `json:"name"`
	Consent bool   `json:"consent"`
	Offer   string `json:"offer"`
	Seat    string `json:"seat"`

	offer *offer // parsed from Offer
}

// joined is the response to it.
type joined struct {
	Answer string    `json:"answer"`
	Name   string    `json:"name"`
	Seat   string    `json:"seat"`
	Table  tableView `json:"table"`
}

type tableView struct {
	Title    string    `json:"title"`
	Language string    `json:"language"`
	Hears    bool      `json:"hears"`
	NPCs     []npcView `json:"npcs"`
	Players  []string  `json:"players"`
}

// join handles a request to join.
func (r *Room) join(w http.ResponseWriter, q *http.Request) {
	if !r.rates.Allow(q) {
		w.Header().Set("Retry-After", "5")
		r.fail(w, tooMany())
		return
	}
	in, err := readJoining(http.MaxBytesReader(w, q.Body, maxBody))
	if err != nil {
		r.fail(w, err)
		return
	}
	in.offer.filterCandidates(addressOf(r.address(q)))
	ctx, cancel := context.WithTimeout(q.Context(), joinTime)
	defer cancel()
	out, err := r.admit(ctx, in)
	if err != nil {
		r.fail(w, err)
		return
	}
	r.answer(w, out)
}

// secretForm matches the secrets of seats.
var secretForm = regexp.MustCompile(`^[A-Z2-7]{26}$`)

// readJoining parses and validates a request to join, without looking at the room's state.
func readJoining(body interface{ Read([]byte) (int, error) }) (in joining, err error) {
	bad := func(text string) (joining, error) { return joining{}, refuse(http.StatusBadRequest, text) }
	d := json.NewDecoder(body)
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil || d.More() {
		return bad("The table did not understand the page. Reload it.")
	}
	given := utf8.RuneCountInString(untrusted.Line(in.Name, maxName+1))
	in.Name, err = untrusted.Name(in.Name)
	switch {
	case !in.Consent:
		return bad("Say that you agree to be heard and remembered here, or close this page.")
	case err != nil:
		return bad("Enter your name at the table, with at least one visible letter or digit.")
	case given > maxName:
		return bad(fmt.Sprintf("A name may have at most %d characters.", maxName))
	case in.Seat != "" && !secretForm.MatchString(in.Seat):
		return bad("That seat does not belong to this table. Reload the page.")
	}
	if in.offer, err = readOffer(in.Offer); err != nil {
		return bad("The browser's offer cannot be used: " + err.Error() + ".")
	}
	return in, nil
}

// addressOf parses a client address with or without a port.
func addressOf(host string) netip.Addr {
	if at, err := netip.ParseAddrPort(host); err == nil {
		return at.Addr()
	}
	at, _ := netip.ParseAddr(host) // an invalid address yields the zero Addr
	return at
}

// admit seats a guest who has the invite, or the secret of a held seat.
func (r *Room) admit(ctx context.Context, in joining) (*joined, error) {
	if !r.mayJoin(in) {
		return nil, errInvite // before a session starts for this guest
	}
	at, err := r.sitting(ctx)
	if err != nil {
		return nil, err
	}
	p, err := r.parts()
	if err != nil {
		r.o.Logger.Error("opening the table for browsers", "reason", err)
		return nil, refuse(http.StatusServiceUnavailable, "This table cannot be opened for browsers right now. The host finds the reason in the log.")
	}
	g, err := r.reserve(ctx, in, at)
	if err != nil {
		return nil, err
	}
	answer, err := g.connect(ctx, p, in.offer)
	if err == nil && g.hasEnded() { // ended while connecting, for example by Remove
		err = g.refusal()
	}
	if err != nil {
		g.end(reasonLost)
		if g.pc != nil {
			_ = g.pc.GracefulClose() // the page has not received the answer
		}
		g.readers.Wait()
		if g.seat != nil {
			g.seat.Leave()
		}
		r.release(g)
		return nil, err
	}
	r.arrive(g)
	r.o.Logger.Info("a guest has joined", "user", g.user)
	out := &joined{Answer: answer, Name: g.name, Seat: g.secret, Table: tableView{
		Title: at.Title, Language: at.Language, Hears: g.seat != nil, NPCs: at.npcs(), Players: []string{},
	}}
	for _, p := range r.players() {
		out.Table.Players = append(out.Table.Players, p.Name)
	}
	go g.run() // Room.Run waits for release
	return out, nil
}

// reserve reserves a seat and a name for a new guest, and waits until earlier guests with that seat or name
// are completely gone.
func (r *Room) reserve(ctx context.Context, in joining, at *Sitting) (*guest, error) {
	g := &guest{
		room: r, name: in.Name, at: at,
		inbox: make(chan request, inboxSize), budget: rate.NewLimiter(messageRate, messageBurst),
		refused: rate.NewLimiter(refusedRate, refusedBurst), hints: rate.NewLimiter(rate.Every(hintEvery), 1), connected: make(chan struct{}), released: make(chan struct{}),
	}
	g.ended, g.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	before, err := r.place(g, in)
	if err != nil {
		return nil, err
	}
	for _, one := range before {
		select {
		case <-one.released:
		case <-g.ended.Done():
			r.release(g)
			return nil, g.refusal()
		case <-ctx.Done():
			r.release(g)
			return nil, tooMany()
		}
	}
	if err := g.registerName(ctx); err != nil {
		r.release(g)
		return nil, err
	}
	return g, nil
}

// refusal returns why a joining guest was refused.
func (g *guest) refusal() error {
	return refuse(http.StatusForbidden, context.Cause(g.ended).Error())
}

// registerName registers the guest's name at the table, unless it could pass for another's.
func (g *guest) registerName(ctx context.Context) error {
	_, err := g.at.Table.Admit(ctx, g.name, g.user) // the table shows this name unchanged
	switch {
	case err == nil:
		return nil
	case errors.Is(err, table.ErrClosed):
		return errNobody
	case ctx.Err() != nil:
		return tooMany()
	}
	return refuse(http.StatusConflict, err.Error()+". Choose another name.")
}

// connect seats a guest and answers the offer.
func (g *guest) connect(ctx context.Context, p *parts, offered *offer) (answer string, err error) {
	decoder, err := opus.NewDecoder(p.library)
	if err != nil {
		return "", fmt.Errorf("making a decoder: %w", err)
	}
	g.seat, err = g.at.Table.Join(ctx, g.name, &table.JoinOptions{Decoder: decoder, Detector: p.detection.NewDetector(), User: g.user})
	switch {
	case err == nil || errors.Is(err, table.ErrNoRecognition):
	case errors.Is(err, table.ErrClosed):
		return "", errNobody
	default:
		return "", refuse(http.StatusConflict, err.Error()+". Choose another name.")
	}
	text, err := offered.Marshal()
	if err != nil {
		return "", refuse(http.StatusBadRequest, "The browser's offer cannot be used: "+err.Error()+".")
	}
	g.gate = newConnLimiter(offered.sources, g.end)
	if g.pc, err = p.dialer.connect(g.gate); err != nil {
		return "", err
	}
	tracks := []webrtc.TrackLocal{p.npc}
	for i := range voiceSlots {
		t, err := webrtc.NewTrackLocalStaticRTP(opusCodec, fmt.Sprintf("player%d", i+1), fmt.Sprintf("player%d", i+1))
		if err != nil {
			return "", err
		}
		g.slots.all = append(g.slots.all, slot{track: t})
		tracks = append(tracks, t)
	}
	g.watch()
	answer, senders, err := answerOffer(ctx, g.pc, string(text), tracks)
	if err != nil {
		return "", refuse(http.StatusBadRequest, err.Error())
	}
	if len(senders) > 0 {
		g.npcs = senders[0]
	}
	for _, s := range senders {
		g.start(func() { drainReports(s) })
	}
	return answer, nil
}

// drainReports reads and discards the reports about a stream.
func drainReports(s *webrtc.RTPSender) {
	buffer := make([]byte, 1500)
	for {
		if _, _, err := s.Read(buffer); err != nil {
			return
		}
	}
}
