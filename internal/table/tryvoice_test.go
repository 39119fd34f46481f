package table_test

import (
	"context"
	"iter"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// TestTryVoice: a voice on trial is heard once, and the line is neither reported nor stored.
func TestTryVoice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		voice := &listedVoice{}
		r := open(t, setting{model: says("Aye."), voice: voice})
		if err := r.TryVoice(t.Context(), "Mira", " ", "Hello."); err == nil {
			t.Error("no voice is tried")
		}
		if err := r.TryVoice(t.Context(), "Mira", "en+f2", "So I would sound."); err != nil {
			t.Fatal(err)
		}
		if err := r.Say(t.Context(), "Mira", "This is me."); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := voice.all(); !slices.Contains(got, "en+f2: So I would sound.") || !slices.Contains(got, ": This is me.") {
			t.Errorf("spoken is %q, want the trial with its voice and the line with the NPC's own", got)
		}
		if said := r.journal.said(); !slices.Equal(said, []string{"Mira: This is me."}) {
			t.Errorf("kept is %q, want nothing of the trial", said)
		}
	})
}

// listedVoice lists its lines, with the voice's id.
type listedVoice struct {
	mu   sync.Mutex
	said []string
}

func (v *listedVoice) Synthesize(_ context.Context, npc config.NPC, text string) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		v.mu.Lock()
		v.said = append(v.said, npc.Voice.ID+": "+text)
		v.mu.Unlock()
		yield(make([]int16, audio.SampleRate/10), nil)
	}
}

func (v *listedVoice) all() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.said)
}
