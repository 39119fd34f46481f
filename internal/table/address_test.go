package table

import (
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
)

func cast() []config.NPC {
	return []config.NPC{
		{Name: "Greymantle the Sage", Aliases: []string{"the sage"}},
		{Name: "Bartok the Barkeep", Aliases: []string{"Bart"}},
		{Name: "Captain Harrow", Aliases: []string{"the captain"}},
		{Name: "Wilhelmina Drossel", Aliases: []string{"Frau Drossel"}},
	}
}

func TestDetect(t *testing.T) {
	const grey, bart, harrow, mina = 0, 1, 2, 3
	d := newDirectory(cast())
	for _, row := range []struct {
		name, text string
		last       int
		want       address
	}{
		{"name and comma", "Greymantle, roll 2d6+3", -1, address{grey, RouteName}},
		{"full name", "Bartok the Barkeep, an ale!", -1, address{bart, RouteName}},
		{"alias", "Bart, an ale!", grey, address{bart, RouteName}},
		{"no comma", "Bartok give me an ale", grey, address{bart, RouteName}},
		{"greeting", "hey there Bart", grey, address{grey, RouteContinuation}},
		{"greeting and name", "Hey Bart what is new", grey, address{bart, RouteName}},
		{"at the end", "An ale, Bartok!", grey, address{bart, RouteName}},
		{"in the middle", "I say, Bartok, an ale", grey, address{bart, RouteName}},
		{"lower case", "bartok, an ale", grey, address{bart, RouteName}},
		{"possessive is a mention", "Bartok's ale is good", grey, address{grey, RouteContinuation}},
		{"about someone", "Bartok is a thief", grey, address{grey, RouteContinuation}},
		{"asked about", "Who is Bartok?", grey, address{grey, RouteContinuation}},
		{"mention without conversation", "Who is Bartok?", -1, address{bart, RouteName}},
		{"first name set off wins", "Bartok, where is Greymantle?", -1, address{bart, RouteName}},
		{"title when spoken to", "Captain, come here", grey, address{harrow, RouteName}},
		{"title in a story", "we met a captain of the watch", -1, address{-1, RouteNone}},
		{"german", "Frau Drossel, was gibt es Neues?", -1, address{mina, RouteName}},
		{"surname", "Guten Abend Drossel", -1, address{mina, RouteName}},
		{"part of a word", "bartender, an ale", -1, address{-1, RouteNone}},
		{"continuation", "and another one", bart, address{bart, RouteContinuation}},
		{"nobody", "let us leave", -1, address{-1, RouteNone}},
		{"empty", " …?! ", bart, address{-1, RouteNone}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := d.detect(row.text, row.last); got != row.want {
				t.Errorf("detect(%q, %d) = %+v, want %+v", row.text, row.last, got, row.want)
			}
		})
	}
}

func TestOnlyNPCHearsEverything(t *testing.T) {
	d := newDirectory(cast()[:1])
	for text, want := range map[string]Route{"an ale": RouteOnlyNPC, "Greymantle, an ale": RouteName} {
		if got := d.detect(text, -1); got != (address{0, want}) {
			t.Errorf("detect(%q) = %+v, want NPC 0 by %s", text, got, want)
		}
	}
}

func TestLookup(t *testing.T) {
	for name, want := range map[string]int{
		"Greymantle the Sage": 0, "greymantle": 0, " The Sage ": 0, "bart": 1, "Barkeep": 1, "captain": 2, "drossel": 3,
	} {
		if got, err := Lookup(cast(), name); err != nil || got != want {
			t.Errorf("Lookup(%q) = %d, %v, want %d", name, got, err, want)
		}
	}
	for name, want := range map[string]string{"Greymantel": "did you mean", "Zorro": "there are Greymantle the Sage, ", "": "there are", "the": "no NPC"} {
		if _, err := Lookup(cast(), name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Lookup(%q) = %v, want %q in it", name, err, want)
		}
	}
}

func FuzzDetect(f *testing.F) {
	d := newDirectory(cast())
	f.Add("Bartok, an ale", 0)
	f.Add("’s’s 's\xff Bart", -1)
	f.Fuzz(func(t *testing.T, text string, last int) {
		last = max(min(last, 3), -1)
		got := d.detect(text, last)
		if got.npc < -1 || got.npc > 3 || (got.npc == -1) != (got.route == RouteNone) {
			t.Errorf("detect(%q, %d) = %+v", text, last, got)
		}
	})
}
