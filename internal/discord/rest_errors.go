package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/bwmarrin/discordgo"
)

// ErrToken reports that Discord rejects the bot's token.
var ErrToken = errors.New("the bot's token is not accepted by Discord; make a new one under Bot → Reset Token at https://discord.com/developers/applications and set DISCORD_TOKEN, or discord.token in glyphoxa.yaml")

// restErrorCode returns Discord's error code of a failed request, or 0.
func restErrorCode(err error) int {
	var e *discordgo.RESTError
	if errors.As(err, &e) && e.Message != nil {
		return e.Message.Code
	}
	return 0
}

// WithoutAddress replaces a REST error with one that contains no address, because those of webhooks and
// interactions are secrets.
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

// DoubtfulAnswer reports whether a failed call may still have succeeded at Discord, so that a retry could
// repeat it.
func DoubtfulAnswer(err error) bool {
	return err != nil && !RefusedAnswer(err) && !errors.Is(err, errRateLimited)
}

// RefusedAnswer reports whether Discord refused a call, so that a retry is useless.
func RefusedAnswer(err error) bool {
	var r *apiError
	return errors.Is(err, ErrToken) || errors.As(err, &r) && r.status < http.StatusInternalServerError
}

// errUnreachable reports that a request failed to reach Discord.
var errUnreachable = errors.New("no connection to Discord")

// errRateLimited reports that a call was rate-limited too often.
var errRateLimited = errors.New("too many requests to Discord; try again in a minute")

// apiError is an error response from Discord.
type apiError struct {
	status, code int
	text         string
}

// Error returns Discord's message, without details of the request.
func (r *apiError) Error() string {
	if r.text == "" {
		return fmt.Sprintf("Discord answered with status %d", r.status)
	}
	return fmt.Sprintf("Discord refused: %s (%d)", r.text, r.code)
}

// ErrorCode returns the error code of Discord's response, or 0.
func ErrorCode(err error) int {
	var r *apiError
	if errors.As(err, &r) {
		return r.code
	}
	return 0
}
