package voice

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"
)

// OnSelectProtocolAck starts with the version from op 4. The connection is new, so it discards all earlier
// state.
func (s *Group) OnSelectProtocolAck(version uint16) {
	s.next, s.pending, s.recoveries = int(version), nil, 0
	s.group, s.commitAt, s.confirmBy = nil, time.Time{}, time.Time{}
	s.mu.Lock()
	s.version, s.active, s.receiving, s.sending = int(version), nil, nil, nil
	s.failures, s.failing, s.failed = 0, false, false
	s.mu.Unlock()
	if version > 0 {
		s.beginGroup()
	}
}

// OnDavePrepareEpoch starts a new group if the epoch is 1 (op 24).
func (s *Group) OnDavePrepareEpoch(epoch int, version uint16) {
	s.next = int(version)
	if epoch != 1 {
		return
	}
	if version == 0 {
		s.group = nil
		return
	}
	s.openPassthrough(upgradeWindow)
	s.recoveries = 0
	s.beginGroup()
}

// beginGroup creates and sends a key package, and creates a group of our own if the external sender is known.
// The keys in use remain in use.
func (s *Group) beginGroup() {
	s.serial++
	s.commitAt, s.confirmBy = time.Time{}, time.Time{}
	g, err := newGroup(s.self, s.channel)
	if err != nil {
		s.log.Error("no keys can be made", "error", err)
		s.group = nil
		return
	}
	s.group = g
	_ = s.callbacks.SendMLSKeyPackage(g.keyPackage) // a lost connection starts over
	if s.sender != nil {
		s.createGroup()
	}
}

func (s *Group) createGroup() {
	if err := s.guard(func() error { return s.group.create(s.sender) }); err != nil {
		s.log.Warn("the voice gateway's key is not used", "error", err)
	}
}

// OnDaveMLSExternalSenderPackage sets the external sender, whose proposals are accepted (op 25).
func (s *Group) OnDaveMLSExternalSenderPackage(sender []byte) {
	if len(sender) > maxGroupMessage || bytes.Equal(sender, s.sender) {
		return
	}
	s.sender = slices.Clone(sender)
	if s.group != nil && !s.group.established {
		s.createGroup()
	}
}

// OnDaveMLSProposals handles proposals to add and remove members, or their revocation (op 27), and commits
// them unless another member does.
func (s *Group) OnDaveMLSProposals(payload []byte) {
	if s.group == nil || !s.group.exists || len(payload) > maxGroupMessage {
		return // as the protocol requires
	}
	changed, err := false, error(nil)
	if failed := s.guard(func() error { changed, err = s.readProposals(payload); return nil }); failed != nil {
		err = failed
	}
	if err != nil {
		s.count(func(st *GroupStats) { st.ProposalsRefused++ })
		s.log.Warn("a proposal of the voice gateway is not taken up", "error", err)
	}
	if !changed {
		return
	}
	if !s.group.mayCommit() {
		s.commitAt = time.Time{}
		if len(s.group.proposed) == 0 { // no commit will be announced
			s.confirmBy = time.Time{}
		}
		return
	}
	if hold := s.commitDelay(); hold > 0 {
		if s.commitAt.IsZero() {
			s.commitAt = time.Now().Add(hold)
		}
		return
	}
	s.sendCommit()
}

// readProposals reads the payload of op 27 and reports whether the proposals changed.
func (s *Group) readProposals(payload []byte) (changed bool, err error) {
	if len(payload) == 0 {
		return false, errors.New("proposals are missing")
	}
	list, rest, err := readVector(payload[1:])
	if err != nil || len(rest) > 0 {
		return false, errors.New("proposals are cut off")
	}
	switch payload[0] {
	case 0:
		for len(list) > 0 {
			n, err := proposalSize(list)
			if err != nil {
				return changed, err
			}
			took, err := s.group.propose(list[:n], s.knows)
			if err != nil {
				return true, err
			}
			changed, list = changed || took, list[n:]
		}
		return changed, nil
	case 1:
		var refs [][]byte
		for len(list) > 0 {
			ref, rest, err := readVector(list)
			if err != nil {
				return false, err
			}
			refs, list = append(refs, ref), rest
		}
		return true, s.group.revoke(refs)
	}
	return false, fmt.Errorf("what is to be done with proposals is unknown: %d", payload[0])
}

// commitDelay returns how long to delay our commit: zero if it welcomes no one, or if no one else could commit.
func (s *Group) commitDelay() time.Duration {
	if !s.group.adds() {
		return 0
	}
	if !s.group.established { // every member has its own group
		for user := range s.users {
			if user != s.self {
				return commitHold
			}
		}
		return 0
	}
	members, err := s.group.members()
	if err != nil {
		return commitHold
	}
	for _, m := range members {
		if m.user != s.self && s.users[m.user] && !s.group.isRemoved(m.user) {
			return commitHold
		}
	}
	return 0
}

// sendCommit commits the proposals (op 28).
func (s *Group) sendCommit() {
	s.commitAt = time.Time{}
	if s.group == nil || !s.group.mayCommit() {
		return
	}
	var payload []byte
	if err := s.guard(func() (err error) { payload, err = s.group.commit(); return err }); err != nil {
		s.log.Warn("nothing is committed", "error", err)
		return
	}
	s.count(func(st *GroupStats) { st.CommitsSent++ })
	_ = s.callbacks.SendMLSCommitWelcome(payload) // a lost connection starts over
	s.confirmBy = time.Now().Add(confirmation)
}

// OnDaveMLSPrepareCommitTransition applies the announced commit (op 29).
func (s *Group) OnDaveMLSPrepareCommitTransition(id uint16, commit []byte) {
	s.advance(id, commit, "commit", func(g *group) error { return g.follow(commit) })
}

// OnDaveMLSWelcome joins a group (op 30).
func (s *Group) OnDaveMLSWelcome(id uint16, welcome []byte) {
	s.advance(id, welcome, "welcome", func(g *group) error {
		if s.sender == nil {
			return errSender
		}
		return g.join(welcome, s.sender, s.knows)
	})
}

// advance moves the group to a new epoch and prepares the transition to it.
func (s *Group) advance(id uint16, message []byte, kind string, move func(*group) error) {
	if s.group == nil {
		return // version 0
	}
	s.commitAt, s.confirmBy, s.last = time.Time{}, time.Time{}, id
	var e *epoch
	err := errors.New("message is too long")
	if len(message) <= maxGroupMessage {
		err = s.guard(func() (err error) {
			if err := move(s.group); err != nil {
				return err
			}
			e, err = newEpoch(s.group, s.serial)
			return err
		})
	}
	if errors.Is(err, errNotMine) { // expect a welcome, or start over with new keys
		s.confirmBy = time.Now().Add(confirmation)
		return
	}
	if err != nil {
		s.count(func(st *GroupStats) { st.ExchangesFailed++ })
		s.log.Warn("a message of the key exchange is not taken up", "kind", kind, "transition", id, "error", err)
		s.restartExchange(id)
		return
	}
	s.prepare(transition{id: id, version: max(s.next, DAVEVersion), epoch: e})
}

// restartExchange reports that we cannot follow (op 31), and sends a new key package. After maxRecoveries attempts,
// it gives up.
func (s *Group) restartExchange(id uint16) {
	now := time.Now()
	s.pending, s.commitAt, s.confirmBy = nil, time.Time{}, time.Time{}
	givesUp := s.recoveries == maxRecoveries
	s.recordRecovery(now, givesUp)
	if givesUp {
		s.log.Error("end-to-end encryption does not come about; it takes a new voice connection")
		s.group = nil
		return
	}
	s.recoveries++
	_ = s.callbacks.SendInvalidCommitWelcome(id) // a lost connection starts over
	s.beginGroup()
	s.confirmBy = now.Add(confirmation)
}

// readVector reads an MLS vector with its length prefix.
func readVector(b []byte) (v, rest []byte, err error) {
	if len(b) == 0 || b[0]>>6 == 3 {
		return nil, nil, errors.New("vector is cut off")
	}
	size := 1 << (b[0] >> 6)
	if len(b) < size {
		return nil, nil, errors.New("vector is cut off")
	}
	var n int
	switch size {
	case 1:
		n = int(b[0] & 0x3f)
	case 2:
		n = int(binary.BigEndian.Uint16(b) & 0x3fff)
	default:
		n = int(binary.BigEndian.Uint32(b) & 0x3fff_ffff)
	}
	if n > len(b)-size {
		return nil, nil, errors.New("vector is cut off")
	}
	return b[size : size+n], b[size+n:], nil
}
