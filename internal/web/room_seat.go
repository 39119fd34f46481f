package web

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// maxRemoved bounds the removed seats that a room remembers. The oldest is dropped first.
const maxRemoved = 1024

// mayJoin reports whether a joining page has the invite or a seat now. The final decision is [Room.place]'s,
// because either may end before.
func (r *Room) mayJoin(in joining) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.invited(in.Invite) || r.guests[in.Seat] != nil
}

// place gives a guest a seat if the page has the invite or holds that seat. A previous holder of the seat
// leaves. place returns the guests with that seat or name who are not completely gone, for the caller to wait
// for.
//
// The permission is checked in one step with taking the seat, so that a seat or invite revoked in the
// meantime does not count.
func (r *Room) place(g *guest, in joining) (before []*guest, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.at != g.at {
		return nil, errNobody
	}
	g.secret = in.Seat
	holder := r.guests[g.secret]
	switch {
	case holder == nil && !r.invited(in.Invite):
		return nil, errInvite
	case g.secret == "", holder == nil && r.removed.has(userID(g.secret)):
		g.secret = rand.Text() // with an invite, a removed guest gets a new seat
	}
	g.user = RoomFront + ":" + userID(g.secret)
	switch {
	case holder == nil && len(r.guests) >= r.o.MaxGuests,
		len(r.guests)+len(r.leaving) >= 2*r.o.MaxGuests: // open connections use memory
		return nil, errFull
	}
	if holder != nil {
		r.leaving[holder] = struct{}{}
		holder.end(reasonTaken)
	}
	r.guests[g.secret] = g
	r.work.Add(1)
	for one := range r.leaving {
		if one == holder || strings.EqualFold(one.name, g.name) {
			before = append(before, one)
		}
	}
	return before, nil
}

// revoke revokes a guest's seat and then makes the guest leave, so that no page can use the seat while the
// connection closes. The caller must hold mu. It does not wait.
func (r *Room) revoke(g *guest, why string) {
	if r.guests[g.secret] == g {
		delete(r.guests, g.secret)
		r.leaving[g] = struct{}{}
	}
	g.end(why)
}

// revokeAll revokes all seats before the first guest leaves. The caller must hold mu.
func (r *Room) revokeAll() {
	held := r.guests
	r.guests = map[string]*guest{}
	for _, g := range held {
		r.leaving[g] = struct{}{}
	}
	for _, g := range held {
		g.end(reasonOver)
	}
}

// dismiss is revoke for callers that do not hold mu.
func (r *Room) dismiss(g *guest, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.revoke(g, why)
}

// release undoes place when the guest is completely gone.
func (r *Room) release(g *guest) {
	g.at.Table.Dismiss(g.user)
	r.mu.Lock()
	if r.guests[g.secret] == g {
		delete(r.guests, g.secret)
	}
	delete(r.leaving, g)
	r.mu.Unlock()
	close(g.released)
	r.work.Done()
}

// removedSeats are the seats that a game master revoked, by their user ids. The zero value is empty.
type removedSeats []string

func (s *removedSeats) add(user string) {
	if len(*s) >= maxRemoved {
		*s = slices.Delete(*s, 0, 1)
	}
	*s = append(*s, user)
}

func (s removedSeats) has(user string) bool { return slices.Contains(s, user) }

// userID returns a guest's id for records. It does not reveal the secret.
func userID(secret string) string {
	sum := sha256.Sum256([]byte("glyphoxa seat " + secret))
	return hex.EncodeToString(sum[:10])
}
