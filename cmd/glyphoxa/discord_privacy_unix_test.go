//go:build unix

package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// TestDiscordPrivacy checks that the bot says what it stores, does not hear
// players who declined, and forgets players who ask for it.
func TestDiscordPrivacy(t *testing.T) {
	t.Parallel()
	d := discordtest.New(t, nil)
	g := newGuild(t, d, "home")
	ben := d.AddMember(g.id, "ben")
	h := newProgram(t)
	s := h.bot(d, tavern)
	answers(t, g.gives(t, g.ana, "privacy info"), true, "What the bot stores", "/feedback", "You are now **heard**")

	// The bot does not hear a player who declined, from the next word on and in
	// the next session.
	g.gives(t, g.dm, "session start")
	answers(t, g.gives(t, g.ana, "privacy consent", opt("heard", "no")), true, "You are not heard from now on")
	d.Say(g.channel, g.ana, "Hello Bartok, says Xanadu!", nil)
	d.Say(g.channel, ben, "Hello Mira!", nil)
	g.hears(t, g.channel, "Mira", "Mind the gap.")
	g.gives(t, g.dm, "session stop")
	answers(t, g.gives(t, g.ana, "privacy info"), true, "You are now **not heard**")
	s.stop()
	s = h.bot(d, tavern)
	g.gives(t, g.dm, "session start")
	d.Say(g.channel, g.ana, "Hello Bartok, says Xanadu again!", nil)
	said := d.Say(g.channel, ben, "Hello Mira, I am called Zanzibar!", nil)
	if _, err := d.AwaitMessage(t.Context(), g.channel, func(m discordtest.Message) bool {
		return m.ID > said.ID && m.Author.Username == "Mira"
	}); err != nil {
		t.Fatal(err)
	}
	if all := spokenBy(d.Messages(g.channel), "Bartok"); len(all) > 0 {
		t.Errorf("Bartok answered somebody who is not to be heard: %q", all)
	}
	answers(t, g.gives(t, g.ana, "privacy consent", opt("heard", "yes")), true, "You are heard")
	d.Say(g.channel, g.ana, "Hello Bartok, says Samarkand!", nil)
	g.hears(t, g.channel, "Bartok", "")
	answers(t, g.gives(t, ben, "feedback", opt("text", "I am Zanzibar, and I like it")), true, "Thank you")

	// Forgetting needs a confirmation by the same user.
	question := g.gives(t, ben, "privacy forget")
	answers(t, question, true, "Permanently delete")
	if i, err := d.Press(g.dm, g.channel, question.ID, button(t, question, "Yes, permanently")); err == nil {
		t.Errorf("the dungeon master sees the question: %v", i)
	}
	answers(t, g.presses(t, ben, g.channel, question, "Yes, permanently"), true, "Everything you wrote has been deleted: 2 lines.")
	again := g.gives(t, ben, "privacy forget")
	answers(t, g.presses(t, ben, g.channel, again, "Yes, permanently"), true, "Everything you wrote has been deleted: 0 lines.")
	answers(t, g.gives(t, g.dm, "ask", opt("about", "Zanzibar")), true, "Nothing is known about that.")
	recap := g.gives(t, g.dm, "session recap")
	answers(t, recap, true, "Samarkand", "**Mira** (NPC): Pleased to meet you.")
	if strings.Contains(recap.Content, "Zanzibar") {
		t.Errorf("the recap knows whom the bot forgot: %q", recap.Content)
	}
	g.gives(t, g.dm, "session stop")
	s.stop()
	if found := h.finds("Zanzibar"); len(found) > 0 {
		t.Errorf("what was forgotten stands in %q", found)
	}
	if found := h.finds("Xanadu"); len(found) > 0 {
		t.Errorf("what was not heard stands in %q", found)
	}
	if found := h.finds("Samarkand"); len(found) == 0 {
		t.Error("what was heard stands nowhere, so that the test shows nothing")
	}
}

// TestDiscordForgettingATakenName lets a member use a name that appears in the
// world and in other players' lines, speak, and ask to be forgotten. Only that
// member's line is deleted; the DM gets one list of lines that name the member,
// and can still undo changes to the world, also after a restart.
func TestDiscordForgettingATakenName(t *testing.T) {
	t.Parallel()
	d := discordtest.New(t, nil)
	g := newGuild(t, d, "home")
	ben := d.AddMember(g.id, "ben")
	direct := d.AddDM(g.dm)
	h := newProgram(t)
	s := h.bot(d, tavern)
	g.gives(t, g.dm, "entity add", opt("name", "Thornhollow"), opt("kind", "location"), opt("description", "Here Greta digs for gold."))
	g.gives(t, g.dm, "entity add", opt("name", "Greta"), opt("kind", "npc"), opt("description", "Greta keeps the Red Ring of Thornhollow, and her gold."))
	world := g.gives(t, g.dm, "entity list").Content
	g.gives(t, g.dm, "session start")
	const said = "Hello Mira! Greta of Thornhollow has the Red Ring, and gold."
	says := func(user, text string) {
		t.Helper()
		line := d.Say(g.channel, user, text, nil)
		if _, err := d.AwaitMessage(t.Context(), g.channel, func(m discordtest.Message) bool { return m.ID > line.ID && m.Author.Username == "Mira" }); err != nil {
			t.Fatal(err)
		}
	}
	says(g.ana, said)
	for _, name := range []string{"Greta", "Red Ring", "Thornhollow", "gold"} {
		d.SetNick(g.id, ben, name)
		says(ben, "Hello Mira, a cobblesnatch for you!")
		question := g.gives(t, ben, "privacy forget")
		answers(t, g.presses(t, ben, g.channel, question, "Yes, permanently"), true, "Everything you wrote has been deleted: one line.")
		if now := strings.Split(g.gives(t, g.dm, "entity list").Content, "\n-# ")[0]; now != world {
			t.Errorf("once %s is forgotten, the world is\n%s\nand it was\n%s", name, now, world)
		}
		recap := g.gives(t, g.dm, "session recap")
		answers(t, recap, true, said, "/memory mentions")
		if strings.Contains(recap.Content, "cobblesnatch") {
			t.Errorf("once %s is forgotten, the recap is %q", name, recap.Content)
		}
		answers(t, g.gives(t, g.ana, "memory mentions"), true, "Only a dungeon master may do that")
		told := g.gives(t, g.ana, "session recap")
		if strings.Contains(told.Content, "/memory mentions") {
			t.Errorf("a player reads %q", told.Content)
		}
		list := g.gives(t, g.dm, "memory mentions")
		answers(t, list, true, "**"+name+"** was forgotten", "- line **1**: Ana: "+said, "Nothing was changed there")
		answers(t, g.gives(t, g.dm, "memory mentions"), true, "Nothing to look at")
	}
	messages := d.Messages(direct)
	if len(messages) != 4 {
		t.Errorf("the DM is told %d times, want once for each", len(messages))
	}
	for _, m := range messages {
		if !strings.Contains(m.Content, "/memory mentions") || strings.Contains(m.Content, "Greta") || strings.Contains(m.Content, "gold") {
			t.Errorf("the DM is told %q, want no name", m.Content)
		}
	}
	answers(t, g.gives(t, g.dm, "memory erase", opt("number", 1)), true, "Deleted: Ana: "+said)
	g.gives(t, g.dm, "session stop")
	s.stop()
	if found := h.finds("cobblesnatch"); len(found) > 0 {
		t.Errorf("what was forgotten stands in %q", found)
	}
	s = h.bot(d, tavern)
	if now := g.gives(t, g.dm, "entity list").Content; now != world {
		t.Errorf("after a restart the world is\n%s\nand it was\n%s", now, world)
	}
	answers(t, g.gives(t, g.dm, "undo change"), true, "Undone: **#", "Greta")
	if now := g.gives(t, g.dm, "entity list").Content; strings.Contains(now, "Red Ring") || !strings.Contains(now, "Here Greta digs for gold.") {
		t.Errorf("once Greta is taken back, the world is\n%s", now)
	}
	s.stop()
}

// finds returns the data files that contain a word.
func (h *program) finds(word string) (found []string) {
	h.t.Helper()
	err := filepath.WalkDir(h.path(".glyphoxa"), func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), word) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return found
}
