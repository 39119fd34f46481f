package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/bwmarrin/discordgo"
)

// ErrToken says that Discord does not know the bot's token.
var ErrToken = errors.New("the bot's token is not accepted by Discord; make a new one under Bot → Reset Token at https://discord.com/developers/applications and set DISCORD_TOKEN, or discord.token in glyphoxa.yaml")

// restErrorCode returns Discord's code of a failed request, 0 if it has none.
func restErrorCode(err error) int {
	var e *discordgo.RESTError
	if errors.As(err, &e) && e.Message != nil {
		return e.Message.Code
	}
	return 0
}

// WithoutAddress turns an error of the REST interface into one that names no address:
// those of webhooks and interactions are secrets.
func WithoutAddress(err error) error {
	var e *discordgo.RESTError
	var limited *discordgo.RateLimitError
	var u interface{ Timeout() bool }
	var known *apiError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded) && !errors.As(err, new(*url.Error)):
		return err
	case errors.As(err, &e) && e.Response != nil && e.Response.StatusCode == http.StatusUnauthorized:
		return ErrToken
	case errors.As(err, &e):
		r := &apiError{code: restErrorCode(err)}
		if e.Response != nil {
			r.status = e.Response.StatusCode
		}
		if e.Message != nil {
			r.text = e.Message.Message
		}
		return r
	case errors.As(err, &limited):
		return errRateLimited
	case errors.As(err, &u) && u.Timeout():
		return errors.New("no answer from Discord in time")
	}
	return errUnreachable
}

// DoubtfulAnswer reports whether it is open, after an error of a call, what became of what was asked
// for: Discord may have done it, and trying again may do it twice.
func DoubtfulAnswer(err error) bool {
	return err != nil && !RefusedAnswer(err) && !errors.Is(err, errRateLimited)
}

// RefusedAnswer reports whether Discord said no, and will say so again.
func RefusedAnswer(err error) bool {
	var r *apiError
	return errors.Is(err, ErrToken) || errors.As(err, &r) && r.status < http.StatusInternalServerError
}

// errUnreachable says that a request did not come through.
var errUnreachable = errors.New("no connection to Discord")

// errRateLimited says that Discord asked for patience more often than it is worth.
var errRateLimited = errors.New("too much is asked of Discord; try again in a minute")

// apiError is an answer of Discord that is no success.
type apiError struct {
	status, code int
	text         string
}

// Error says what Discord said, and nothing of the request.
func (r *apiError) Error() string {
	if r.text == "" {
		return fmt.Sprintf("Discord answered with status %d", r.status)
	}
	return fmt.Sprintf("Discord refused: %s (%d)", r.text, r.code)
}

// ErrorCode returns Discord's code of a refusal, 0 if err is none.
func ErrorCode(err error) int {
	var r *apiError
	if errors.As(err, &r) {
		return r.code
	}
	return 0
}
