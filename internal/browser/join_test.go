package browser_test

import (
	"testing"

	"github.com/MrWong99/glyphoxa/internal/browser/visitor"
	"github.com/MrWong99/glyphoxa/internal/fakeopenai"
	"github.com/MrWong99/glyphoxa/internal/saytest"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// loud is how strong the NPC's tone is in what a player heard.
func loud(p *player, pitch float64) float64 {
	sound := p.heard[0]
	if len(sound) < audio.SampleRate/4 {
		return 0
	}
	return saytest.Tone(sound, pitch, audio.SampleRate)
}

// TestAGuestHearsAnNPC: a guest types a line, reads the answer and hears its tone.
func TestAGuestHearsAnNPC(t *testing.T) {
	b := open(t, setup{answer: "Welcome to the Flagon, traveller. Sit down."})
	ana := b.enter("Ana")
	if ana.Name != "Ana" || ana.Table.Title != "The Rusty Flagon" || ana.Table.Hears {
		t.Errorf("joined as %+v", ana.Joined)
	}
	ana.awaitMessage("who is there", func(m visitor.Message) bool { return m.Type == "state" && m.You == "Ana" && len(m.NPCs) == 1 })
	if err := ana.Send(map[string]string{"type": "say", "text": "Good evening, Bartok."}); err != nil {
		t.Fatal(err)
	}
	ana.awaitMessage("the player's line", func(m visitor.Message) bool {
		return m.Type == "line" && m.Speaker == "Ana" && !m.NPC && m.Text == "Good evening, Bartok."
	})
	ana.awaitMessage("the answer", func(m visitor.Message) bool {
		return m.Type == "line" && m.NPC && m.Final && m.Text == "Welcome to the Flagon, traveller. Sit down."
	})
	voice := fakeopenai.Speech("whatever it says", "alloy", 1)
	pitch := strongest(voice, fakeopenai.SpeechRate)
	ana.await("the NPC's tone", func() bool { return loud(ana, pitch) > 1000 })
	ana.mu.Lock()
	defer ana.mu.Unlock()
	if got := strongest(ana.heard[0], audio.SampleRate); got != pitch {
		t.Errorf("the tone heard has %v Hz, want %v", got, pitch)
	}
	for i, p := range ana.packets[0][1:] {
		if before := ana.packets[0][i]; p.SequenceNumber != before.SequenceNumber+1 || p.Timestamp-before.Timestamp < uint32(audio.FrameSamples) {
			t.Errorf("packet %d goes from %d at %d to %d at %d", i, before.SequenceNumber, before.Timestamp, p.SequenceNumber, p.Timestamp)
		}
	}
}

// strongest is the pitch, of those that the fake voices have, that is strongest in a sound.
func strongest(sound []int16, rate float64) (pitch float64) {
	most := 0.0
	for hz := 110.0; hz <= 340; hz += 10 {
		if a := saytest.Tone(sound, hz, rate); a > most {
			pitch, most = hz, a
		}
	}
	return pitch
}
