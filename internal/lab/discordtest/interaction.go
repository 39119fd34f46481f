package discordtest

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrNoAnswer is returned when the bot did not answer an interaction within
// Options.InteractionDeadline.
var ErrNoAnswer = errors.New("the application did not respond")

// An Interaction is a command, a press of a button or a filled-in modal, with
// what the bot answers. Its methods may be called by any goroutine.
type Interaction struct {
	// ID is the interaction's snowflake.
	ID string

	s       *Server
	token   string
	kind    int
	channel *channel
	user    *User
	source  *Message // the message whose component was used
	sent    time.Time

	// guarded by Server.mu
	response  *Response
	original  *Message
	followups []*Message
}

// A Response is the first answer to an interaction.
type Response struct {
	// Type is one of the Callback constants.
	Type int
	// Latency is the time from the interaction to the answer.
	Latency time.Duration
	// Message is the message as it is now; nil for autocomplete and modals.
	Message *Message
	// Choices are what autocomplete suggests.
	Choices []Choice
	// Modal is the form to fill in, nil without.
	Modal *Modal
}

// A Choice is a suggestion of autocomplete.
type Choice struct {
	Name  string
	Value any
}

// A Modal is a form.
type Modal struct {
	CustomID, Title string
	Components      []Component
}

// Response waits for the first answer. It fails with ErrNoAnswer once Discord
// would not take one any more.
func (i *Interaction) Response(ctx context.Context) (Response, error) {
	limit, cancel := context.WithDeadline(ctx, i.sent.Add(i.s.opts.InteractionDeadline))
	defer cancel()
	err := i.s.await(limit, "an answer to an interaction", func() bool { return i.response != nil })
	i.s.mu.Lock()
	defer i.s.mu.Unlock()
	if i.response == nil {
		if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			err = ErrNoAnswer
		}
		return Response{}, err
	}
	r := *i.response
	if i.original != nil {
		m := i.original.copy()
		r.Message = &m
	}
	return r, nil
}

// Answer waits until the first answer is there and not loading, and returns the
// message as it is then.
func (i *Interaction) Answer(ctx context.Context) (Message, error) {
	if _, err := i.Response(ctx); err != nil {
		return Message{}, err
	}
	return i.AnswerWhen(ctx, func(m Message) bool { return true })
}

// AnswerWhen waits until the answer is not loading and match likes it: edits
// change it, and once it is deleted the next followup is the answer.
func (i *Interaction) AnswerWhen(ctx context.Context, match func(Message) bool) (Message, error) {
	var last Message
	err := i.s.await(ctx, "the answer to an interaction", func() bool {
		m := i.original
		if m != nil && m.Deleted && len(i.followups) > 0 {
			m = i.followups[0]
		}
		if m == nil || m.Loading() {
			return false
		}
		last = m.copy()
		return match(last)
	})
	if err != nil {
		return last, fmt.Errorf("%w; last seen %q", err, last.Content)
	}
	return last, nil
}

// Followups returns what the bot sent after its first answer.
func (i *Interaction) Followups() []Message {
	i.s.mu.Lock()
	defer i.s.mu.Unlock()
	var all []Message
	for _, m := range i.followups {
		all = append(all, m.copy())
	}
	return all
}

// AwaitFollowups waits until there are n followups and returns all.
func (i *Interaction) AwaitFollowups(ctx context.Context, n int) ([]Message, error) {
	err := i.s.await(ctx, fmt.Sprintf("%d followups", n), func() bool { return len(i.followups) >= n })
	return i.Followups(), err
}
