package web_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/lab/revoketest"
	"github.com/MrWong99/glyphoxa/internal/lab/visitor"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/web"
)

// turnstile is a cast whose reading can be blocked. Guests get the cast at each change of the
// players, so a blocked one delays the tear-down of a guest who leaves.
type turnstile struct {
	of func() []config.NPC

	mu   sync.Mutex // guards open
	open chan struct{}
}

func (s *turnstile) cast() []config.NPC {
	s.mu.Lock()
	open := s.open
	s.mu.Unlock()
	if open != nil {
		<-open
	}
	return s.of()
}

func (s *turnstile) hold() (release func()) {
	open := make(chan struct{})
	s.set(open)
	return func() { s.set(nil); close(open) }
}

func (s *turnstile) set(open chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = open
}

// latest keeps all visitors so that close can close them.
type latest struct {
	mu  sync.Mutex // guards all
	all []*player
}

// use lets a page join, and distinguishes a refused credential from other failures.
func (l *latest) use(b *setting, o visitor.Options) error {
	p, err := b.join(o)
	var refused *visitor.Refused
	if errors.As(err, &refused) && refused.Status == http.StatusForbidden {
		return fmt.Errorf("%w: %w", revoketest.ErrRefused, err)
	}
	if err == nil {
		l.mu.Lock()
		l.all = append(l.all, p)
		l.mu.Unlock()
	}
	return err
}

func (l *latest) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.all {
		_ = p.Close() // the table may have closed it
	}
}

// TestRevokedAtTheTable revokes a page's credential for the table in every possible way.
func TestRevokedAtTheTable(t *testing.T) {
	rows := []struct {
		name   string
		seat   bool // the credential is the seat, otherwise the invite
		revoke func(*setting)
	}{
		{"seat_of_a_removed_guest", true, func(b *setting) {
			if err := b.room.Remove("Ana"); err != nil {
				b.t.Error(err)
			}
		}},
		{"invite_of_a_removed_guest", false, func(b *setting) {
			if err := b.room.Remove("Ana"); err != nil {
				b.t.Error(err)
			}
		}},
		{"invite_before_a_new_link", false, func(b *setting) { b.room.RenewInvite() }},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			b := open(t, setup{answer: "Farewell.", voiceless: true})
			cast := &turnstile{of: b.session.Cast}
			b.room.Open(web.Sitting{Table: b.session.Table, Title: "The Rusty Flagon", Cast: cast.cast})
			var came latest
			defer came.close()
			ana, invite := b.enter("Ana"), b.invite()
			o := visitor.Options{Name: "Ana", Seat: ana.Seat, Invite: "AAAAAAAAAAAAAAAAAAAAAAAAAA"}
			if !row.seat {
				o = visitor.Options{Name: "Ben", Invite: invite}
			}
			n := 0
			revoketest.Check(t, revoketest.Credential{
				Use: func() error {
					at := o
					if !row.seat { // the first Ben stays
						came.mu.Lock()
						n++
						at.Name = fmt.Sprintf("Ben %d", n)
						came.mu.Unlock()
					}
					return came.use(b, at)
				},
				Revoke: func() { row.revoke(b) },
				Hold:   cast.hold,
			})
			if b.invite() == invite {
				t.Error("the link is the same as before")
			}
		})
	}
}

// TestRevokedWithTheTable ends the session, or the room, while a guest's network is unplugged
// and delays the goodbye: the seat no longer admits its page, neither then nor to the next
// session.
func TestRevokedWithTheTable(t *testing.T) {
	for _, how := range []string{"session", "room"} {
		t.Run(how, func(t *testing.T) {
			b := open(t, setup{answer: "Farewell.", voiceless: true})
			socket, err := net.ListenPacket("udp4", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			way := &cable{PacketConn: socket}
			ana, err := b.join(visitor.Options{Name: "Ana", Socket: way})
			if err != nil {
				t.Fatal(err)
			}
			defer ana.Close()
			ben := b.enter("Ben")
			var came latest
			defer came.close()
			seats := []visitor.Options{{Name: "Ana", Seat: ana.Seat, Invite: "AAAAAAAAAAAAAAAAAAAAAAAAAA"}, {Name: "Ben", Seat: ben.Seat, Invite: "AAAAAAAAAAAAAAAAAAAAAAAAAA"}}
			used := false
			revoketest.Check(t, revoketest.Credential{
				Use: func() error {
					if !used { // Ana's would plug the network in again
						used = true
						return came.use(b, seats[1])
					}
					return came.use(b, seats[0])
				},
				Hold: func() func() { way.out.Store(true); return func() {} },
				Revoke: func() {
					if how == "room" {
						b.stop()
						b.awaitNobody()
						return
					}
					if err := b.session.Close(); err != nil {
						t.Error(err)
					}
				},
				Gone: func() {
					if how == "session" { // the seat is not valid in the next session either
						if b.session, err = b.game.StartSession(t.Context(), play.SessionOptions{Sink: b}); err != nil {
							t.Fatal(err)
						}
					}
				},
			})
			if err := came.use(b, seats[1]); !errors.Is(err, revoketest.ErrRefused) {
				t.Errorf("Ben's seat at the closed table: %v, want it refused", err)
			}
		})
	}
}

// TestARemovedGuestIsANewOne: a removed guest with the new link joins under another seat,
// because the old one stays revoked.
func TestARemovedGuestIsANewOne(t *testing.T) {
	b := open(t, setup{answer: "Farewell.", voiceless: true})
	ana := b.enter("Ana")
	if err := b.room.Remove("Ana"); err != nil {
		t.Fatal(err)
	}
	again, err := b.join(visitor.Options{Name: "Ana", Seat: ana.Seat}) // the name is free at once
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.Seat == ana.Seat {
		t.Error("the old seat is accepted with a new invite")
	}
}

// TestARemovedGuestIsNotHeard: during the tear-down, lines of a removed guest do not reach the
// table, and the table's lines do not reach the guest.
func TestARemovedGuestIsNotHeard(t *testing.T) {
	b := open(t, setup{answer: "Farewell.", voiceless: true})
	cast := &turnstile{of: b.session.Cast}
	b.room.Open(web.Sitting{Table: b.session.Table, Cast: cast.cast})
	ana, ben := b.enter("Ana"), b.enter("Ben")
	release := cast.hold()
	defer release()
	if err := b.room.Remove("Ana"); err != nil {
		t.Fatal(err)
	}
	if err := ana.Send(map[string]string{"type": "say", "text": "Bartok, it is still me."}); err != nil {
		t.Fatal(err)
	}
	if err := ben.Send(map[string]string{"type": "say", "text": "Bartok, Ana is gone."}); err != nil {
		t.Fatal(err)
	}
	ben.awaitMessage("the answer", func(m visitor.Message) bool { return m.Type == "line" && m.NPC && m.Final })
	for _, p := range []*player{ana, ben} {
		p.mu.Lock()
		for _, m := range p.told {
			if m.Type == "line" && (m.Speaker == "Ana" || p == ana) {
				t.Errorf("%v is told: %s: %s", p.Name, m.Speaker, m.Text)
			}
		}
		p.mu.Unlock()
	}
}
