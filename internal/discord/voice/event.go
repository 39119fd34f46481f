package voice

// Event is what changes about a connection: one of the types of this file.
type Event interface{ event() }

// Connected says that sound can be sent and is heard: after a Join, and again
// after an [Interrupted].
type Connected struct {
	Channel string
	// DAVE is the version of the end-to-end encryption, 0 without it.
	DAVE int
}

// Interrupted says that the connection was lost and is being renewed. A
// [Connected] or a [Disconnected] follows.
type Interrupted struct {
	// Reason is one line for people.
	Reason string
}

// Moved says that somebody moved the bot to another channel. A [Connected] or a
// [Disconnected] follows.
type Moved struct{ Channel string }

// Disconnected says that the bot is in no channel any more, until the next Join.
// Leave is not followed by it.
type Disconnected struct {
	Cause Cause
	// Reason is one line for people: what happened and what to do.
	Reason string
}

// Cause is why a connection ended.
type Cause uint8

// The causes of a [Disconnected].
const (
	// Kicked: somebody disconnected the bot, or deleted the channel.
	Kicked Cause = iota + 1
	// Ended: Discord ended the call for everybody, or has had enough of the bot.
	Ended
	// GaveUp: renewing the connection failed too often.
	GaveUp
)

// UserJoined says that a user is connected to the channel's voice; those who were
// there before the bot are told of, too.
type UserJoined struct{ User string }

// UserLeft says that a user is not connected any more. Nothing of them is heard
// after it.
type UserLeft struct{ User string }

// Speaking says that a user's client began or stopped to send sound. Clients may
// leave it out; what is heard counts.
type Speaking struct {
	User string
	On   bool
}

// Encryption says how sound is encrypted from end to end from now on.
type Encryption struct {
	// Version is that of DAVE; 0 means none, as in stage channels.
	Version int
}

// EncryptionFailed says that the group's encryption broke and is agreed on anew.
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
