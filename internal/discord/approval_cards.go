package discord

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

const (
	// maxCards bounds the open cards. When one is closed, the next call gets a card; until then it is only in
	// /approve list.
	maxCards = 10
	// maxCardArgs and maxCardName bound the arguments and the names on a card, in characters, so that a card
	// fits into one message whatever their length in bytes.
	maxCardArgs, maxCardName = 750, 60
	// maxCardFailure bounds the text about why an approved call failed, in characters.
	maxCardFailure = 300
	// cardRetry is the pause before a failed request to Discord is retried.
	cardRetry = 10 * time.Second
)

// waitingCalls lists the calls that wait for approval; [play.GuildSession] implements it. It is safe for
// concurrent use.
type waitingCalls interface {
	WaitingCalls() ([]access.Approval, <-chan struct{})
	DecidedCall(id string) (access.Decision, bool)
}

// approvalCards manages the messages in a session's channel that ask DMs about waiting calls. The goroutine
// of run owns all fields.
type approvalCards struct {
	rest    *RestClient
	log     *slog.Logger
	channel string
	lang    Language
	calls   waitingCalls
	cast    func() []config.NPC      // the NPCs at the table
	open    map[string]*approvalCard // by the id of the call
}

// approvalCard is a message about a call.
type approvalCard struct {
	access.Approval
	nonce   string // the nonce of its message
	message string // its id, empty until it is posted
	refused bool   // Discord rejected the message; the call is only in /approve list
}

func newApprovalCards(b *Bot, r *session) *approvalCards {
	return &approvalCards{
		rest: b.rest, log: b.log.With("guild", r.guild), channel: r.channel, lang: r.lang, calls: r.played, cast: r.presentNPCs,
		open: map[string]*approvalCard{},
	}
}

// run posts a card for each waiting call, and closes it when the call no longer waits. When ctx ends, it
// closes all open cards.
func (a *approvalCards) run(ctx context.Context) {
	for ctx.Err() == nil {
		waiting, changed := a.calls.WaitingCalls()
		again := time.NewTimer(a.nextLook(a.showCalls(ctx, waiting)))
		select {
		case <-changed:
		case <-again.C:
		case <-ctx.Done():
		}
		again.Stop()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	waiting, _ := a.calls.WaitingCalls()
	a.closeCards(ctx, waiting) // best effort: there is no later retry
	for _, c := range a.open {
		a.closeCard(ctx, c, CallLeftOpen.In(a.lang))
	}
}

// showCalls updates the cards in the channel to the waiting calls and reports whether every request
// succeeded. Requests that have begun when ctx ends may finish, so that no card is left behind.
func (a *approvalCards) showCalls(ctx context.Context, waiting []access.Approval) (done bool) {
	ctx, cancel := withGrace(ctx, closeTimeout)
	defer cancel()
	done = a.closeCards(ctx, waiting)
	return a.postCards(ctx, waiting) && done
}

// nextLook returns the time until the next card expires or failed requests are retried.
func (a *approvalCards) nextLook(done bool) time.Duration {
	wait := time.Hour
	if !done {
		wait = cardRetry
	}
	for _, c := range a.open {
		if left := time.Until(c.Expires); left > 0 {
			wait = min(wait, left)
		}
	}
	return wait
}

// postCards posts a card for every waiting call without one. It reports whether every request succeeded.
func (a *approvalCards) postCards(ctx context.Context, waiting []access.Approval) (done bool) {
	done = true
	for _, w := range waiting {
		c := a.open[w.ID]
		if c == nil && len(a.open) < maxCards {
			c = &approvalCard{Approval: w, nonce: newNonce()}
			a.open[w.ID] = c
		}
		if c == nil || c.message != "" || c.refused {
			continue
		}
		m, err := a.rest.CreateMessageOnce(ctx, a.channel, c.nonce, &discordgo.MessageSend{
			Content: cardText(a.lang, a.cast(), w, CallUntil.In(a.lang, w.Expires.Unix())), AllowedMentions: noMentions(),
			Components: buttonRow([]button{
				{AllowCall.In(a.lang), "approve yes " + w.ID, discordgo.SuccessButton},
				{DenyCall.In(a.lang), "approve no " + w.ID, discordgo.DangerButton},
			}),
		})
		if err != nil {
			a.log.Warn("asking about a call that waits", "reason", err)
			c.refused, done = RefusedAnswer(err), false
			continue
		}
		c.message = m.ID
	}
	return done
}

// closeCards closes the cards of calls that no longer wait. It reports whether every request succeeded.
func (a *approvalCards) closeCards(ctx context.Context, waiting []access.Approval) (done bool) {
	done = true
	for id, c := range a.open {
		if slices.ContainsFunc(waiting, func(w access.Approval) bool { return w.ID == id }) {
			continue
		}
		if a.closeCard(ctx, c, a.outcome(c)) {
			delete(a.open, id)
		} else {
			done = false
		}
	}
	return done
}

// outcome describes how a call that no longer waits was decided.
func (a *approvalCards) outcome(c *approvalCard) string {
	if d, is := a.calls.DecidedCall(c.ID); is {
		return decisionText(a.lang, d)
	}
	if time.Now().Before(c.Expires) {
		return CallWithdrawn.In(a.lang)
	}
	return CallTimedOut.In(a.lang)
}

// closeCard removes a card's buttons and writes the outcome on it. It reports whether no retry is needed.
func (a *approvalCards) closeCard(ctx context.Context, c *approvalCard, outcome string) bool {
	if c.message == "" {
		return true
	}
	text, none := cardText(a.lang, a.cast(), c.Approval, outcome), buttonRow(nil)
	err := a.rest.EditMessage(ctx, a.channel, c.message, &discordgo.MessageEdit{Content: &text, Components: &none, AllowedMentions: noMentions()})
	if err != nil {
		a.log.Warn("saying what became of a call that waited", "reason", err)
	}
	return err == nil || RefusedAnswer(err)
}

// cardText returns the text of a card: the call and its state. cast is the NPCs at the table.
func cardText(l Language, cast []config.NPC, w access.Approval, state string) string {
	tool := withoutBackticks(clipText(w.Tool, maxCardName))
	args := withoutBackticks(clipText(cmp.Or(w.Args, "{}"), maxCardArgs))
	return CallWaits.In(l, callerName(w.Caller, cast), tool) + "\n```json\n" + args + "\n```\n" + state
}

// decisionText describes a decision and who made it.
func decisionText(l Language, d access.Decision) string {
	if d.Failed != "" {
		return CallNotDone.In(l, callerName(d.By, nil), escapeMarkup(untrusted.Line(d.Failed, maxCardFailure)))
	}
	if d.Granted {
		return CallAllowed.In(l, callerName(d.By, nil))
	}
	return CallDenied.In(l, callerName(d.By, nil))
}

// callerName returns a caller's name as people know it. A user becomes a mention, which Discord shows as the
// user's name; no notification is sent, because messages disable mentions.
func callerName(caller string, cast []config.NPC) string {
	name := plainCaller(caller, cast)
	if name == "" {
		return "<@" + strings.TrimPrefix(caller, play.UserRef(Front, "")) + ">"
	}
	return "**" + escapeMarkup(clipText(name, maxCardName)) + "**"
}

// plainCaller returns a caller's name, or "" for a user, whose name Discord fills in.
func plainCaller(caller string, cast []config.NPC) string {
	user, is := strings.CutPrefix(caller, play.UserRef(Front, ""))
	if is && user != "" && strings.Trim(user, "0123456789") == "" {
		return ""
	}
	id, is := strings.CutPrefix(caller, "npc:")
	if i := slices.IndexFunc(cast, func(n config.NPC) bool { return n.ID == id }); is && i >= 0 {
		return cast[i].Name
	}
	return id
}

// knownNPCs returns the NPCs that may have made a call: those at the table, or else those of the campaign.
func (c *call) knownNPCs(ctx context.Context) ([]config.NPC, error) {
	if r, err := c.runningSession(); err == nil {
		return r.presentNPCs(), nil
	}
	return c.guild.Cast(ctx)
}

// waitingCall returns the id of the one waiting call whose tool or caller is called word. It returns "" if
// there is none, or more than one.
func (c *call) waitingCall(ctx context.Context, word string) (id string) {
	all, err := c.by.PendingApprovals(ctx)
	if err != nil {
		return ""
	}
	cast, _ := c.knownNPCs(ctx) // without a cast, calls are still found by their tool
	for _, a := range all {
		if !strings.EqualFold(a.Tool, word) && !strings.EqualFold(plainCaller(a.Caller, cast), word) {
			continue
		}
		if id != "" {
			return ""
		}
		id = a.ID
	}
	return id
}

// decideApproval grants or denies a call, for a command or for a card's button. A card is closed in the
// language of the table.
func decideApproval(ctx context.Context, c *call, grant bool) (string, error) {
	d, err := c.by.DecideApproval(ctx, cmp.Or(c.pressed, c.textOption("id")), grant)
	var before *access.DecidedError
	if c.pressed == "" && errors.Is(err, mcp.ErrInvalidArguments) && !errors.As(err, &before) { // it may be a name instead of an id
		if id := c.waitingCall(ctx, c.textOption("id")); id != "" {
			d, err = c.by.DecideApproval(ctx, id, grant)
		}
	}
	switch {
	case errors.As(err, &before) && before.Granted:
		return "", AllowedBefore.With(callerName(before.By, nil))
	case before != nil:
		return "", DeniedBefore.With(callerName(before.By, nil))
	case c.pressed != "" && errors.Is(err, mcp.ErrInvalidArguments): // the card is from an earlier session
		return CallWithdrawn.In(c.bot.language()), nil
	case err != nil:
		return "", err
	case c.pressed != "":
		cast, _ := c.knownNPCs(ctx) // without a cast, the card shows the NPC's id
		return cardText(c.bot.language(), cast, d.Approval, decisionText(c.bot.language(), d)), nil
	case d.Failed != "":
		return decisionText(c.lang, d), nil
	case grant && d.Proposed:
		return c.format(IsDone), nil
	case grant:
		return c.format(MayPass), nil
	}
	return c.format(IsDenied), nil
}
