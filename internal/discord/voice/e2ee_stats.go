package voice

import (
	"errors"
	"time"
)

// GroupFailures counts frames that did not decrypt, by cause.
type GroupFailures struct {
	Padding, NoKey, Plain, Replay, TooOld, Tag uint64
}

func (f *GroupFailures) note(err error) {
	for _, c := range []struct {
		err error
		n   *uint64
	}{{ErrFramePadding, &f.Padding}, {ErrNoKey, &f.NoKey}, {ErrPlain, &f.Plain}, {ErrReplay, &f.Replay}, {ErrTooOld, &f.TooOld}, {ErrTag, &f.Tag}} {
		if errors.Is(err, c.err) {
			*c.n++
			return
		}
	}
}

// Total is how many there are of all causes.
func (f GroupFailures) Total() uint64 {
	return f.Padding + f.NoKey + f.Plain + f.Replay + f.TooOld + f.Tag
}

// GroupStats counts what a session did.
type GroupStats struct {
	Encrypted, Decrypted     uint64 // frames
	PlainSent, PlainReceived uint64 // frames that were not encrypted, as was right
	NotReady                 uint64 // frames that were not sent for want of keys
	Failed                   GroupFailures
	Epochs                   uint64 // that were sent in
	CommitsSent              uint64
	ProposalsRefused         uint64
	ExchangesFailed          uint64 // commits and welcomes that could not be taken up
	Recoveries               uint64 // how often it began anew
	Downgrades               uint64
	Panics                   uint64 // of the library, each of them a failure besides
}

// GroupStats returns what was counted so far.
func (m *media) Stats() GroupStats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stats
}

// GroupState is how a session stands.
type GroupState struct {
	// Version is the protocol's that frames are sent with, 0 without end-to-end
	// encryption.
	Version int
	// Encrypted tells that there are keys: frames are sent encrypted.
	Encrypted bool
	// Failed tells that no keys can be agreed on: it takes a new connection.
	Failed bool
	// Epoch counts the changes of keys in the group.
	Epoch uint64
	// Members is how many the group has, ourselves among them.
	Members int
}

// GroupState returns how the session stands.
func (m *media) State() GroupState {
	m.mu.Lock()
	defer m.mu.Unlock()
	st := GroupState{Version: m.version, Encrypted: m.version > 0 && m.canSend(time.Now()), Failed: m.failed}
	if m.active != nil {
		st.Epoch, st.Members = m.active.number, len(m.active.members)
	}
	return st
}

// PrivacyCode returns the 30 digits of the epoch that everybody in the channel
// sees alike if nobody listens in, empty without end-to-end encryption.
func (m *media) PrivacyCode() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.version == 0 || m.active == nil {
		return ""
	}
	return m.active.code
}
