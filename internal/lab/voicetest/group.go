package voicetest

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/davesender"
)

// group is a channel's end-to-end encryption, guarded by Server.mu: it passes
// messages between participants and the delivery service.
type group struct {
	room      *room
	service   *davesender.Service  // nil for a stage
	committer string               // the only user whose commits count, unless empty
	deadlines map[uint16]time.Time // when transitions are executed, ready or not
	announced uint16               // the last transition that was announced
}

// stranger is the id of an imaginary user whose client lacks DAVE.
const stranger = 1

func (r *room) newGroup(stage bool) group {
	g := group{room: r, deadlines: map[uint16]time.Time{}}
	if !stage {
		g.service = davesender.NewService(g.number(r.channel))
		g.service.FirstAtOnce = !r.s.opts.NumberFirst
	}
	return g
}

// number returns a snowflake as MLS encodes it.
func (g *group) number(id string) uint64 {
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil {
		g.room.s.fault("DAVE: %q is no snowflake", id)
	}
	return n
}

// version returns the version in the session description of a client with a
// version.
func (g *group) version(highest int) int {
	if g.service == nil {
		return 0
	}
	return g.service.Version(highest)
}

// enter adds a participant that has the transport keys.
func (g *group) enter(p *participant) {
	if g.service != nil {
		g.deliver(g.service.Join(g.number(p.user), p.dave))
	}
}

// leave removes a participant.
func (g *group) leave(user string) {
	if g.service != nil {
		g.deliver(g.service.Leave(g.number(user)))
	}
}

// deliver sends the service's messages to the participants.
func (g *group) deliver(all []davesender.Message) {
	for _, m := range all {
		switch m.Op {
		case OpPrepareTransition:
			var d struct {
				ID uint16 `json:"transition_id"`
			}
			if json.Unmarshal(m.Data, &d) == nil {
				g.announced = max(g.announced, d.ID)
			}
		case OpAnnounceCommit, OpWelcome:
			g.announced = max(g.announced, binary.BigEndian.Uint16(m.Data))
		}
		p := g.room.members[strconv.FormatUint(m.To, 10)]
		switch {
		case p == nil: // The participant is gone for good, or the stranger.
		case davesender.Binary(m.Op):
			p.sendBinary(m.Op, m.Data)
		default:
			p.send(m.Op, json.RawMessage(m.Data))
		}
	}
	pending := g.service.Pending()
	for _, id := range pending {
		if _, known := g.deadlines[id]; !known {
			g.deadlines[id] = time.Now().Add(g.room.s.opts.Transition)
		}
	}
	for id := range g.deadlines {
		if !slices.Contains(pending, id) {
			delete(g.deadlines, id)
		}
	}
	g.room.s.touch()
}

// pass executes transitions whose deadline has passed.
func (g *group) pass(now time.Time) {
	if g.service == nil || g.service.Hold {
		return
	}
	for _, id := range g.service.Pending() {
		if now.After(g.deadlines[id]) {
			g.deliver(g.service.Execute(id))
		}
	}
}

// takeKeyPackage adds a client that sent opcode 26.
func (g *group) takeKeyPackage(p *participant, data []byte) {
	p.stats.KeyPackages++
	if g.service == nil {
		p.s.fault("DAVE: user %s sends a key package where nothing is encrypted", p.user)
		return
	}
	out, err := g.service.Receive(g.number(p.user), davesender.OpKeyPackage, data)
	if err != nil {
		p.conn.blame(CloseBadRequest, fmt.Sprintf("key package: %v", err))
		return
	}
	g.deliver(out)
}

// takeCommit relays the first valid commit of an epoch and drops all others.
func (g *group) takeCommit(p *participant, data []byte) {
	p.stats.Commits++
	p.s.touch()
	if g.service == nil {
		p.s.fault("DAVE: user %s sends a commit where nothing is encrypted", p.user)
		return
	}
	if g.committer != "" && g.committer != p.user {
		return
	}
	out, err := g.service.Receive(g.number(p.user), davesender.OpCommitWelcome, data)
	switch {
	case errors.Is(err, davesender.ErrLate):
	case err != nil:
		p.conn.blame(CloseBadRequest, fmt.Sprintf("commit: %v", err))
	default:
		p.stats.CommitsWon++
		g.deliver(out)
	}
}

// transition handles a participant's readiness, or its report of an invalid
// commit.
func (g *group) transition(p *participant, op int, id uint16, data []byte) {
	switch {
	case op == opInvalidCommit:
		p.stats.Invalid++
	case id == 0 || id > g.announced:
		p.s.fault("DAVE: user %s is ready for transition %d, which nobody asked for", p.user, id)
	default:
		p.stats.Transitions++
	}
	p.s.touch()
	if g.service == nil {
		return
	}
	out, err := g.service.Receive(g.number(p.user), op, data)
	if err == nil { // Others have been executed already.
		g.deliver(out)
	}
}

// change moves a channel to another version of DAVE, as when a client without
// it joins, and leaves again.
func (g *group) change(version int) {
	if version == 0 {
		g.deliver(g.service.Join(stranger, 0))
	} else {
		g.deliver(g.service.Leave(stranger))
	}
}
