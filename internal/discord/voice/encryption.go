package voice

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/disgoorg/godave"
)

// encryption is the end-to-end encryption of a session. [Group] implements it and documents which goroutine
// may call which method: the session's loop controls it, the sender encrypts and the receiver decrypts.
type encryption interface {
	OnSelectProtocolAck(version uint16)
	Receive(op int, data []byte) error
	AddUser(user godave.UserID)
	RemoveUser(user godave.UserID)
	Due() time.Time
	Woken() <-chan struct{}
	Tick()
	Ready() bool
	State() GroupState
	PrivacyCode() string
	VerificationCode(user godave.UserID) (string, error)
	MaxEncryptedFrameSize(size int) int
	Encrypt(ssrc uint32, plain, dst []byte) (int, error)
	Decrypt(user godave.UserID, data, dst []byte) (int, error)
	Close() error
}

// newEncryption returns the encryption of a new session.
func newEncryption(s *session) (encryption, error) {
	channel, err := strconv.ParseUint(s.channel, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("voice channel %q is not an id of Discord's", s.channel)
	}
	log := s.c.opts.Logger.With("guild", s.c.opts.Guild, "channel", s.channel)
	return NewGroup(godave.UserID(s.c.opts.User), godave.ChannelID(channel), callbackSender{&s.outbox}, &GroupOptions{Logger: log})
}

// callbackSender puts the encryption's messages for the gateway into the outbox.
type callbackSender struct{ o *outbox }

var _ godave.Callbacks = callbackSender{}

// SendMLSKeyPackage implements [godave.Callbacks].
func (t callbackSender) SendMLSKeyPackage(b []byte) error { return t.putBinary(opKeyPackage, b) }

// SendMLSCommitWelcome implements [godave.Callbacks].
func (t callbackSender) SendMLSCommitWelcome(b []byte) error { return t.putBinary(opCommitWelcome, b) }

// SendReadyForTransition implements [godave.Callbacks].
func (t callbackSender) SendReadyForTransition(id uint16) error {
	return t.putTransition(opTransitionReady, id)
}

// SendInvalidCommitWelcome implements [godave.Callbacks].
func (t callbackSender) SendInvalidCommitWelcome(id uint16) error {
	return t.putTransition(opInvalidCommit, id)
}

func (t callbackSender) putBinary(op int, b []byte) error {
	t.o.put(message{op: op, binary: true, data: b})
	return nil
}

func (t callbackSender) putTransition(op int, id uint16) error {
	t.o.put(message{op: op, data: fmt.Appendf(nil, `{"transition_id":%d}`, id)})
	return nil
}

// countDecryption counts a frame that failed end-to-end decryption.
func (c *counters) countDecryption(err error) {
	switch {
	case errors.Is(err, ErrFramePadding):
		c.padding.Add(1)
	case errors.Is(err, ErrNoKey):
		c.noKey.Add(1)
	case errors.Is(err, ErrPlain):
		c.passthrough.Add(1)
	case errors.Is(err, ErrReplay):
		c.replay.Add(1)
	case errors.Is(err, ErrTooOld):
		c.tooOld.Add(1)
	default:
		c.broken.Add(1)
	}
}
