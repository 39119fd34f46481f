package discord

import (
	"errors"
	"fmt"
)

// Close codes of the gateway.
const (
	closeUnknown            = 4000
	closeUnauthenticated    = 4003
	closeInvalidToken       = 4004
	closeInvalidSequence    = 4007
	closeTimedOut           = 4009
	closeInvalidShard       = 4010
	closeShardingRequired   = 4011
	closeInvalidVersion     = 4012
	closeInvalidIntents     = 4013
	closeDisallowedIntents  = 4014
	closeNormal, closeGoing = 1000, 1001
)

// ErrIntents reports that the bot has no access to message content.
var ErrIntents = errors.New("the bot may not read messages; turn on Bot → Message Content Intent at https://discord.com/developers/applications, then start again")

// fatalCloseCode returns the error for a close code after which retrying cannot help, nil for other codes.
func fatalCloseCode(code int) error {
	switch code {
	case closeUnauthenticated, closeInvalidToken:
		return ErrToken
	case closeDisallowedIntents:
		return ErrIntents
	case closeInvalidShard, closeShardingRequired, closeInvalidVersion, closeInvalidIntents:
		return fmt.Errorf("this version of Glyphoxa is refused by Discord (close code %d); install a newer one", code)
	}
	return nil
}

// needsNewSession reports whether the session cannot be resumed after a close code.
func needsNewSession(code int) bool {
	switch code {
	case closeInvalidSequence, closeTimedOut, closeNormal, closeGoing:
		return true
	}
	return false
}
