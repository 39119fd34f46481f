//go:build unix

package main_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
	"github.com/MrWong99/glyphoxa/internal/lab/fakerealtime"
)

// TestDiscordSpeechToSpeechForgets types to a speech-to-speech NPC and retracts
// the line before the answer. The program must not send more to the model in a
// session that contains the line.
func TestDiscordSpeechToSpeechForgets(t *testing.T) {
	t.Parallel()
	service := fakerealtime.Start(t, fakerealtime.Script{Answers: []fakerealtime.Answer{
		{Parts: []fakerealtime.Part{{Text: "Mind the gap.", Sound: time.Second}}},
		{HoldCreated: true},
		{Parts: []fakerealtime.Part{{Text: "I have forgotten it.", Sound: time.Second}}},
	}})
	d := discordtest.New(t, nil)
	g := newGuild(t, d, "home")
	h := newProgram(t)
	h.secrets = append(h.secrets, fakerealtime.Key)
	config := strings.Replace(tavern, "embeddings: none}", fmt.Sprintf("embeddings: none, s2s: {name: openai, api_key: %s, base_url: '%s'}}\nlatency: {s2s_silence: 20s}", fakerealtime.Key, service.URL()), 1)
	s := h.bot(d, strings.Replace(config, "- name: Mira", "- name: Mira\n    engine: s2s", 1))
	g.gives(t, g.dm, "session start")
	d.Say(g.channel, g.ana, "Hello Mira", nil)
	g.hears(t, g.channel, "Mira", "Mind the gap.")
	deleted := d.Say(g.channel, g.ana, "Mira, the word is Zanzibar", nil)
	service.Await(t, 2, "response.create")
	d.Delete(g.channel, deleted.ID)
	d.Say(g.channel, g.ana, "Mira, what is the word?", nil)
	service.Await(t, 3, "response.create")
	service.Release()
	g.hears(t, g.channel, "Mira", "I have forgotten it.")
	if n := service.Sessions(); n != 2 {
		t.Errorf("%d sessions, want another after the line was taken back", n)
	}
	var known []string
	for _, e := range service.Conversation(service.Sessions() - 1) {
		known = append(known, e.Text)
	}
	all := strings.Join(known, "|")
	if strings.Contains(all, "Zanzibar") || !strings.Contains(all, "Mind the gap.") || !strings.Contains(all, "what is the word?") {
		t.Errorf("the model knows %q", all)
	}
	if r := s.stop(); r.code != 0 {
		t.Errorf("exit code %d, stderr %s", r.code, r.stderr)
	}
}
