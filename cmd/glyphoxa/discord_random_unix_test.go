//go:build unix

package main_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// output collects what a program writes and can be read while the program runs.
// The zero value is empty.
type output struct {
	mu   sync.Mutex // guards the fields below
	text bytes.Buffer
	more chan struct{} // closed when more is written, if a reader waits
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.more != nil {
		close(o.more)
		o.more = nil
	}
	return o.text.Write(p)
}

// String returns everything written so far.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// after waits for a line that begins with words and returns the rest of it.
func (o *output) after(t testing.TB, words string) string {
	t.Helper()
	for {
		o.mu.Lock()
		text := o.text.String()
		if o.more == nil {
			o.more = make(chan struct{})
		}
		more := o.more
		o.mu.Unlock()
		if _, rest, found := strings.Cut("\n"+text, "\n"+words); found {
			if line, _, whole := strings.Cut(rest, "\n"); whole {
				return line
			}
		}
		select {
		case <-more:
		case <-time.After(limit):
			t.Fatalf("the program said %q, want %q", text, words)
		}
	}
}

// goroutines counts the goroutines of a program that serves its metrics.
func (s *session) goroutines() int {
	s.t.Helper()
	r, err := http.Get("http://" + s.errs.after(s.t, "glyphoxa mcp listening on http://") + "/metrics")
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	page, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	found := goroutinesMetric.FindSubmatch(page)
	if found == nil {
		s.t.Fatalf("the metrics do not count goroutines:\n%s", page)
	}
	n, err := strconv.Atoi(string(found[1]))
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

var goroutinesMetric = regexp.MustCompile(`(?m)^go_goroutines (\d+)$`)

// TestDiscordRandomPeople lets members of several guilds act at random at once.
// Every interaction is answered, no guild sees another's data, and no activity
// remains at the end.
func TestDiscordRandomPeople(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	t.Parallel()
	const guilds, steps, slack = 3, 200, 20
	d := discordtest.New(t, nil)
	s := newProgram(t).bot(d, tavern)
	commands := d.RegisteredCommands("")
	var crowds []*crowd
	for n := range guilds {
		c := &crowd{t: t, g: newGuild(t, d, fmt.Sprintf("guild%d", n)), commands: commands,
			token: fmt.Sprintf("Zorblax%d", n), chance: rand.New(rand.NewPCG(2026, uint64(n)))}
		c.idle()
		crowds = append(crowds, c)
	}
	before := s.goroutines()
	var work sync.WaitGroup
	for _, c := range crowds {
		work.Go(func() {
			for range steps {
				c.step()
			}
			c.settle()
		})
	}
	work.Wait()
	for _, c := range crowds {
		c.idle()
		for _, other := range crowds {
			if c != other && strings.Contains(c.read(), other.token) {
				t.Errorf("%s is told of %s", c.token, other.token)
			}
		}
	}
	after := s.goroutines()
	for begun := time.Now(); after > before+slack && time.Since(begun) < limit; {
		after = s.goroutines()
	}
	t.Logf("goroutines: %d before, %d after", before, after)
	if after > before+slack {
		t.Errorf("%d goroutines more than before %d interactions", after-before, guilds*steps)
	}
	if r := s.stop(); r.code != 0 {
		t.Errorf("exit code %d, stderr %s", r.code, r.stderr)
	}
}

// crowd is the members of one guild.
type crowd struct {
	t        testing.TB
	g        *guild
	commands []discordtest.RegisteredCommand
	token    string // appears in all that its members write, and nowhere else
	chance   *rand.Rand

	told    strings.Builder // what only one of them was shown
	said    []discordtest.Message
	buttons []discordtest.Message
	forms   []*discordtest.Interaction
	pending []asked
}

// idle ends a session, and starts one first if there is none.
func (c *crowd) idle() {
	c.g.gives(c.t, c.g.dm, "session start")
	c.g.gives(c.t, c.g.dm, "session stop")
}

// read returns all text shown to the guild.
func (c *crowd) read() string {
	var all strings.Builder
	for _, m := range c.g.d.Messages(c.g.channel) {
		all.WriteString(tell(m))
	}
	return all.String() + c.told.String()
}

// tell returns all text of a message.
func tell(m discordtest.Message) string {
	return fmt.Sprintf("%s %s %v %v\n", m.Author.Username, m.Content, m.Embeds, m.Components)
}

func (c *crowd) step() {
	switch n := c.chance.IntN(10); {
	case n == 0 && len(c.buttons) > 0:
		c.press()
	case n == 1 && len(c.forms) > 0:
		c.submit()
	case n <= 3:
		c.write()
	default:
		c.order()
	}
}

// somebody returns a random member, mostly a dungeon master.
func (c *crowd) somebody() string {
	if c.chance.IntN(4) == 0 {
		return c.g.ana
	}
	return c.g.dm
}

// order gives any command with any options, or completes an option.
func (c *crowd) order() {
	k := pick(c.chance, c.commands)
	var options []discordtest.Option
	for _, o := range k.Options {
		if !o.Required && c.chance.IntN(2) == 0 {
			continue
		}
		v := c.value(o)
		if o.Autocomplete && c.chance.IntN(3) == 0 {
			i, err := c.g.d.Autocomplete(c.somebody(), c.g.channel, k.Path, o.Name, opt(o.Name, v))
			if err != nil {
				c.t.Errorf("typing into /%s: %v", k.Path, err)
				return
			}
			c.await(i, k.Path)
			return
		}
		options = append(options, opt(o.Name, v))
	}
	i, err := c.g.d.Command(c.somebody(), c.g.channel, k.Path, options...)
	if err != nil {
		c.t.Errorf("/%s %v: %v", k.Path, options, err)
		return
	}
	c.await(i, k.Path)
}

// await requires the answers of several interactions at once.
func (c *crowd) await(i *discordtest.Interaction, what string) {
	c.pending = append(c.pending, asked{i, what})
	if c.chance.IntN(3) == 0 {
		c.settle()
	}
}

// settle requires the answers of all open interactions.
func (c *crowd) settle() {
	for _, a := range c.pending {
		c.answered(a.Interaction, a.what)
	}
	c.pending = nil
}

// asked is an interaction without an answer yet.
type asked struct {
	*discordtest.Interaction
	what string
}

// value returns a random value for an option.
func (c *crowd) value(o discordtest.RegisteredOption) any {
	switch {
	case len(o.Choices) > 0:
		return pick(c.chance, o.Choices)
	case o.Kind == discordtest.OptionInteger:
		return int(*o.Least) + c.chance.IntN(int(*o.Most-*o.Least)+1)
	case o.Kind == discordtest.OptionBoolean:
		return c.chance.IntN(2) == 0
	case o.Kind == discordtest.OptionChannel:
		return c.g.channel
	case o.Kind == discordtest.OptionAttachment:
		return pick(c.chance, []any{sheet(c.campaign()).Value, sheet("entities: {").Value})
	}
	text := pick(c.chance, []string{
		"Bartok", "mira", "all", "2d6", "d20+1", "grapple", "nobody", "", c.token, strings.ToLower(c.token), "ned", "Mere " + c.token,
		"Hello Bartok, here is " + c.token, "@everyone <@" + c.g.ana + ">", "\x00\u202e", strings.Repeat(c.token+". ", 700),
	})
	if o.Most != nil {
		text = string([]rune(text)[:min(len([]rune(text)), int(*o.Most))])
	}
	return text
}

// campaign is a file with a campaign of the guild.
func (c *crowd) campaign() string {
	return fmt.Sprintf("name: Mere %s\nentities:\n  - {id: ned, type: npc, name: Ned, description: Knows %s.}\n", c.token, c.token)
}

// answered requires that an interaction is answered without mentions, and
// records its buttons and forms for later.
func (c *crowd) answered(i *discordtest.Interaction, what string) {
	r, err := i.Response(c.t.Context())
	if err != nil {
		c.t.Errorf("%s: %v", what, err)
		return
	}
	fmt.Fprintln(&c.told, r.Choices)
	switch {
	case r.Modal != nil:
		c.forms = append(c.forms, i)
		return
	case r.Message == nil:
		return
	}
	m, err := i.Answer(c.t.Context())
	if err != nil {
		c.t.Errorf("%s: %v", what, err)
		return
	}
	for _, m := range append(i.Followups(), m) {
		c.told.WriteString(tell(m))
		if len(m.Mentions) > 0 || len(m.MentionRoles) > 0 || m.MentionEveryone {
			c.t.Errorf("%s calls somebody: %q", what, m.Content)
		}
		if len(m.Components) > 0 {
			c.buttons = append(c.buttons, m)
		}
	}
}

// press presses a random button of any earlier message, twice.
func (c *crowd) press() {
	m := pick(c.chance, c.buttons)
	b := pick(c.chance, m.Components[0].Components)
	var twice []*discordtest.Interaction
	for range 2 {
		i, err := c.g.d.Press(c.g.dm, c.g.channel, m.ID, b.CustomID)
		if err == nil { // otherwise the message is gone, or only another user may see it
			twice = append(twice, i)
		}
	}
	for _, i := range twice {
		c.answered(i, "pressing "+b.CustomID)
	}
}

// submit submits a random form of any earlier answer.
func (c *crowd) submit() {
	i, err := c.g.d.Submit(pick(c.chance, c.forms), map[string]string{"name": c.token, "kind": pick(c.chance, []string{"npc", "dragon"}), "place": pick(c.chance, []string{"", "Ned"})})
	if err != nil {
		c.t.Errorf("filling in a form: %v", err)
		return
	}
	c.answered(i, "a form")
}

// write posts a message, or edits or deletes one.
func (c *crowd) write() {
	switch n := c.chance.IntN(4); {
	case n == 0 && len(c.said) > 0:
		m := pick(c.chance, c.said)
		c.g.d.Edit(c.g.channel, m.ID, "Hello Mira, "+c.token)
	case n == 1 && len(c.said) > 0:
		at := c.chance.IntN(len(c.said))
		c.g.d.Delete(c.g.channel, c.said[at].ID)
		c.said = append(c.said[:at], c.said[at+1:]...)
	default:
		c.said = append(c.said, c.g.d.Say(c.g.channel, c.g.ana, "Hello Bartok, "+c.token, nil))
	}
}

func pick[T any](chance *rand.Rand, all []T) T { return all[chance.IntN(len(all))] }
