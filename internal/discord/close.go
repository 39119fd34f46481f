package discord

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/bwmarrin/discordgo"
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

// ErrToken says that Discord does not know the bot's token.
var ErrToken = errors.New("the bot's token is not accepted by Discord; make a new one under Bot → Reset Token at https://discord.com/developers/applications and set DISCORD_TOKEN, or discord.token in glyphoxa.yaml")

// ErrIntents says that the bot may not read what players write.
var ErrIntents = errors.New("the bot may not read messages; switch on Bot → Message Content Intent at https://discord.com/developers/applications, then start again")

// fatal returns the error of a close code after which trying again is no use,
// nil if it is some.
func fatal(code int) error {
	switch code {
	case closeUnauthenticated, closeInvalidToken:
		return ErrToken
	case closeDisallowedIntents:
		return ErrIntents
	case closeInvalidShard, closeShardingRequired, closeInvalidVersion, closeInvalidIntents:
		return fmt.Errorf("this version of Glyphoxa is refused by Discord (close code %d); look for a newer one", code)
	}
	return nil
}

// anew reports whether a session is over after a close code, so that the next
// connection begins another.
func anew(code int) bool {
	switch code {
	case closeInvalidSequence, closeTimedOut, closeNormal, closeGoing:
		return true
	}
	return false
}

// Error codes of the REST interface.
const (
	errUnknownChannel = 10003
	errUnknownMessage = 10008
	errUnknownWebhook = 10015
	errNoAccess       = 50001
	errNoPermission   = 50013
	errArchived       = 50083
	errLocked         = 160005
)

// errorCode returns Discord's code of a failed request, 0 if it has none.
func errorCode(err error) int {
	var e *discordgo.RESTError
	if errors.As(err, &e) && e.Message != nil {
		return e.Message.Code
	}
	return 0
}

// plain turns an error of the REST interface into one that names no address:
// those of webhooks and interactions are secrets.
func plain(err error) error {
	var e *discordgo.RESTError
	var limited *discordgo.RateLimitError
	var u interface{ Timeout() bool }
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e) && e.Response != nil && e.Response.StatusCode == http.StatusUnauthorized:
		return ErrToken
	case errors.As(err, &e):
		r := &refusal{code: errorCode(err)}
		if e.Response != nil {
			r.status = e.Response.StatusCode
		}
		if e.Message != nil {
			r.text = e.Message.Message
		}
		return r
	case errors.As(err, &limited):
		return errBusy
	case errors.As(err, &u) && u.Timeout():
		return errors.New("no answer from Discord in time")
	}
	return errUnreachable
}

// errUnreachable says that a request did not come through.
var errUnreachable = errors.New("no connection to Discord")

// errBusy says that Discord asked for patience more often than it is worth.
var errBusy = errors.New("too much is asked of Discord; try again in a minute")

// refusal is an answer of Discord that is no success.
type refusal struct {
	status, code int
	text         string
}

// Error says what Discord said, and nothing of the request.
func (r *refusal) Error() string {
	if r.text == "" {
		return fmt.Sprintf("Discord answered with status %d", r.status)
	}
	return fmt.Sprintf("Discord refused: %s (%d)", r.text, r.code)
}

// refused returns Discord's code of a refusal, 0 if err is none.
func refused(err error) int {
	var r *refusal
	if errors.As(err, &r) {
		return r.code
	}
	return 0
}
