//go:build unix

package main_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// recapUntil asks for a recap until its text is right.
func (g *guild) recapUntil(t testing.TB, like func(recap string) bool) string {
	t.Helper()
	for {
		m := g.gives(t, g.ana, "session recap")
		if like(m.Content) && !strings.HasPrefix(m.Content, "⚠") { // a member may have four commands at once
			return m.Content
		}
		if err := t.Context().Err(); err != nil {
			t.Fatalf("%v; the recap is %q", err, m.Content)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// editAndDelete changes lines that NPCs heard long ago. Deleted text must be in
// no file when the program has ended.
func editAndDelete(t *testing.T, _ *program, d *discordtest.Server) {
	g := newGuild(t, d, "home")
	g.gives(t, g.dm, "session start")
	edited := d.Say(g.channel, g.ana, "Hello Bartok, the word is Xanadu", nil)
	g.hears(t, g.channel, "Bartok", "")
	deleted := d.Say(g.channel, g.ana, "Hello Mira, the word is Zanzibar", nil)
	answer := g.hears(t, g.channel, "Mira", "")
	d.Edit(g.channel, edited.ID, "Hello Bartok, <@"+g.dm+"> knows of Samarkand")
	d.Delete(g.channel, deleted.ID)
	recap := g.recapUntil(t, func(recap string) bool {
		return !strings.Contains(recap, "Xanadu") && !strings.Contains(recap, "Zanzibar")
	})
	for _, want := range []string{"Hello Bartok, home-dm knows of Samarkand", answer.Content} {
		if !strings.Contains(recap, want) {
			t.Errorf("the recap is %q, want %q in it", recap, want)
		}
	}
	g.gives(t, g.dm, "session stop")
	answers(t, g.gives(t, g.dm, "ask", opt("about", "Xanadu")), true, "Nothing is known about that.")
	answers(t, g.gives(t, g.dm, "ask", opt("about", "Samarkand")), true, "Samarkand")
}

// TestDiscordStopKeepsTheUnheard stops the program while many lines wait for an
// answer, and checks that each is stored once. Lines that a full queue rejected
// are stored before those that wait in it.
func TestDiscordStopKeepsTheUnheard(t *testing.T) {
	t.Parallel()
	const n = 60
	d := discordtest.New(t, nil)
	g := newGuild(t, d, "home")
	h := newProgram(t)
	s := h.bot(d, tavern)
	g.gives(t, g.dm, "session start")
	var players []string
	for k := range 6 {
		players = append(players, d.AddMember(g.id, fmt.Sprint("player", k)))
	}
	for k := range n {
		d.Say(g.channel, players[k%len(players)], fmt.Sprintf("Bartok, this is line %d.", k), nil)
	}
	g.gives(t, g.ana, "npc list") // the bot has received all lines
	if r := s.stop(); r.code != 0 {
		t.Errorf("exit code %d, stderr %s", r.code, r.stderr)
	}
	store, err := sqlite.Open(t.Context(), h.path(filepath.Join(".glyphoxa", "guilds", g.id, "glyphoxa.db")), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	all, err := store.Sessions(t.Context(), 1)
	if err != nil || len(all) != 1 {
		t.Fatalf("sessions %v, %v", all, err)
	}
	lines, err := store.Recent(t.Context(), all[0].ID, 10*n)
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]int{}
	for _, l := range lines {
		if l.NPC == "" {
			kept[l.Text]++
		}
	}
	for k := range n {
		if text := fmt.Sprintf("Bartok, this is line %d.", k); kept[text] != 1 {
			t.Errorf("%q is kept %d times, want once", text, kept[text])
		}
	}
	if len(kept) != n {
		t.Errorf("%d lines are kept, want %d", len(kept), n)
	}
}
