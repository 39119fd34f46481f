//go:build unix

package main_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
	"github.com/MrWong99/glyphoxa/internal/lab/fakestt"
)

// roomNames are the words with which players of ten guilds name their rooms.
var roomNames = []string{"amber", "birch", "copper", "dusk", "ember", "fern", "granite", "hazel", "ivory", "juniper"}

// roomOf returns the room a text mentions, -1 for none, -2 for several.
func roomOf(text string) int {
	found := -1
	for i, name := range roomNames {
		switch {
		case !strings.Contains(text, name+" room"):
		case found >= 0:
			return -2
		default:
			found = i
		}
	}
	return found
}

// TestDiscordVoiceGuilds lets ten guilds speak at once through one bot, each
// about its own room. Each hears its own NPC, and no sound, text, event or
// prompt contains another guild's room.
func TestDiscordVoiceGuilds(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	t.Parallel()
	house := newVoiceHouse(t)
	var book phrasebook
	var pitches []float64
	for i, name := range roomNames {
		book = append(book, fmt.Sprintf("Bartok, what is in the %s room?", name))
		pitches = append(pitches, 400+100*float64(i))
	}
	p := newProgram(t)
	p.limit = 9 * time.Minute
	hears := fakestt.Start(t, fakestt.Script{Understand: book.understand, Interim: 20 * time.Millisecond, Delay: 20 * time.Millisecond})
	model := fakeopenai.Start(t, func(r fakeopenai.Request) fakeopenai.Response {
		return fakeopenai.Say("In the "+roomNames[max(roomOf(r.Chat.LastUser()), 0)]+" room ", "lies nothing but dust.")
	}, &fakeopenai.Options{Voice: func(text, _ string) []int16 { return purity(pitches[max(roomOf(text), 0)], text) }})
	var all []*guild
	for _, name := range roomNames {
		all = append(all, newGuild(t, house.d, name))
	}
	config := strings.Replace(house.talkingTavern(t, p, hears), "llm: offline, tts: espeak", fmt.Sprintf(
		"llm: {name: openai, api_key: k, base_url: '%s', model: m}, tts: {name: openai, api_key: k, base_url: '%s', options: {voice: nova}}", model.URL(), model.URL()), 1)
	s := p.bot(house.d, config, "--json")
	events, sayings := watchEvents(t, s), book.sayings(t)
	var seats []*seating
	for _, g := range all {
		seats = append(seats, house.seat(t, g, events, sayings, false, pitches...))
	}
	for i, seat := range seats {
		seat.ana.Start(sayings[book[i]])
	}
	for i, seat := range seats {
		if turn := events.turnOf(t, seat.id, 0, "Ana", book[i]); turn.ended.NPC != "Bartok" || turn.ended.Outcome != "delivered" {
			t.Errorf("%s: %v", seat.name, turn.ended)
		}
		seat.hears(t, seat.channel, "Bartok", roomNames[i])
		seat.heard.awaitEnd(0, i)
	}
	for i, seat := range seats {
		seat.heard.onlyVoice(seat.heard.catchUp(), i, seat.name)
		for _, m := range seat.d.Messages(seat.channel) {
			if r := roomOf(m.Content); r != i && r != -1 {
				t.Errorf("in %s is written %q", seat.name, m.Content)
			}
		}
		for _, e := range events.of(seat.id) {
			if r := roomOf(e.Text); r != i && r != -1 {
				t.Errorf("of %s is told %v", seat.name, e)
			}
		}
	}
	asked := map[int]bool{}
	for _, r := range model.ChatRequests() {
		room := roomOf(string(r.Body))
		asked[room] = true
		if room < 0 {
			t.Errorf("the model is given %s", r.Body)
		}
	}
	if len(asked) != len(roomNames) {
		t.Errorf("the model was asked about %d rooms", len(asked))
	}
	if r := s.stop(); r.code != 0 {
		t.Errorf("exit code %d, stderr %s", r.code, r.stderr)
	}
}
