package davesender

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// The operations, by Discord's numbers.
const (
	OpPrepareTransition = 21
	OpExecuteTransition = 22
	OpTransitionReady   = 23
	OpPrepareEpoch      = 24
	OpExternalSender    = 25
	OpKeyPackage        = 26
	OpProposals         = 27
	OpCommitWelcome     = 28
	OpAnnounceCommit    = 29
	OpWelcome           = 30
	OpInvalidCommit     = 31
)

// ErrLate is returned for a commit that came too late: another commit was
// faster, or the proposals have changed since.
var ErrLate = errors.New("commit is too late")

// Binary reports whether an operation's data is binary; otherwise it is JSON.
func Binary(op int) bool { return op >= OpExternalSender && op <= OpWelcome }

// Message is a message from the voice gateway to a user: JSON for "d", or the
// data after the opcode of a binary frame.
type Message struct {
	To   uint64
	Op   int
	Data []byte
}

// user is a client connected to the channel.
type user struct {
	version    int    // the highest version the client speaks
	keyPackage []byte // nil unless the user waits to be added
}

// transition waits for users to be ready.
type transition struct {
	version int
	waiting map[uint64]bool
}

// Service is the delivery service of one channel. It is not safe for concurrent
// use. Tests change its behaviour by dropping, delaying or reordering its
// messages, and by Execute.
type Service struct {
	// FirstAtOnce announces a group's first commit under transition 0, which
	// takes effect at once, instead of under one that waits for all users.
	// Users without encryption before always wait.
	FirstAtOnce bool
	// Hold keeps ready transitions until Execute.
	Hold bool

	sender      *Sender
	version     int // of the channel now
	users       map[uint64]*user
	established bool
	epoch       uint64
	leaves      []uint64 // of the group, by index; 0 is blank
	proposals   []proposal
	transitions map[uint16]*transition
	last        uint16 // the transition announced last
}

// NewService returns the service of an empty channel.
func NewService(channel uint64) *Service {
	return &Service{sender: NewSender(channel), version: 1, users: map[uint64]*user{}, transitions: map[uint16]*transition{}}
}

// Version returns the protocol version for op 4 to a client that speaks up to
// max; Join takes the same version.
func (s *Service) Version(max int) int {
	if max == 0 || s.version == 0 && len(s.users) > 0 {
		return 0
	}
	return 1
}

// Epoch returns the epoch of the group, 0 before it is established.
func (s *Service) Epoch() uint64 { return s.epoch }

// Pending returns the waiting transitions in ascending order.
func (s *Service) Pending() []uint16 { return slices.Sorted(maps.Keys(s.transitions)) }

// Members returns the group's members.
func (s *Service) Members() []uint64 {
	return slices.DeleteFunc(slices.Clone(s.leaves), func(u uint64) bool { return u == 0 })
}

// Join adds a user whose client speaks DAVE up to a version. Call it after op 4
// was sent to the user.
func (s *Service) Join(id uint64, version int) []Message {
	if len(s.users) == 0 {
		s.version = min(version, 1)
	}
	s.users[id] = &user{version: version}
	if version == 0 {
		return s.downgrade()
	}
	if s.version == 0 {
		return nil
	}
	return []Message{{To: id, Op: OpExternalSender, Data: s.sender.Package()}}
}

// Leave removes a user.
func (s *Service) Leave(id uint64) []Message {
	u, ok := s.users[id]
	if !ok {
		return nil
	}
	delete(s.users, id)
	for _, t := range s.transitions {
		delete(t.waiting, id)
	}
	if u.version == 0 && s.version == 0 {
		return s.upgrade()
	}
	if s.version == 0 {
		return nil
	}
	out := s.revoke(id)
	switch {
	case s.established && len(s.users) == 1:
		return append(out, s.resetSoleMember()...)
	case slices.Contains(s.leaves, id):
		out = append(out, s.propose(s.sender.remove(s.epoch, id, uint32(slices.Index(s.leaves, id))))...)
	}
	return append(out, s.executeReady()...)
}

// Receive handles a message from a user's client. An error means that the
// service ignored the message, for example because it came too late; the client
// gets no reply then.
func (s *Service) Receive(from uint64, op int, data []byte) ([]Message, error) {
	u, ok := s.users[from]
	if !ok {
		return nil, errors.New("user is not in the channel")
	}
	switch op {
	case OpKeyPackage:
		if err := check(from, data); err != nil {
			return nil, err
		}
		out := s.revoke(from)
		if !s.established && u.keyPackage == nil && len(s.proposals) > 0 { // the key package came after the proposals
			out = append(out, Message{To: from, Op: OpProposals, Data: appended(s.proposals)})
		}
		u.keyPackage = slices.Clone(data)
		if leaf := slices.Index(s.leaves, from); leaf >= 0 && !s.isLeaving(from) {
			out = append(out, s.propose(s.sender.remove(s.epoch, from, uint32(leaf)))...)
		}
		return append(out, s.propose(s.sender.add(s.epoch, from, u.keyPackage))...), nil
	case OpCommitWelcome:
		return s.commit(from, data)
	case OpTransitionReady, OpInvalidCommit:
		var d struct {
			ID *uint16 `json:"transition_id"`
		}
		if err := json.Unmarshal(data, &d); err != nil || d.ID == nil {
			return nil, fmt.Errorf("reading op %d: %v, %s", op, err, data)
		}
		if op == OpTransitionReady {
			t, ok := s.transitions[*d.ID]
			if !ok || !t.waiting[from] {
				return nil, fmt.Errorf("nobody waits for transition %d", *d.ID)
			}
			delete(t.waiting, from)
			return s.executeReady(), nil
		}
		return s.expel(from), nil
	}
	return nil, fmt.Errorf("op %d is not a client's", op)
}

func check(from uint64, keyPackage []byte) error {
	id, err := identity(keyPackage)
	if err != nil {
		return err
	}
	if id != from {
		return fmt.Errorf("key package of %d is for %d", from, id)
	}
	return nil
}

// Execute executes a transition, even if users are not ready.
func (s *Service) Execute(id uint16) []Message {
	t, ok := s.transitions[id]
	if !ok {
		return nil
	}
	delete(s.transitions, id)
	if s.version != t.version {
		s.version = t.version
		if s.version == 0 {
			s.forget()
		}
	}
	var out []Message
	for _, u := range s.speakers() {
		out = append(out, Message{To: u, Op: OpExecuteTransition, Data: fmt.Appendf(nil, `{"transition_id":%d}`, id)})
	}
	return out
}

func (s *Service) executeReady() (out []Message) {
	if s.Hold {
		return nil
	}
	for _, id := range s.Pending() {
		if len(s.transitions[id].waiting) == 0 {
			out = append(out, s.Execute(id)...)
		}
	}
	return out
}

// speakers are the users whose clients speak DAVE.
func (s *Service) speakers() []uint64 {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(s.users)), func(id uint64) bool { return s.users[id].version == 0 })
}

// isLeaving reports whether a member is proposed to be removed.
func (s *Service) isLeaving(id uint64) bool {
	return slices.ContainsFunc(s.proposals, func(p proposal) bool { return !p.add && p.user == id })
}

// propose broadcasts a proposal: to the remaining members of a group, or to all
// other users that are creating one. It skips a user that reported a bad
// commit, because that user has no group left and @discordjs/voice fails on the
// proposal.
func (s *Service) propose(p proposal) (out []Message) {
	s.proposals = append(s.proposals, p)
	for _, id := range s.speakers() {
		if s.established && slices.Contains(s.leaves, id) && !s.isLeaving(id) || !s.established && id != p.user {
			out = append(out, Message{To: id, Op: OpProposals, Data: appended([]proposal{p})})
		}
	}
	return out
}

// revoke withdraws the proposal to add a user.
func (s *Service) revoke(id uint64) (out []Message) {
	i := slices.IndexFunc(s.proposals, func(p proposal) bool { return p.add && p.user == id })
	if i < 0 {
		return nil
	}
	gone := s.proposals[i]
	s.proposals = slices.Delete(s.proposals, i, i+1)
	for _, to := range s.speakers() {
		if s.established && slices.Contains(s.leaves, to) || !s.established && to != id {
			out = append(out, Message{To: to, Op: OpProposals, Data: revoked([]proposal{gone})})
		}
	}
	return out
}

// expel removes a member that cannot follow, so that its next key package adds
// it again.
func (s *Service) expel(id uint64) (out []Message) {
	out = s.revoke(id)
	for _, t := range s.transitions {
		delete(t.waiting, id)
	}
	if leaf := slices.Index(s.leaves, id); leaf >= 0 && !s.isLeaving(id) {
		out = append(out, s.propose(s.sender.remove(s.epoch, id, uint32(leaf)))...)
	}
	return append(out, s.executeReady()...)
}

// commit accepts the first valid commit of an epoch.
func (s *Service) commit(from uint64, payload []byte) ([]Message, error) {
	c, err := readCommit(s.sender.channel, payload)
	if err != nil {
		return nil, err
	}
	if c.epoch != s.epoch {
		return nil, fmt.Errorf("%w: it is for epoch %d, the group is in %d", ErrLate, c.epoch, s.epoch)
	}
	if c.member != nil && (len(c.member) != 8 || binary.BigEndian.Uint64(c.member) != from) {
		return nil, errors.New("commit is signed by another")
	}
	leaves := slices.Clone(s.leaves)
	if !s.established {
		leaves = []uint64{from}
	}
	if int(c.leaf) >= len(leaves) || leaves[c.leaf] != from {
		return nil, fmt.Errorf("commit comes from leaf %d, which is not the sender's", c.leaf)
	}
	added, err := s.apply(&leaves, from, c)
	if err != nil {
		return nil, err
	}
	if (len(added) > 0) != (len(c.rest) > 0) {
		return nil, fmt.Errorf("commit adds %d members and has a welcome of %d bytes", len(added), len(c.rest))
	}
	return s.announce(from, leaves, added, c), nil
}

// apply executes the proposals of a commit, which must be all open ones, and
// returns the new members.
func (s *Service) apply(leaves *[]uint64, from uint64, c commit) (added []uint64, err error) {
	var chosen []proposal
	for _, ref := range c.refs {
		i := slices.IndexFunc(s.proposals, func(p proposal) bool { return p.ref == ref })
		if i < 0 {
			return nil, fmt.Errorf("%w: it refers to what is not proposed", ErrLate)
		}
		chosen = append(chosen, s.proposals[i])
	}
	for _, p := range s.proposals {
		own := !s.established && p.user == from
		if !own && !slices.Contains(c.refs, p.ref) {
			return nil, fmt.Errorf("%w: it leaves out what is proposed", ErrLate)
		}
	}
	if len(chosen) == 0 {
		return nil, errors.New("commit does nothing")
	}
	slices.SortStableFunc(chosen, func(a, b proposal) int { return cmp.Compare(order(a), order(b)) })
	for _, p := range chosen {
		if !p.add {
			(*leaves)[p.leaf] = 0
			for n := len(*leaves); n > 0 && (*leaves)[n-1] == 0; n-- {
				*leaves = (*leaves)[:n-1]
			}
			continue
		}
		if free := slices.Index(*leaves, 0); free >= 0 {
			(*leaves)[free] = p.user
		} else {
			*leaves = append(*leaves, p.user)
		}
		added = append(added, p.user)
	}
	return added, nil
}

// order puts removals first, as in MLS.
func order(p proposal) int {
	if p.add {
		return 1
	}
	return 0
}

// announce advances the group by a commit.
func (s *Service) announce(from uint64, leaves, added []uint64, c commit) (out []Message) {
	id := uint16(0)
	if s.established || !s.FirstAtOnce || s.version == 0 {
		id = s.announced()
	}
	old := s.leaves
	if !s.established {
		old = []uint64{from}
	}
	waiting := map[uint64]bool{}
	for _, to := range leaves {
		if to == 0 || s.users[to] == nil {
			continue
		}
		waiting[to] = true
		m := Message{To: to, Op: OpAnnounceCommit, Data: append(binary.BigEndian.AppendUint16(nil, id), c.raw...)}
		if slices.Contains(added, to) {
			m = Message{To: to, Op: OpWelcome, Data: append(binary.BigEndian.AppendUint16(nil, id), c.rest...)}
			s.users[to].keyPackage = nil
		} else if !slices.Contains(old, to) {
			continue
		}
		out = append(out, m)
	}
	s.established, s.epoch, s.leaves, s.proposals = true, c.epoch+1, leaves, nil
	s.users[from].keyPackage = nil
	if id != 0 {
		s.transitions[id] = &transition{version: 1, waiting: waiting}
	} else {
		s.version = 1
	}
	return out
}

// announced returns the next transition's id, which is never 0.
func (s *Service) announced() uint16 {
	s.last++
	if s.last == 0 {
		s.last = 1
	}
	return s.last
}

// forget deletes the group.
func (s *Service) forget() {
	s.established, s.epoch, s.leaves, s.proposals = false, 0, nil, nil
	for _, u := range s.users {
		u.keyPackage = nil
	}
}

// resetSoleMember lets the only remaining user start a new group.
func (s *Service) resetSoleMember() (out []Message) {
	s.forget()
	clear(s.transitions)
	for _, id := range s.speakers() {
		out = append(out,
			Message{To: id, Op: OpPrepareEpoch, Data: []byte(`{"protocol_version":1,"epoch":1}`)},
			Message{To: id, Op: OpPrepareTransition, Data: []byte(`{"transition_id":0,"protocol_version":1}`)})
	}
	return out
}

// downgrade turns encryption off for all users, because one client lacks it.
func (s *Service) downgrade() (out []Message) {
	if s.version == 0 {
		return nil
	}
	id, waiting := s.announced(), map[uint64]bool{}
	for _, to := range s.speakers() {
		waiting[to] = true
		out = append(out, Message{To: to, Op: OpPrepareTransition, Data: fmt.Appendf(nil, `{"transition_id":%d,"protocol_version":0}`, id)})
	}
	s.transitions[id] = &transition{version: 0, waiting: waiting}
	return append(out, s.executeReady()...)
}

// upgrade turns encryption on again if all clients support it. The transition
// comes with the group's first commit.
func (s *Service) upgrade() (out []Message) {
	if len(s.users) == 0 || len(s.speakers()) < len(s.users) {
		return nil
	}
	s.forget()
	for _, id := range s.speakers() {
		out = append(out,
			Message{To: id, Op: OpPrepareEpoch, Data: []byte(`{"protocol_version":1,"epoch":1}`)},
			Message{To: id, Op: OpExternalSender, Data: s.sender.Package()})
		if len(s.users) == 1 {
			s.version = 1
			out = append(out, Message{To: id, Op: OpPrepareTransition, Data: []byte(`{"transition_id":0,"protocol_version":1}`)})
		}
	}
	return out
}
