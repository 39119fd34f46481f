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
	// maxCards bounds the cards that ask at once; the next call gets one when another's
	// is closed, and is under /approve list meanwhile.
	maxCards = 10
	// maxCardArgs and maxCardName bound the arguments and the names on a card, in
	// characters, so that it is one message however many bytes they have.
	maxCardArgs, maxCardName = 750, 60
	// maxCardFailure bounds why an allowed call could not be made, in characters.
	maxCardFailure = 300
	// cardRetry is how long it takes until Discord is asked again for what it did not do.
	cardRetry = 10 * time.Second
)

// waitingCalls is where calls wait. It is safe for concurrent use. Its methods are
// those of [play.GuildSession].
type waitingCalls interface {
	WaitingCalls() ([]access.Approval, <-chan struct{})
	DecidedCall(id string) (access.Decision, bool)
}

// approvalCards are messages in the channel of a session that ask DMs about the calls
// which wait for them. Everything but run is owned by run.
type approvalCards struct {
	rest    *RestClient
	log     *slog.Logger
	channel string
	lang    Language
	calls   waitingCalls
	cast    func() []config.NPC      // who is at the table
	open    map[string]*approvalCard // by the id of the call
}

// approvalCard is a message about a call.
type approvalCard struct {
	access.Approval
	nonce   string // of its posting
	message string // its id, empty until it is posted
	refused bool   // Discord does not take it: the call is under /approve list alone
}

func newApprovalCards(b *Bot, r *session) *approvalCards {
	return &approvalCards{
		rest: b.rest, log: b.log.With("guild", r.guild), channel: r.channel, lang: r.lang, calls: r.played, cast: r.presentNPCs,
		open: map[string]*approvalCard{},
	}
}

// run posts a card for each call that waits, and closes it when the call does not wait
// any more. When ctx ends it closes all that are open.
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
	a.closeCards(ctx, waiting) // nobody can do anything about it any more if it cannot be done
	for _, c := range a.open {
		a.closeCard(ctx, c, CallLeftOpen.In(a.lang))
	}
}

// showCalls has the channel show which calls wait. It reports whether it did all it could.
// What has begun when ctx ends may come to its end: a card must not be left behind.
func (a *approvalCards) showCalls(ctx context.Context, waiting []access.Approval) (done bool) {
	ctx, cancel := withGrace(ctx, closeTimeout)
	defer cancel()
	done = a.closeCards(ctx, waiting)
	return a.postCards(ctx, waiting) && done
}

// nextLook is how long until a call's time is over, or until what could not be done is
// tried again.
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

// postCards asks about calls for which there is no card. It reports whether it did all it
// could.
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

// closeCards closes the cards of calls that do not wait any more. It reports whether it
// did all it could.
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

// outcome says what became of a call that does not wait any more.
func (a *approvalCards) outcome(c *approvalCard) string {
	if d, is := a.calls.DecidedCall(c.ID); is {
		return decisionText(a.lang, d)
	}
	if time.Now().Before(c.Expires) {
		return CallWithdrawn.In(a.lang)
	}
	return CallTimedOut.In(a.lang)
}

// closeCard takes the buttons from a card and says what became of its call. It reports
// whether there is nothing left to do.
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

// cardText is a card: what waits, and how it stands. cast is who is at the table.
func cardText(l Language, cast []config.NPC, w access.Approval, state string) string {
	tool := withoutBackticks(clipText(w.Tool, maxCardName))
	args := withoutBackticks(clipText(cmp.Or(w.Args, "{}"), maxCardArgs))
	return CallWaits.In(l, callerName(w.Caller, cast), tool) + "\n```json\n" + args + "\n```\n" + state
}

// decisionText says who decided what.
func decisionText(l Language, d access.Decision) string {
	if d.Failed != "" {
		return CallNotDone.In(l, callerName(d.By, nil), escapeMarkup(untrusted.Line(d.Failed, maxCardFailure)))
	}
	if d.Granted {
		return CallAllowed.In(l, callerName(d.By, nil))
	}
	return CallDenied.In(l, callerName(d.By, nil))
}

// callerName is a caller as people know it. Discord shows the name of a user, and tells
// nobody of it where mentions are off.
func callerName(caller string, cast []config.NPC) string {
	name := plainCaller(caller, cast)
	if name == "" {
		return "<@" + strings.TrimPrefix(caller, play.UserRef(Front, "")) + ">"
	}
	return "**" + escapeMarkup(clipText(name, maxCardName)) + "**"
}

// plainCaller is the name of a caller, empty for a user: that one Discord knows.
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

// knownNPCs is who may have asked: who is at the table, or else in the campaign.
func (c *call) knownNPCs(ctx context.Context) ([]config.NPC, error) {
	if r, err := c.runningSession(); err == nil {
		return r.presentNPCs(), nil
	}
	return c.guild.Cast(ctx)
}

// waitingCall is the id of the one call that waits which somebody means by what it would
// use or by who would; empty if there is none, or several.
func (c *call) waitingCall(ctx context.Context, word string) (id string) {
	all, err := c.by.PendingApprovals(ctx)
	if err != nil {
		return ""
	}
	cast, _ := c.knownNPCs(ctx) // a call is known by what it would use, too
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

// decideApproval lets a call pass or refuses it, by a command or by the button of its
// card. The card is closed in the language of the table.
func decideApproval(ctx context.Context, c *call, grant bool) (string, error) {
	d, err := c.by.DecideApproval(ctx, cmp.Or(c.pressed, c.textOption("id")), grant)
	var before *access.DecidedError
	if c.pressed == "" && errors.Is(err, mcp.ErrInvalidArguments) && !errors.As(err, &before) { // it may be no id
		if id := c.waitingCall(ctx, c.textOption("id")); id != "" {
			d, err = c.by.DecideApproval(ctx, id, grant)
		}
	}
	switch {
	case errors.As(err, &before) && before.Granted:
		return "", AllowedBefore.With(callerName(before.By, nil))
	case before != nil:
		return "", DeniedBefore.With(callerName(before.By, nil))
	case c.pressed != "" && errors.Is(err, mcp.ErrInvalidArguments): // the card is of another time
		return CallWithdrawn.In(c.bot.language()), nil
	case err != nil:
		return "", err
	case c.pressed != "":
		cast, _ := c.knownNPCs(ctx) // a call is known by an id, too
		return cardText(c.bot.language(), cast, d.Approval, decisionText(c.bot.language(), d)), nil
	case d.Failed != "":
		return decisionText(c.lang, d), nil
	case grant && d.Proposed:
		return c.say(IsDone), nil
	case grant:
		return c.say(MayPass), nil
	}
	return c.say(IsDenied), nil
}
