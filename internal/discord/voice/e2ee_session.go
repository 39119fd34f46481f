package voice

import (
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/disgoorg/godave"
)

const (
	// DAVEVersion is the supported protocol version.
	DAVEVersion = 1
	// maxGroupUsers bounds the users in a channel.
	maxGroupUsers = 4096
	// maxPending bounds the transitions waiting for execution.
	maxPending = 16
	// maxGroupMessage bounds a message of the key exchange, in bytes.
	maxGroupMessage = 1 << 20

	// keyLife is how long replaced keys remain valid.
	keyLife = 10 * time.Second
	// commitHold is how long our commit waits for another member's, because it is better if an audited
	// implementation welcomes new members than ours.
	commitHold = 300 * time.Millisecond
	// confirmation is how long the voice gateway may take to announce a commit, or to add us to a group
	// again.
	confirmation = 15 * time.Second
	// Unencrypted frames are accepted for this long after an upgrade or a new group, and while a downgrade is
	// pending.
	upgradeWindow   = 10 * time.Second
	downgradeWindow = 24 * time.Second
	// maxRecoveries bounds the attempts to start over. After that, a new connection is needed.
	maxRecoveries = 3
	// maxGroupFailures bounds the consecutive frames that may fail.
	maxGroupFailures = 36
	// recoveryPause is the minimum time between two attempts to start over because of failed frames; it
	// doubles up to maxRecoveryPause.
	recoveryPause    = 5 * time.Second
	maxRecoveryPause = 5 * time.Minute
)

// GroupOptions are the optional settings of a Group.
type GroupOptions struct {
	// Logger receives warnings. If nil, they are discarded. No key is ever logged.
	Logger *slog.Logger
}

// Group is a bot's side of the end-to-end encryption of one voice connection. It ends with the connection.
//
// Encrypt, MaxEncryptedFrameSize, Decrypt, MaxDecryptedFrameSize, Ready, State, Stats and PrivacyCode are
// safe for concurrent use and never wait for the key exchange. All other methods must be called from one
// goroutine, which also runs the callbacks.
type Group struct {
	self, channel uint64
	callbacks     godave.Callbacks
	log           *slog.Logger

	// Owned by the goroutine that controls the session.
	group      *group // nil at version 0
	serial     int    // of the group
	sender     []byte // the external sender, nil until announced
	users      map[uint64]bool
	next       int // version after the next transition
	pending    []transition
	commitAt   time.Time // when to send our commit; zero for never
	confirmBy  time.Time // when to start over if no commit was announced
	recoveries int       // since the last new epoch
	last       uint16    // the latest announced transition

	media
}

// transition is a transition waiting for execution.
type transition struct {
	id      uint16
	version int
	epoch   *epoch // nil if the group does not change, or is left
}

var _ godave.Session = (*Group)(nil)

// NewGroup returns a Group for a user in a channel.
func NewGroup(user godave.UserID, channel godave.ChannelID, callbacks godave.Callbacks, opts *GroupOptions) (*Group, error) {
	self, err := strconv.ParseUint(string(user), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("user %q is no id of Discord's", user)
	}
	s := &Group{
		self: self, channel: uint64(channel), callbacks: callbacks, log: slog.New(slog.DiscardHandler), users: map[uint64]bool{},
		media: media{woken: make(chan struct{}, 1), pause: recoveryPause},
	}
	if opts != nil && opts.Logger != nil {
		s.log = opts.Logger
	}
	return s, nil
}

// MaxSupportedProtocolVersion implements [godave.Session].
func (s *Group) MaxSupportedProtocolVersion() int { return DAVEVersion }

// SetChannelID implements [godave.Session]. It takes effect with the next group.
func (s *Group) SetChannelID(channel godave.ChannelID) { s.channel = uint64(channel) }

// AssignSsrcToCodec implements [godave.Session]. It does nothing, because all outgoing frames are Opus.
func (s *Group) AssignSsrcToCodec(uint32, godave.Codec) {}

// AddUser records that a user is in the channel. Only recorded users may join the group.
func (s *Group) AddUser(user godave.UserID) {
	id, err := strconv.ParseUint(string(user), 10, 64)
	if err != nil || len(s.users) >= maxGroupUsers {
		s.log.Warn("a user of the voice channel is not counted", "user", string(user), "users", len(s.users))
		return
	}
	s.users[id] = true
}

// RemoveUser records that a user has left the channel.
func (s *Group) RemoveUser(user godave.UserID) {
	if id, err := strconv.ParseUint(string(user), 10, 64); err == nil {
		delete(s.users, id)
	}
}

func (s *Group) knows(user uint64) bool { return s.users[user] }

// Due returns when to call Tick next, zero for never.
func (s *Group) Due() time.Time {
	due := s.commitAt
	if due.IsZero() || !s.confirmBy.IsZero() && s.confirmBy.Before(due) {
		due = s.confirmBy
	}
	return due
}

// Tick runs the actions that are due.
func (s *Group) Tick() {
	now := time.Now()
	if !s.commitAt.IsZero() && !now.Before(s.commitAt) {
		s.sendCommit()
	}
	if !s.confirmBy.IsZero() && !now.Before(s.confirmBy) {
		s.log.Warn("the voice gateway announced no new keys in time")
		s.restartExchange(s.last)
	}
	if s.hasFailed() && len(s.pending) == 0 && s.group != nil {
		s.log.Warn("too many frames in a row did not decrypt")
		s.restartExchange(s.last)
	}
}

// Close discards all keys. Frames can be neither sent nor received afterwards.
func (s *Group) Close() error {
	s.group, s.pending, s.commitAt, s.confirmBy = nil, nil, time.Time{}, time.Time{}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version, s.active, s.receiving, s.sending, s.passUntil = DAVEVersion, nil, nil, nil, time.Time{}
	return nil
}
