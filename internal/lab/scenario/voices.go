package scenario

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

// chunk is the length of one piece of sound.
const chunk = 100 * time.Millisecond

// speaker is the scripted speech synthesis. In virtual time every sentence is a
// distinct tone; otherwise the synthesiser speaks it. It implements
// table.Voices.
type speaker struct {
	script Voice
	rec    *record
	wire   *wire
	synth  tts.Provider       // nil for tones
	ready  map[string][]int16 // synthesised in advance, by lineKey

	mu   sync.Mutex // guards used
	used map[int]bool
}

// pickFault returns the fault of a sentence.
func (s *speaker) pickFault(text string) VoiceFault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.script.Faults {
		if !contains(text, f.On) || f.Once && s.used[i] {
			continue
		}
		if s.used == nil {
			s.used = map[int]bool{}
		}
		s.used[i] = true
		return f
	}
	return VoiceFault{}
}

// SpeaksClauses implements table.ClauseSpeaker.
func (s *speaker) SpeaksClauses() bool { return s.script.Clauses }

// Synthesize implements table.Voices.
func (s *speaker) Synthesize(ctx context.Context, npc config.NPC, text string) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		s.rec.noteNow(kindSynthesis, "npc", npc.Name, "text", text)
		how := "done"
		err := s.speakSentence(ctx, npc, text, yield)
		switch {
		case err == errLeft, ctx.Err() != nil:
			how = "cancelled"
		case err != nil:
			how = "failed"
		}
		s.rec.noteNow(kindSpoken, "npc", npc.Name, "text", text, "how", how)
		if err != nil && err != errLeft {
			yield(nil, err)
		}
	}
}

// speakSentence produces a sentence's sound, at the scripted speed.
func (s *speaker) speakSentence(ctx context.Context, npc config.NPC, text string, yield func([]int16, error) bool) error {
	f := s.pickFault(text)
	if err := rig.Pause(ctx, time.Duration(s.script.FirstSound)); err != nil {
		return err
	}
	id := s.wire.addSentence(npc.Name, text)
	begin := time.Now()
	var made time.Duration
	give := func(samples []int16) error {
		if err := rig.Pause(ctx, time.Duration(float64(made)/s.script.Speed)-time.Since(begin)); err != nil {
			return err
		}
		if f.Fault != "" && made >= time.Duration(f.After) {
			return s.failSentence(ctx, f)
		}
		made += soundOf(samples)
		if !yield(samples, nil) {
			return errLeft
		}
		return nil
	}
	var err error
	if s.synth == nil {
		err = s.tones(id, text, give)
	} else {
		err = s.spokenLine(ctx, id, npc, text, give)
	}
	if err == errSilent {
		return nil
	}
	return err
}

// errSilent ends a sentence early as if it were complete.
var errSilent = errors.New("no sound")

// failSentence ends a sentence as scripted.
func (s *speaker) failSentence(ctx context.Context, f VoiceFault) error {
	switch f.Fault {
	case "hang":
		<-ctx.Done()
		return ctx.Err()
	case "silent":
		return errSilent
	}
	return fmt.Errorf("the voice failed: %w", errScripted)
}

// tones yields a sentence's tone, piece by piece.
func (s *speaker) tones(id int, text string, give func([]int16) error) error {
	sound := tone(id, text)
	s.wire.learnSound(id, sound, true)
	return inPieces(sound, give)
}

// spokenLine yields a sentence's synthesised sound, piece by piece.
func (s *speaker) spokenLine(ctx context.Context, id int, npc config.NPC, text string, give func([]int16) error) error {
	sound, ok := s.ready[lineKey(npc, text)]
	if !ok { // the sentence is not in the script
		var err error
		if sound, err = renderText(ctx, s.synth, text, npc.Voice.For(s.synth.Name(), true)); err != nil {
			return err
		}
	}
	sound = marked(sound, id)
	s.wire.learnSound(id, sound, true)
	return inPieces(sound, give)
}

// marked makes a sentence inaudibly quieter than the previous one, so that the
// wire can distinguish sentences with the same sound.
func marked(sound []int16, id int) []int16 {
	const step, marks = 0.01, 40
	gain := 1 - step*float64(id%marks+1)
	out := make([]int16, len(sound))
	for i, v := range sound {
		out[i] = int16(gain * float64(v))
	}
	return out
}

func inPieces(sound []int16, give func([]int16) error) error {
	for at := 0; at < len(sound); at += rig.SamplesIn(chunk) {
		if err := give(sound[at:min(at+rig.SamplesIn(chunk), len(sound))]); err != nil {
			return err
		}
	}
	return nil
}

// lineKey is the key of an NPC's synthesised sentence.
func lineKey(npc config.NPC, text string) string { return npc.ID + "\n" + text }

// prepareLines synthesises every sentence of the script in advance, because the
// speed of this machine's synthesiser is not under test.
func prepareLines(ctx context.Context, s *Scene, synth tts.Provider) (map[string][]int16, error) {
	out := map[string][]int16{}
	for _, npc := range s.NPCs {
		for _, text := range s.sentencesOf(npc) {
			sound, err := renderText(ctx, synth, text, npc.Voice.For(synth.Name(), true))
			if err != nil {
				return nil, err
			}
			out[lineKey(npc, text)] = sound
		}
	}
	return out, nil
}

// sentencesOf lists an NPC's possible sentences in the script.
func (s *Scene) sentencesOf(npc config.NPC) []string {
	all := []string{spare}
	for _, r := range s.Model.Replies {
		for _, round := range append(r.Rounds, r.Round) {
			all = append(all, sentences(round.Says)...)
		}
	}
	if npc.Engine == config.EngineS2S {
		all = append(all, orphanText, oldText)
	}
	for _, occasion := range []string{"filler", "unknown"} {
		for _, line := range npc.Lines[occasion] {
			all = append(all, sentences(line)...)
		}
	}
	for _, step := range s.Story {
		if step.Say != nil {
			all = append(all, sentences(step.Say.Text)...)
		}
	}
	return all
}

// renderText synthesises a text and trims the silence around it.
func renderText(ctx context.Context, synth tts.Provider, text string, voice tts.Voice) ([]int16, error) {
	var out []int16
	var resample *audio.Resampler
	for pcm, err := range synth.Synthesize(ctx, text, voice) {
		if err != nil {
			return nil, err
		}
		if resample == nil {
			if resample, err = audio.NewResampler(pcm.Rate, audio.SampleRate); err != nil {
				return nil, err
			}
		}
		out = resample.Process(out, pcm.Samples)
	}
	if resample != nil {
		out = resample.Flush(out)
	}
	first, end := loudRange(out)
	return out[first:end], nil
}
