package voice

import (
	"fmt"
	"slices"
	"time"
)

// OnDavePrepareTransition prepares a change of version (op 21). Transition 0 is executed immediately.
func (s *Group) OnDavePrepareTransition(id, version uint16) {
	s.last, s.next = id, int(version)
	t := transition{id: id, version: int(version)}
	if id == 0 && version > 0 && s.group != nil && s.group.exists && !s.group.established {
		t.epoch = s.soleEpoch()
	}
	if id != 0 && version == 0 {
		s.openPassthrough(downgradeWindow)
	}
	s.prepare(t)
}

// soleEpoch returns the keys of the group in which we are alone, once, because keys derived a second time
// would reuse their nonces.
func (s *Group) soleEpoch() *epoch {
	s.mu.Lock()
	again := s.active != nil && s.active.serial == s.serial
	s.mu.Unlock()
	if again {
		return nil
	}
	var e *epoch
	if err := s.guard(func() (err error) { e, err = newEpoch(s.group, s.serial); return err }); err != nil {
		s.log.Warn("there are no keys to be alone with", "error", err)
		return nil
	}
	return e
}

// prepare queues a transition for execution, and reports that we are ready (op 23). Transition 0 is executed
// immediately.
func (s *Group) prepare(t transition) {
	if t.id == 0 {
		s.execute(t)
		return
	}
	s.pending = slices.DeleteFunc(s.pending, func(p transition) bool { return p.id == t.id })
	if len(s.pending) == maxPending {
		s.pending = slices.Delete(s.pending, 0, 1)
	}
	s.pending = append(s.pending, t)
	if t.epoch != nil {
		s.mu.Lock()
		s.receiving = append(s.receiving, t.epoch)
		s.bound()
		s.mu.Unlock()
	}
	_ = s.callbacks.SendReadyForTransition(t.id) // a lost connection starts over
}

// OnDaveExecuteTransition executes a queued transition (op 22).
func (s *Group) OnDaveExecuteTransition(id uint16) {
	i := slices.IndexFunc(s.pending, func(t transition) bool { return t.id == id })
	if i < 0 {
		return
	}
	t := s.pending[i]
	s.pending = slices.Delete(s.pending, i, i+1)
	s.execute(t)
}

// execute changes the version and keys of outgoing frames.
func (s *Group) execute(t transition) {
	now := time.Now()
	if t.epoch != nil { // earlier transitions will not be executed any more
		s.pending = slices.DeleteFunc(s.pending, func(p transition) bool {
			return p.epoch != nil && (p.epoch.serial < t.epoch.serial || p.epoch.serial == t.epoch.serial && p.epoch.number < t.epoch.number)
		})
		s.recoveries = 0
	}
	if t.version == 0 {
		s.group, s.commitAt, s.confirmBy = nil, time.Time{}, time.Time{}
	}
	waits := func(e *epoch) bool {
		return slices.ContainsFunc(s.pending, func(p transition) bool { return p.epoch == e })
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.version == 0 && t.version > 0 {
		s.passUntil = now.Add(upgradeWindow)
	}
	if s.version > 0 && t.version == 0 {
		s.stats.Downgrades++
		s.passUntil = time.Time{} // the downgrade is no longer pending
	}
	s.version = t.version
	if t.version == 0 {
		s.replaceActive(nil, s.self, now, waits)
	} else if t.epoch != nil && t.epoch != s.active {
		s.replaceActive(t.epoch, s.self, now, waits)
	}
}

// guard converts a panic of the libraries into an error.
func (m *media) guard(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			m.count(func(st *GroupStats) { st.Panics++ })
			err = fmt.Errorf("the encryption library panicked: %v", p)
		}
	}()
	return do()
}
