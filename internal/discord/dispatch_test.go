package discord

import (
	"context"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// TestOneGuildKeepsNobodyWaiting has one guild ask for more than there is room
// for: it is told, and another guild is answered.
func TestOneGuildKeepsNobodyWaiting(t *testing.T) {
	entered, free := make(chan struct{}, maxAtOnce), make(chan struct{})
	s := newOnlineBot(t, map[string]action{
		"session status": {do: func(context.Context, *call) (string, error) {
			entered <- struct{}{}
			<-free
			return "Done at last.", nil
		}},
		"session recap": {everyone: true, do: func(context.Context, *call) (string, error) { return "Here.", nil }},
	})
	other := s.d.AddGuild("other")
	elsewhere, cem := s.d.AddChannel(other, "table"), s.d.AddMember(other, "cem")

	var slow []*discordtest.Interaction
	for range maxAtOnce {
		slow = append(slow, s.gives(t, s.dm, "session status"))
	}
	for range maxAtOnce {
		<-entered
	}
	says := func(i *discordtest.Interaction, want string) {
		t.Helper()
		m, err := i.AnswerWhen(t.Context(), func(m discordtest.Message) bool { return !m.Loading() })
		if err != nil || !strings.Contains(m.Content, want) {
			t.Errorf("answer %q, %v, want %q", m.Content, err, want)
		}
	}
	says(s.gives(t, s.dm, "session recap"), "Too much is being asked for in this server at once")
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
