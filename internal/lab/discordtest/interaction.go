package discordtest

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrNoAnswer means that the bot did not answer an interaction within
// Options.InteractionDeadline.
var ErrNoAnswer = errors.New("the application did not respond")

// An Interaction is a command, a button press or a submitted modal, with the
// bot's answers. Its methods are safe for concurrent use.
type Interaction struct {
	// ID is the interaction's snowflake.
	ID string

	s       *Server
	token   string
	kind    int
	channel *channel
	user    *User
	source  *Message // the message of the component
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
	// Message is the message in its current state; nil for autocomplete and
	// modals.
	Message *Message
	// Choices are the suggestions of autocomplete.
	Choices []Choice
	// Modal is the form, nil if there is none.
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
// would no longer accept one.
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

// Answer waits until the first answer exists and is no longer loading, and
// returns the message as it is then.
func (i *Interaction) Answer(ctx context.Context) (Message, error) {
	if _, err := i.Response(ctx); err != nil {
		return Message{}, err
	}
	return i.AnswerWhen(ctx, func(m Message) bool { return true })
}

// AnswerWhen waits until the answer is no longer loading and match accepts it.
// Edits change the answer; after its deletion the next followup is the answer.
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

// Followups returns the bot's messages after its first answer.
func (i *Interaction) Followups() []Message {
	i.s.mu.Lock()
	defer i.s.mu.Unlock()
	var all []Message
	for _, m := range i.followups {
		all = append(all, m.copy())
	}
	return all
}

// AwaitFollowups waits for n followups and returns all.
func (i *Interaction) AwaitFollowups(ctx context.Context, n int) ([]Message, error) {
	err := i.s.await(ctx, fmt.Sprintf("%d followups", n), func() bool { return len(i.followups) >= n })
	return i.Followups(), err
}
