//go:build unix

package main_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// typed is a partly typed option and the expected suggestion, which begins with
// want.
type typed struct{ text, want string }

// typings are the cases for every completed option, by command and option.
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
	"approve yes id":           {"", ""}, // there is one call, with an unknown id
	"approve no id":            {"", ""},
	"entity remove id":         {"ted", "old-ted"},
}

// TestDiscordSuggests types many texts into every completed option, also many
// users at once.
func TestDiscordSuggests(t *testing.T) {
	t.Parallel()
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
	e.who = d.AddMember(e.g.id, "second", e.g.role) // may decide
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
	e.completesMany(all)
	s.stop()
}

// typing is a text and the option it is typed into.
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

// playersType are the commands whose options complete for players.
var playersType = []string{"rules", "whisper"}

// completes requires that an option is completed only for dungeon masters,
// except for playersType, and with no data of another guild.
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

// completesMany lets 150 users type at once.
func (e *everywhere) completesMany(all []typing) {
	var work sync.WaitGroup
	for k := range 150 {
		work.Go(func() {
			y := all[k%len(all)]
			e.types(e.who, y, y.text)
		})
	}
	work.Wait()
}
