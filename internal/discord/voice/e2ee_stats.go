package voice

import (
	"errors"
	"time"
)

// GroupFailures counts frames that failed to decrypt, by cause.
type GroupFailures struct {
	Padding, NoKey, Plain, Replay, TooOld, Tag uint64
}

func (f *GroupFailures) count(err error) {
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

// Total returns the sum of all causes.
func (f GroupFailures) Total() uint64 {
	return f.Padding + f.NoKey + f.Plain + f.Replay + f.TooOld + f.Tag
}

// GroupStats counts the events of a Group.
type GroupStats struct {
	Encrypted, Decrypted     uint64 // frames
	PlainSent, PlainReceived uint64 // frames that were rightly unencrypted
	NotReady                 uint64 // frames not sent because there were no keys
	Failed                   GroupFailures
	Epochs                   uint64 // used for sending
	CommitsSent              uint64
	ProposalsRefused         uint64
	ExchangesFailed          uint64 // commits and welcomes that could not be applied
	Recoveries               uint64 // attempts to start over
	Downgrades               uint64
	Panics                   uint64 // of the library; each also counts as a failure
}

// Stats returns the counts so far.
func (m *media) Stats() GroupStats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stats
}

// GroupState is the state of a Group.
type GroupState struct {
	// Version is the protocol version of outgoing frames, 0 without end-to-end encryption.
	Version int
	// Encrypted reports whether there are keys, so that frames are sent encrypted.
	Encrypted bool
	// Failed reports that no keys could be agreed on and a new connection is needed.
	Failed bool
	// Epoch counts the group's key changes.
	Epoch uint64
	// Members is the number of members, including the bot.
	Members int
}

// State returns the current state.
func (m *media) State() GroupState {
	m.mu.Lock()
	defer m.mu.Unlock()
	st := GroupState{Version: m.version, Encrypted: m.version > 0 && m.canSend(time.Now()), Failed: m.failed}
	if m.active != nil {
		st.Epoch, st.Members = m.active.number, len(m.active.members)
	}
	return st
}

// PrivacyCode returns the epoch's code of 30 digits, which all members see alike if no one intercepts the
// connection. It is empty without end-to-end encryption.
func (m *media) PrivacyCode() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.version == 0 || m.active == nil {
		return ""
	}
	return m.active.code
}
