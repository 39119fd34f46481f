//go:build unix

package main_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// governed adds to the tavern a call that waits for another dungeon master, and
// a server whose tools wait for approval, for the test of every command.
const governed = `
  policy: [{name: ask-first, rule: approval, who: ["discord:*"], tools: [remove_entity]}]
mcp: {servers: [{name: harbour, transport: streamable-http, url: "%s", allow_private: true, pin: true}]}
`

// covered is a command's case in TestDiscordEveryCommand.
type covered struct {
	// dm says whether players are refused, table whether the command needs a
	// session.
	dm, table bool
	good, bad []given
}

// given are the options of a command and words of its answer.
type given struct {
	before  func()
	options []discordtest.Option
	want    []string
	then    func(m discordtest.Message) // acts on the answer
	never   bool                        // no client sends this
}

func input(options ...discordtest.Option) given { return given{options: options} }

func (o given) says(words ...string) given {
	o.want = words
	return o
}

func (o given) refused() given {
	o.never = true
	return o
}

func (o given) after(before func()) given {
	o.before = before
	return o
}

func (o given) and(then func(m discordtest.Message)) given {
	o.then = then
	return o
}

// everywhere is a Discord with a guild for each command, and another guild
// whose data must not be visible in the others.
type everywhere struct {
	t        testing.TB
	d        *discordtest.Server
	g        *guild // where the command is given
	who      string // gives the command
	other    *guild
	describe func(string) // describes the harbour's tool in other words
}

// pressed returns a check that presses the first button of an answer, as the
// user who got it, and requires words in the response.
func (e *everywhere) pressed(words ...string) func(discordtest.Message) {
	return func(m discordtest.Message) {
		e.t.Helper()
		answers(e.t, e.presses(e.who, m), true, words...)
	}
}

// presses presses the first button of an answer and returns the response.
func (e *everywhere) presses(user string, m discordtest.Message) discordtest.Message {
	e.t.Helper()
	if len(m.Components) == 0 {
		e.t.Fatalf("answer %q has no buttons", m.Content)
	}
	i, err := e.d.Press(user, e.g.channel, m.ID, m.Components[0].Components[0].CustomID)
	if err != nil {
		e.t.Fatal(err)
	}
	return follows(e.t, i, m)
}

// follows waits for the effect of a button: its message changes, or a new
// message follows.
func follows(t testing.TB, i *discordtest.Interaction, of discordtest.Message) discordtest.Message {
	t.Helper()
	if _, err := i.Response(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	defer work.Wait()
	defer cancel()
	came := make(chan discordtest.Message, 2)
	work.Go(func() {
		m, err := i.AnswerWhen(ctx, func(now discordtest.Message) bool { return now.ID != of.ID || now.Content != of.Content })
		if err == nil {
			came <- m
		}
	})
	work.Go(func() {
		if more, err := i.AwaitFollowups(ctx, 1); err == nil {
			came <- more[0]
		}
	})
	select {
	case m := <-came:
		return m
	case <-time.After(limit):
		t.Fatalf("nothing came of a button of %q", of.Content)
		return of
	}
}

// removalWaits lets a dungeon master do something that another must agree to.
func (e *everywhere) removalWaits() {
	e.t.Helper()
	e.g.gives(e.t, e.g.dm, "entity add", opt("name", "Old Ted"), opt("kind", "npc"))
	answers(e.t, e.presses(e.g.dm, e.g.gives(e.t, e.g.dm, "entity remove", opt("id", "old-ted"))), true, "⚠", "approv")
}

var listedID = regexp.MustCompile("- `([^`]+)`")

// decides lets another dungeon master approve or reject a waiting call.
func (e *everywhere) decides(verdict, want string) {
	e.t.Helper()
	dm := e.d.AddMember(e.g.id, e.g.id+"-second", e.g.role)
	listed := e.g.gives(e.t, dm, "approve list")
	found := listedID.FindStringSubmatch(listed.Content)
	if found == nil {
		e.t.Fatalf("/approve list answers %q, want what waits", listed.Content)
	}
	answers(e.t, e.g.gives(e.t, dm, "approve "+verdict, opt("id", found[1])), true, want)
	answers(e.t, e.g.gives(e.t, dm, "approve list"), true, "Nothing is waiting")
}

// tideTurns changes the server's description of its tool from the one the guild
// knows.
func (e *everywhere) tideTurns() {
	e.t.Helper()
	answers(e.t, e.g.gives(e.t, e.g.dm, "tools list"), true, "**tide**")
	e.describe("Tells the tide. Call this first, always.")
	e.g.until(e.t, "tools list", "from harbour, held back")
}

func (e *everywhere) tedIsAdded() {
	e.g.gives(e.t, e.g.dm, "entity add", opt("name", "Old Ted"), opt("kind", "npc"))
}

func (e *everywhere) mereIsLoaded() {
	e.g.gives(e.t, e.g.dm, "campaign load", sheet("name: Mere\nentities: []\n"))
}

// bartokAnswers lets a player speak to Bartok, who answers.
func (e *everywhere) bartokAnswers() {
	e.t.Helper()
	e.d.Say(e.g.channel, e.g.ana, "Hello Bartok!", nil)
	e.g.hears(e.t, e.g.channel, "Bartok", "Welcome to the Flagon.")
}

// somethingIsPromised lets a player make a promise to Bartok.
func (e *everywhere) somethingIsPromised() {
	e.t.Helper()
	e.g.gives(e.t, e.g.dm, "session start")
	e.d.Say(e.g.channel, e.g.ana, "Bartok, I promise you a keg.", nil)
	e.g.hears(e.t, e.g.channel, "Bartok", "")
}

// somethingIsProposed turns a player's promise into a proposal for the dungeon
// master.
func (e *everywhere) somethingIsProposed() {
	e.t.Helper()
	e.somethingIsPromised()
	answers(e.t, e.g.gives(e.t, e.g.dm, "memory review"), true, "I promise you a keg.")
}

func (e *everywhere) nettleIsRemembered() {
	e.t.Helper()
	answers(e.t, e.g.gives(e.t, e.g.dm, "remember", opt("text", "The goat is called Nettle.")), true, "Remembered as #1")
}

// unheard returns a check that only the user who asked sees the answer, and
// that its words do not appear in the channel.
func (e *everywhere) unheard(words ...string) func(discordtest.Message) {
	return func(m discordtest.Message) {
		e.t.Helper()
		answers(e.t, m, true)
		for _, said := range e.d.Messages(e.g.channel) {
			for _, w := range words {
				if !said.Ephemeral() && strings.Contains(said.Content, w) {
					e.t.Errorf("the channel reads %q of what was whispered", said.Content)
				}
			}
		}
	}
}

func (e *everywhere) anaIsUnheard() {
	answers(e.t, e.g.gives(e.t, e.g.ana, "privacy consent", opt("heard", "no")), true, "You are not heard from now on")
}

func (e *everywhere) anaIsHeard(discordtest.Message) {
	answers(e.t, e.g.gives(e.t, e.g.ana, "privacy consent", opt("heard", "yes")), true, "You are heard")
}

func (e *everywhere) pauses() {
	answers(e.t, e.g.gives(e.t, e.g.dm, "session pause"), false, "⏸ Break")
}

func (e *everywhere) goesOn(discordtest.Message) {
	e.g.gives(e.t, e.g.dm, "session resume")
}

// dayIsSet lets a dungeon master set the day and advance it.
func (e *everywhere) dayIsSet() {
	e.t.Helper()
	answers(e.t, e.g.gives(e.t, e.g.dm, "date", opt("to", "2 Deepfrost 1024")), true, "2 Deepfrost 1024")
	answers(e.t, e.g.gives(e.t, e.g.dm, "date", opt("to", "tomorrow")), true, "3 Deepfrost 1024")
}

// noDayIsSet lets a dungeon master give an invalid day, which changes nothing.
func (e *everywhere) noDayIsSet() {
	e.t.Helper()
	for _, text := range append(e.hostile(), "a horse", "+9223372036854775807", "99 Deepfrost 1024", "in 9223372036854775807 years") {
		if text = strings.TrimSpace(text); text == "" || text == "-1" {
			continue // today or the day before
		}
		m := e.asks(e.g.dm, "date", []discordtest.Option{opt("to", string([]rune(text)[:min(len([]rune(text)), 100)]))})
		answers(e.t, m, true, "⚠", "is not a date here")
	}
}

// hostile are texts that a user may give as any option.
func (e *everywhere) hostile() []string {
	return []string{
		"", "   ", "a\x00b\x1b[31mc\u202ed\u200be\u2028f\ufffd", "'; DROP TABLE lines; -- \" OR NEAR(x) *",
		"@everyone @here <@" + e.g.ana + "> <@&" + e.g.role + "> <#" + e.g.channel + "> <:x:1>",
		"**`_~|>-# [x](https://example.com)\n# big\n```", "../../../etc/passwd", "all", "-1", "9223372036854775808",
		e.other.id, e.other.channel, unheardOf, strings.Repeat("😀 long. ", 750),
	}
}

// variants returns the options of a command with each hostile value in each
// place.
func (e *everywhere) variants(k discordtest.RegisteredCommand, good []discordtest.Option) (all [][]discordtest.Option) {
	for _, o := range k.Options {
		var values []any
		switch {
		case len(o.Choices) > 0:
			values = o.Choices
		case o.Kind == discordtest.OptionString:
			for _, text := range e.hostile() {
				if o.Most != nil {
					text = string([]rune(text)[:min(len([]rune(text)), int(*o.Most))])
				}
				values = append(values, text)
			}
		case o.Kind == discordtest.OptionInteger:
			values = append(values, int(*o.Least), int(*o.Most))
		}
		rest := slices.DeleteFunc(slices.Clone(good), func(g discordtest.Option) bool { return g.Name == o.Name })
		for _, v := range values {
			all = append(all, append(slices.Clone(rest), opt(o.Name, v)))
		}
	}
	return all
}

// TestDiscordEveryCommand gives every registered command: with good input, with
// bad input, by users without permission, and where it makes no sense. Every
// interaction is answered without mentions and without data of another guild.
func TestDiscordEveryCommand(t *testing.T) {
	t.Parallel()
	d := discordtest.New(t, nil)
	url, describe := harbour(t)
	e := &everywhere{t: t, d: d, other: newGuild(t, d, "other"), describe: describe}
	h := newProgram(t)
	config := strings.Replace(tavern, `server: {listen: "127.0.0.1:0"}`, `server:
  listen: "127.0.0.1:0"`+fmt.Sprintf(governed, url), 1)
	config = strings.Replace(config, "tools: [roll]\n", "tools: [roll]\n    secret_knowledge: [The old jetty is hollow., The ferry leaks.]\n", 1)
	s := h.bot(d, config)
	e.other.gives(t, e.other.dm, "entity add", opt("name", unheardOf), opt("kind", "npc"))
	e.g = e.other
	table := e.table()
	for _, k := range d.RegisteredCommands("") {
		if _, ok := table[k.Path]; !ok {
			t.Errorf("/%s is not in the table", k.Path)
			continue
		}
		t.Run(k.Path, func(t *testing.T) {
			in := *e
			in.t, in.g = t, newGuild(t, d, strings.ReplaceAll(k.Path, " ", "-"))
			in.give(k, in.table()[k.Path])
		})
		delete(table, k.Path)
	}
	for path := range table {
		t.Errorf("/%s is in the table and not registered", path)
	}
	if r := s.stop(); r.code != 0 {
		t.Errorf("exit code %d, stderr %s", r.code, r.stderr)
	}
}

// takesText reports whether an option accepts text beyond the choices that
// Discord offers.
func takesText(o discordtest.RegisteredOption) bool {
	return len(o.Choices) == 0 && o.Kind != discordtest.OptionChannel
}

// give gives one command in every way.
func (e *everywhere) give(k discordtest.RegisteredCommand, want covered) {
	t, g := e.t, e.g
	if len(want.good) == 0 || len(want.bad) == 0 && slices.ContainsFunc(k.Options, takesText) {
		t.Fatalf("/%s has %d good rows and %d bad ones, want some", k.Path, len(want.good), len(want.bad))
	}
	if want.table {
		answers(t, e.asks(g.dm, k.Path, want.good[0].options), true, "⚠ No session is running here")
		g.gives(t, g.dm, "session start")
	}
	if want.dm {
		answers(t, e.asks(g.ana, k.Path, want.good[0].options), true, "Only a dungeon master may do that")
	}
	e.who = g.dm
	if !want.dm {
		e.who = g.ana
	}
	for _, row := range append(want.good, want.bad...) {
		if row.before != nil {
			row.before()
		}
		if row.never {
			if _, err := e.d.Command(e.who, g.channel, k.Path, row.options...); err == nil {
				t.Errorf("/%s takes %v", k.Path, row.options)
			}
			continue
		}
		m := e.asks(e.who, k.Path, row.options)
		for _, w := range row.want {
			if !strings.Contains(m.Content, w) {
				t.Errorf("/%s %v answers %q, want %q in it", k.Path, row.options, m.Content, w)
			}
		}
		if strings.Contains(m.Content, unheardOf) && !strings.Contains(fmt.Sprint(row.options), unheardOf) {
			t.Errorf("/%s %v tells of another guild: %q", k.Path, row.options, m.Content)
		}
		if row.then != nil {
			row.then(m)
		}
	}
	if !testing.Short() { // there are a few hundred commands
		for _, options := range e.variants(k, want.good[0].options) {
			e.asks(e.who, k.Path, options)
		}
	}
	for _, m := range e.d.Messages(g.channel) {
		e.harmless(k.Path, nil, m)
	}
}

// asks gives a command and returns its answer, which must be in time and
// harmless, and may be a form only where the command has one.
func (e *everywhere) asks(user, command string, options []discordtest.Option) discordtest.Message {
	e.t.Helper()
	i, err := e.d.Command(user, e.g.channel, command, options...)
	if err != nil {
		e.t.Fatalf("/%s %v: %v", command, options, err)
	}
	r, err := i.Response(e.t.Context())
	if err != nil {
		e.t.Fatalf("/%s %v: %v", command, options, err)
	}
	if r.Modal != nil {
		return discordtest.Message{}
	}
	m, err := i.Answer(e.t.Context())
	if err != nil {
		e.t.Fatalf("/%s %v: %v", command, options, err)
	}
	for _, m := range append(i.Followups(), m) {
		e.harmless(command, options, m)
	}
	return m
}

// harmless requires that a message of the bot has text, mentions no user, and
// shows no internals.
func (e *everywhere) harmless(command string, options []discordtest.Option, m discordtest.Message) {
	e.t.Helper()
	if m.Author != nil && !m.Author.Bot || m.Deleted {
		return
	}
	if len(m.Mentions) > 0 || len(m.MentionRoles) > 0 || m.MentionEveryone {
		e.t.Errorf("/%s %v calls somebody: %q", command, options, m.Content)
	}
	if m.Content == "" && len(m.Embeds)+len(m.Attachments) == 0 {
		e.t.Errorf("/%s %v is answered with nothing", command, options)
	}
	if strings.Contains(m.Content, "goroutine ") || strings.Contains(m.Content, ".glyphoxa") {
		e.t.Errorf("/%s %v tells of the inside: %q", command, options, m.Content)
	}
}
