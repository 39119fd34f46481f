package discord

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// TestOneGuildKeepsNobodyWaiting lets one member, then all members of a guild exceed the limit:
// they read that they must wait, their DM still has room, and another guild gets its answers.
func TestOneGuildKeepsNobodyWaiting(t *testing.T) {
	entered, free := make(chan struct{}, maxAtOnce), make(chan struct{})
	s := newOnlineBot(t, map[string]action{
		"session status": {everyone: true, do: func(context.Context, *call) (string, error) {
			entered <- struct{}{}
			<-free
			return "Done at last.", nil
		}},
		"session recap": {everyone: true, do: func(context.Context, *call) (string, error) { return "Here.", nil }},
	})
	other := s.d.AddGuild("other")
	elsewhere, cem := s.d.AddChannel(other, "table"), s.d.AddMember(other, "cem")

	var slow []*discordtest.Interaction
	asks := func(who string, most int) {
		for range most {
			slow = append(slow, s.gives(t, who, "session status"))
		}
		for range most {
			<-entered
		}
	}
	says := func(i *discordtest.Interaction, want string) {
		t.Helper()
		m, err := i.AnswerWhen(t.Context(), func(m discordtest.Message) bool { return !m.Loading() })
		if err != nil || !strings.Contains(m.Content, want) {
			t.Errorf("answer %q, %v, want %q", m.Content, err, want)
		}
	}
	player := s.d.AddMember(s.guild, "player")
	asks(player, maxOwnAtOnce)
	says(s.gives(t, player, "session recap"), "Too many commands at once")
	for n := range (maxAtOnce-slotsForDMs)/maxOwnAtOnce - 1 {
		asks(s.d.AddMember(s.guild, fmt.Sprintf("player%d", n)), maxOwnAtOnce)
	}
	says(s.gives(t, s.d.AddMember(s.guild, "late"), "session recap"), "Too many commands in this server at once")
	says(s.gives(t, s.dm, "session recap"), "Here.")
	asks(s.dm, maxOwnAtOnce-1) // the slot of the last answer may still be taken
	i, err := s.d.Command(cem, elsewhere, "session recap")
	if err != nil {
		t.Fatal(err)
	}
	says(i, "Here.")
	close(free)
	for _, i := range slow {
		says(i, "Done at last.")
	}
	says(s.gives(t, s.dm, "session recap"), "Here.")
}
