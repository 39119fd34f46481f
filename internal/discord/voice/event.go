package voice

// Event is an event of a connection: one of the types of this file.
type Event interface{ event() }

// Connected reports that sound can be sent and heard: after a Join, and again after an [Interrupted].
type Connected struct {
	Channel string
	// DAVE is the version of the end-to-end encryption, 0 without it.
	DAVE int
}

// Interrupted reports that the connection was lost and is being restored. A [Connected] or a [Disconnected]
// follows.
type Interrupted struct {
	// Reason is one line for people.
	Reason string
}

// Moved reports that the bot was moved to another channel. A [Connected] or a [Disconnected] follows.
type Moved struct{ Channel string }

// Disconnected reports that the bot is in no channel until the next Join. It does not follow a Leave.
type Disconnected struct {
	Cause Cause
	// Reason is one line for people: what happened and what to do.
	Reason string
}

// Cause is the reason why a connection ended.
type Cause uint8

// The causes of a [Disconnected].
const (
	// Kicked: someone disconnected the bot or deleted the channel.
	Kicked Cause = iota + 1
	// Ended: Discord ended the call for everyone, or limits the bot's rate.
	Ended
	// GaveUp: restoring the connection failed too often.
	GaveUp
)

// UserJoined reports a user in the channel's voice, also those who were there before the bot.
type UserJoined struct{ User string }

// UserLeft reports that a user has disconnected. None of their sound is heard afterwards.
type UserLeft struct{ User string }

// Speaking reports that a user's client began or stopped to send sound. Clients may omit it, so only the
// packets are decisive.
type Speaking struct {
	User string
	On   bool
}

// Encryption reports the end-to-end encryption of sound from now on.
type Encryption struct {
	// Version is the version of DAVE; 0 means none, as in stage channels.
	Version int
}

// EncryptionFailed reports that the group's encryption broke and is being negotiated again.
type EncryptionFailed struct {
	// Reason is one line for people.
	Reason string
}

func (Connected) event()        {}
func (Interrupted) event()      {}
func (Moved) event()            {}
func (Disconnected) event()     {}
func (UserJoined) event()       {}
func (UserLeft) event()         {}
func (Speaking) event()         {}
func (Encryption) event()       {}
func (EncryptionFailed) event() {}
