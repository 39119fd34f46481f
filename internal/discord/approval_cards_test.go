package discord

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf16"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// asksFirst makes every roll wait for a dungeon master.
const asksFirst = `
server: {policy: [{name: ask-first, rule: approval, tools: [roll], expires: 10m}]}
`

// card returns the latest message about a call, and checks that it contains the words.
func (e *evening) card(words ...string) discordtest.Message {
	e.t.Helper()
	synctest.Wait()
	time.Sleep(time.Second)
	var last discordtest.Message
	for _, m := range e.d.Messages(e.channel) {
		if strings.Contains(m.Content, "```json") {
			last = m
		}
	}
	for _, w := range words {
		if !strings.Contains(last.Content, w) {
			e.t.Errorf("the card is %q, want %q in it", last.Content, w)
		}
	}
	if last.MentionEveryone || len(last.Mentions)+len(last.MentionRoles) > 0 {
		e.t.Errorf("the card notifies %v %v", last.Mentions, last.MentionRoles)
	}
	return last
}

// asking returns the latest card, which must have two buttons, and the ids of both.
func (e *evening) asking(words ...string) (m discordtest.Message, yes, no string) {
	e.t.Helper()
	m = e.card(words...)
	if len(m.Components) != 1 || len(m.Components[0].Components) != 2 {
		e.t.Fatalf("the card %q has the components %+v, want two buttons", m.Content, m.Components)
	}
	b := m.Components[0].Components
	return m, b[0].CustomID, b[1].CustomID
}

// closed checks that the latest card has no buttons.
func (e *evening) closed(words ...string) {
	e.t.Helper()
	if m := e.card(words...); len(m.Components) > 0 {
		e.t.Errorf("the card %q has buttons: %+v", m.Content, m.Components)
	}
}

// presses sends a user's press of a button.
func (e *evening) presses(user string, m discordtest.Message, does string) *discordtest.Interaction {
	e.t.Helper()
	i, err := e.d.Press(user, e.channel, m.ID, does)
	if err != nil {
		e.t.Fatal(err)
	}
	return i
}

// tells waits until the user behind an interaction reads the words, and checks that the message
// is private.
func (e *evening) tells(i *discordtest.Interaction, words string) {
	e.t.Helper()
	all, err := i.AwaitFollowups(e.t.Context(), 1)
	if err != nil || !all[0].Ephemeral() || !strings.Contains(all[0].Content, words) {
		e.t.Errorf("told %+v, %v, want %q for one alone", all, err, words)
	}
}

// TestApprovalCards lets calls wait in a session: each has a card, only dungeon masters may
// press its buttons, the first decision stands, and the card shows the outcome.
func TestApprovalCards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := beginEvening(t, discordtest.Options{}, asksFirst)
		other := e.d.AddMember(e.guild, "other", e.d.AddRole(e.guild, "Second", discordtest.ManageGuild))
		dice := func(what string) discordtest.Option { return discordtest.Option{Name: "dice", Value: what} }
		roll := func(what string) string { return e.gives(e.ana, "roll", dice(what)) }
		waits := func(what string) {
			t.Helper()
			if got := roll(what); !strings.Contains(got, "approv") {
				t.Errorf("/roll %s: %q, want it to wait", what, got)
			}
		}
		asks := "<@" + e.ana + "> wants to use `roll` with:\n```json\n{\"expression\":\""

		waits("1d1+6")
		m, yes, no := e.asking(asks+"1d1+6", "Open until <t:")
		refused, err := e.presses(e.ana, m, yes).Answer(t.Context())
		if err != nil || !refused.Ephemeral() || !strings.Contains(refused.Content, "⚠") {
			t.Errorf("a player who presses is told %q, %v, want that it takes a DM", refused.Content, err)
		}
		e.asking(asks + "1d1+6")
		waits("1d1+6")

		// Two users press at once: no call reaches Discord until both have pressed.
		e.d.SetLocale(other, "de")
		e.d.Disturb(func(string) discordtest.Fault { return discordtest.Fault{Delay: 100 * time.Millisecond} })
		first := e.presses(e.dm, m, yes)
		if _, err := first.Response(t.Context()); err != nil {
			t.Fatal(err)
		}
		e.tells(e.presses(other, m, no), "<@"+e.dm+"> hat es schon erlaubt")
		e.d.Disturb(nil)
		e.closed(asks+"1d1+6", "✅ Allowed by <@"+e.dm+">")
		if _, err := e.d.Press(other, e.channel, m.ID, no); err == nil {
			t.Error("a card that is closed can be pressed")
		}
		late := func(when string) {
			t.Helper()
			id := discordtest.Option{Name: "id", Value: strings.TrimPrefix(yes, "approve yes ")}
			if got := e.gives(e.dm, "approve no", id); !strings.Contains(got, "<@"+e.dm+"> has already allowed it") {
				t.Errorf("/approve no %s: %q", when, got)
			}
		}
		late("after that")
		if got := roll("1d1+6"); !strings.Contains(got, "**7**") {
			t.Errorf("the allowed roll: %q", got)
		}
		late("once it was made")
		e.closed("✅ Allowed by <@" + e.dm + ">")

		// A command closes the card too, and an NPC's call has a card.
		e.asks(1000)
		_, yes, _ = e.asking("**Mira** wants to use `roll`", "1d1+999")
		if got := e.gives(other, "approve no", discordtest.Option{Name: "id", Value: strings.TrimPrefix(yes, "approve yes ")}); got != "Abgelehnt." {
			t.Errorf("/approve no: %q", got)
		}
		e.closed("**Mira**", "❌ Denied by <@"+other+">")

		waits("2d1")
		e.asking(asks + "2d1")
		time.Sleep(10 * time.Minute)
		e.closed(asks+"2d1", "⌛ Nobody decided in time.")

		// A card that the bot failed to close is closed when a user presses it.
		waits("4d1")
		m, yes, _ = e.asking(asks + "4d1")
		e.d.Disturb(func(route string) discordtest.Fault {
			if route != "PATCH /channels/{channel}/messages/{message}" {
				return discordtest.Fault{}
			}
			return discordtest.Fault{Status: http.StatusServiceUnavailable}
		})
		time.Sleep(10 * time.Minute)
		e.asking(asks + "4d1")
		pressed, err := e.presses(e.dm, m, yes).AnswerWhen(t.Context(), func(m discordtest.Message) bool { return len(m.Components) == 0 })
		if err != nil || pressed.Content != "This is no longer waiting." {
			t.Errorf("a card of another time says %q, %v", pressed.Content, err)
		}
		e.d.Disturb(nil)
		time.Sleep(time.Minute)
		e.closed(asks+"4d1", "⌛ Nobody decided in time.")

		if got := e.gives(e.dm, "roll", dice("5d1")); !strings.Contains(got, "approv") {
			t.Errorf("a DM's roll: %q, want it to wait", got)
		}
		m, yes, no = e.asking("<@"+e.dm+"> wants", "5d1")
		e.tells(e.presses(e.dm, m, yes), "You cannot decide on your own call")
		e.asking("5d1")
		e.presses(other, m, no)
		e.closed("5d1", "❌ Denied by <@"+other+">")

		// A call that still waits when the session ends can be decided by a command, and has a
		// card in the next session.
		waits("3d1")
		e.asking(asks + "3d1")
		e.gives(e.dm, "session stop")
		e.closed(asks+"3d1", "The session is over.")
		e.gives(e.dm, "session start")
		m, yes, _ = e.asking(asks+"3d1", "Open until")
		e.presses(other, m, yes)
		e.closed(asks+"3d1", "✅ Allowed by <@"+other+">") // in the language of the table
		if got := roll("3d1"); !strings.Contains(got, "**3**") {
			t.Errorf("the allowed roll: %q", got)
		}
	})
}

// TestApprovalCardsAreBounded lets more calls wait than there may be cards, at a Discord that
// accepts a card and reports a failure: each call still has one card in the end.
func TestApprovalCardsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := beginEvening(t, discordtest.Options{}, asksFirst)
		const route = "POST /channels/{channel}/messages"
		e.d.Disturb(func(r string) discordtest.Fault {
			if r != route {
				return discordtest.Fault{}
			}
			return discordtest.Fault{Status: http.StatusBadGateway, Accepted: true}
		})
		calls := []string{"1d2", "1d3", "1d4", "1d5", "1d6", "1d7", "1d8", "1d9", "1d10", "1d11", "1d12", "1d13"}
		for _, what := range calls {
			e.gives(e.ana, "roll", discordtest.Option{Name: "dice", Value: what})
			time.Sleep(time.Second)
		}
		e.d.Disturb(nil)
		time.Sleep(time.Minute)
		cards := func() (all, open []discordtest.Message) {
			for _, m := range e.d.Messages(e.channel) {
				if strings.Contains(m.Content, "```json") {
					if all = append(all, m); len(m.Components) > 0 {
						open = append(open, m)
					}
				}
			}
			return all, open
		}
		all, open := cards()
		if len(all) != maxCards || len(open) != maxCards {
			t.Fatalf("%d cards, %d of them open, want %d", len(all), len(open), maxCards)
		}
		for _, m := range open[:2] {
			e.presses(e.dm, m, m.Components[0].Components[1].CustomID)
		}
		time.Sleep(time.Second)
		if all, open = cards(); len(all) != len(calls) || len(open) != maxCards {
			t.Errorf("%d cards, %d of them open, want %d and %d once two were closed", len(all), len(open), len(calls), maxCards)
		}
	})
}

// TestCardText checks that a card shows any arguments literally and fits into one message.
func TestCardText(t *testing.T) {
	for _, row := range []struct{ name, caller, want string }{
		{"user", "discord:123", "<@123>"},
		{"no user", "discord:12>@everyone", "**discord:12>@everyone**"},
		{"nobody", "discord:", "**discord:**"},
		{"npc", "npc:Bar*tok", `**Bar\*tok**`},
		{"of the cast", "npc:juniper", "**Juniper**"},
		{"client", "laptop", "**laptop**"},
	} {
		if got := callerName(row.caller, []config.NPC{{ID: "juniper", Name: "Juniper"}}); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
	for _, l := range []Language{English, German} {
		text := cardText(l, nil, access.Approval{
			Caller: "npc:" + strings.Repeat("*", 5000), Tool: strings.Repeat("`", 5000),
			Args: `{"a":"` + "```\n@everyone" + strings.Repeat("😀", 5000),
		}, CallUntil.In(l, time.Now().Unix()))
		if n := len(utf16.Encode([]rune(text))); n > 2000 || strings.Count(text, "```") != 2 {
			t.Errorf("%d code units with %d fences, want at most 2000 with 2: %q", n, strings.Count(text, "```"), text)
		}
	}
}
