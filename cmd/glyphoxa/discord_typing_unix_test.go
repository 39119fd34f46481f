//go:build unix

package main_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// typed is what somebody types into an option that is completed, and what the
// command is then to be told: it begins with want.
type typed struct{ text, want string }

// typings are for every option that is completed, by command and option.
var typings = map[string]typed{
	"npc mute npc":             {"bart", "Bartok"},
	"npc unmute npc":           {"MI", "Mira"},
	"voice npc":                {"mir", "Mira"},
	"voice voice":              {"f2", "en+f2"},
	"rules about":              {"fireb", "Fireball"},
	"ask about":                {"bart", "Bartok"},
	"entity add place":         {"mill", "old-mill"},
	"npc say npc":              {"mir", "Mira"},
	"npc direct npc":           {"al", "all"},
	"npc reveal npc":           {"bart", "Bartok"},
	"npc conceal npc":          {"mi", "Mira"},
	"npc why npc":              {"bar", "Bartok"},
	"whisper npc":              {"mir", "Mira"},
	"remember npc":             {"mir", "Mira"},
	"tier raise npc":           {"Bartok", "Bartok"},
	"tier lower npc":           {"ira", "Mira"},
	"tier cap npc":             {"all", "all"},
	"tools approve name":       {"tid", "harbour/tide"},
	"campaign switch campaign": {"mer", "mere"},
	"approve yes id":           {"", ""}, // there is one, and nobody knows its id
	"approve no id":            {"", ""},
	"entity remove id":         {"ted", "old-ted"},
}

// TestDiscordSuggests completes whatever is typed into every option that is
// completed, and does so in time while fifty people a second type.
func TestDiscordSuggests(t *testing.T) {
	url, describe := harbour(t)
	d := discordtest.New(t, nil)
	e := &everywhere{t: t, d: d, g: newGuild(t, d, "home"), other: newGuild(t, d, "other"), describe: describe}
	s := newProgram(t).bot(d, strings.NewReplacer(`server: {listen: "127.0.0.1:0"}`, `server:
  listen: "127.0.0.1:0"`+fmt.Sprintf(governed, url), "name: Mira", "name: Mira\n    voice: {id: en+f2}").Replace(tavern))
	e.other.gives(t, e.other.dm, "entity add", opt("name", unheardOf), opt("kind", "npc"))
	e.g.gives(t, e.g.dm, "entity add", opt("name", "Old Mill"), opt("kind", "location"))
	e.mereIsLoaded()
	e.tideTurns()
	e.g.gives(t, e.g.dm, "session start")
	e.removalWaits()
	e.who = d.AddMember(e.g.id, "second", e.g.role) // who may decide
	var all []typing
	for _, k := range d.RegisteredCommands("") {
		for _, o := range k.Options {
			row, ok := typings[k.Path+" "+o.Name]
			if o.Autocomplete != ok {
				t.Errorf("/%s %s: completed is %t, in the table is %t", k.Path, o.Name, o.Autocomplete, ok)
			}
			if o.Autocomplete {
				all = append(all, typing{k.Path, o.Name, row})
			}
		}
	}
	for _, y := range all {
		e.completes(y)
	}
	e.completesInTime(all, "http://"+s.errs.after(t, "glyphoxa mcp listening on http://")+"/healthz")
	s.stop()
}

// typing is what is typed where.
type typing struct {
	command, option string
	typed
}

func (e *everywhere) types(user string, y typing, text string) discordtest.Response {
	i, err := e.d.Autocomplete(user, e.g.channel, y.command, y.option, opt(y.option, text))
	if err != nil {
		e.t.Error(err)
		return discordtest.Response{}
	}
	r, err := i.Response(e.t.Context())
	if err != nil {
		e.t.Errorf("/%s %s: %v", y.command, y.option, err)
	}
	return r
}

// playersType are the commands of which players are completed what they type.
var playersType = []string{"rules", "whisper"}

// completes requires that an option is completed, for dungeon masters alone but for
// playersType, and with nothing of another guild.
func (e *everywhere) completes(y typing) {
	e.t.Helper()
	r := e.types(e.who, y, y.text)
	if !slices.ContainsFunc(r.Choices, func(c discordtest.Choice) bool { return strings.HasPrefix(fmt.Sprint(c.Value), y.want) }) {
		e.t.Errorf("/%s %s: %q is completed to %v, want %q among it", y.command, y.option, y.text, r.Choices, y.want)
	}
	for text, user := range map[string]string{y.text: e.g.ana, unheardOf: e.who, strings.Repeat("😀", 1500): e.who, "\x00<@1>` %": e.who} {
		r, may := e.types(user, y, text), user != e.g.ana || slices.Contains(playersType, y.command)
		if !may && len(r.Choices) > 0 || strings.Contains(fmt.Sprint(r.Choices), unheardOf) {
			e.t.Errorf("/%s %s: %q is completed to %v, want nothing", y.command, y.option, text, r.Choices)
		}
	}
}

// completesInTime types fifty times a second for three seconds. What the
// simplest request takes meanwhile that the program answers is the machine's.
func (e *everywhere) completesInTime(all []typing, simplest string) {
	const n, bound = 150, 100 * time.Millisecond
	var work sync.WaitGroup
	took, machine := make([]time.Duration, n), make([]time.Duration, n)
	tick := time.NewTicker(time.Second / 50)
	defer tick.Stop()
	for k := range n {
		<-tick.C
		work.Go(func() {
			y := all[k%len(all)]
			took[k] = e.types(e.who, y, y.text).Latency
		})
		work.Go(func() {
			begun := time.Now()
			r, err := http.Get(simplest)
			if err != nil {
				e.t.Error(err)
				return
			}
			_ = r.Body.Close()
			machine[k] = time.Since(begun)
		})
	}
	work.Wait()
	slices.Sort(took)
	slices.Sort(machine)
	e.t.Logf("completed: p50 %v, p99 %v, max %v; the simplest request: p99 %v", took[n/2], took[n*99/100], took[n-1], machine[n*99/100])
	if p99, most := took[n*99/100], bound+machine[n*99/100]; p99 > most {
		e.t.Errorf("p99 of completing is %v, want %v at most", p99, most)
	}
}
