package voice

import (
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/disgoorg/godave"
)

const (
	// DAVEVersion is the protocol version that is spoken.
	DAVEVersion = 1
	// maxGroupUsers bounds who may be in a channel.
	maxGroupUsers = 4096
	// maxPending bounds the transitions that wait to be executed.
	maxPending = 16
	// maxGroupMessage bounds a message of the key exchange, in bytes.
	maxGroupMessage = 1 << 20

	// keyLife is how long keys still serve after they were replaced.
	keyLife = 10 * time.Second
	// commitHold is how long a commit of ours waits for another's: whoever joins is
	// rather welcomed by an implementation that was audited than by ours.
	commitHold = 300 * time.Millisecond
	// confirmation is how long the voice gateway may take to announce whose
	// commit counts, and to have us in a group again after we left it.
	confirmation = 15 * time.Second
	// Plain frames are let through for this long after an upgrade or a new group,
	// and while a downgrade waits.
	upgradeWindow   = 10 * time.Second
	downgradeWindow = 24 * time.Second
	// maxRecoveries is how often we begin anew before it takes a new connection.
	maxRecoveries = 3
	// maxGroupFailures is how many frames in a row may fail.
	maxGroupFailures = 36
	// recoveryPause is the shortest time between two attempts to begin anew by
	// ourselves; it doubles up to maxRecoveryPause.
	recoveryPause    = 5 * time.Second
	maxRecoveryPause = 5 * time.Minute
)

// GroupOptions is what a Session may be given beyond who and where it is.
type GroupOptions struct {
	// Logger receives warnings. If nil, they are discarded. No key is ever logged.
	Logger *slog.Logger
}

// Group is the part of one bot in the encryption of one voice connection. It
// ends with the connection.
//
// Encrypt, MaxEncryptedFrameSize, Decrypt, MaxDecryptedFrameSize, Ready, State,
// Stats and PrivacyCode are safe for concurrent use and never wait for the key
// exchange. All other methods belong to one goroutine, which the callbacks are
// called from.
type Group struct {
	self, channel uint64
	callbacks     godave.Callbacks
	log           *slog.Logger

	// Owned by the goroutine that controls the session.
	group      *group // nil at version 0
	serial     int    // of the group
	sender     []byte // the external sender, nil until it is announced
	users      map[uint64]bool
	next       int // the version that the next transition leads to
	pending    []transition
	commitAt   time.Time // when our commit is to be sent; zero for never
	confirmBy  time.Time // when to begin anew if nothing was announced
	recoveries int       // since an epoch was last begun
	last       uint16    // the transition that was told last

	media
}

// transition is one that waits to be executed.
type transition struct {
	id      uint16
	version int
	epoch   *epoch // nil if the group stays as it is, or is left
}

var _ godave.Session = (*Group)(nil)

// NewGroup returns a Session for a user in a channel.
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

// SetChannelID implements [godave.Session]. It counts from the next group on.
func (s *Group) SetChannelID(channel godave.ChannelID) { s.channel = uint64(channel) }

// AssignSsrcToCodec implements [godave.Session]. Everything we send is Opus.
func (s *Group) AssignSsrcToCodec(uint32, godave.Codec) {}

// AddUser tells that a user is in the channel: nobody else may join the group.
func (s *Group) AddUser(user godave.UserID) {
	id, err := strconv.ParseUint(string(user), 10, 64)
	if err != nil || len(s.users) >= maxGroupUsers {
		s.log.Warn("a user of the voice channel is not counted", "user", string(user), "users", len(s.users))
		return
	}
	s.users[id] = true
}

// RemoveUser tells that a user has left the channel.
func (s *Group) RemoveUser(user godave.UserID) {
	if id, err := strconv.ParseUint(string(user), 10, 64); err == nil {
		delete(s.users, id)
	}
}

func (s *Group) knows(user uint64) bool { return s.users[user] }

// Due returns when Tick is to be called next, zero for never.
func (s *Group) Due() time.Time {
	due := s.commitAt
	if due.IsZero() || !s.confirmBy.IsZero() && s.confirmBy.Before(due) {
		due = s.confirmBy
	}
	return due
}

// Tick does what is due.
func (s *Group) Tick() {
	now := time.Now()
	if !s.commitAt.IsZero() && !now.Before(s.commitAt) {
		s.sendCommit()
	}
	if !s.confirmBy.IsZero() && !now.Before(s.confirmBy) {
		s.log.Warn("the voice gateway announced no new keys in time")
		s.beginAnew(s.last)
	}
	if s.hasFailed() && len(s.pending) == 0 && s.group != nil {
		s.log.Warn("too many frames in a row did not decrypt")
		s.beginAnew(s.last)
	}
}

// Close forgets all keys. Frames neither leave nor come any more.
func (s *Group) Close() error {
	s.group, s.pending, s.commitAt, s.confirmBy = nil, nil, time.Time{}, time.Time{}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version, s.active, s.receiving, s.sending, s.passUntil = DAVEVersion, nil, nil, nil, time.Time{}
	return nil
}
