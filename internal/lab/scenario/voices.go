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

// chunk is how much sound is handed over at a time.
const chunk = 100 * time.Millisecond

// speaker is the scripted speech synthesis. In virtual time every sentence is a
// tone of its own; with a synthesiser it is spoken by that. It implements
// table.Voices.
type speaker struct {
	script Voice
	rec    *record
	wire   *wire
	synth  tts.Provider       // nil for tones
	ready  map[string][]int16 // what it has spoken beforehand, by lineKey

	mu   sync.Mutex // guards used
	used map[int]bool
}

// pickFault returns what goes wrong with a sentence.
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

// speakSentence makes the sound of a sentence, as fast as the script allows.
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

// errSilent ends a sentence early, as if it were complete.
var errSilent = errors.New("no sound")

// failSentence ends a sentence the way the script wants it.
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

// tones gives the tone that stands for a sentence, piece by piece.
func (s *speaker) tones(id int, text string, give func([]int16) error) error {
	sound := tone(id, text)
	s.wire.learnSound(id, sound, true)
	return inPieces(sound, give)
}

// spokenLine gives what the synthesiser made of a sentence, piece by piece.
func (s *speaker) spokenLine(ctx context.Context, id int, npc config.NPC, text string, give func([]int16) error) error {
	sound, ok := s.ready[lineKey(npc, text)]
	if !ok { // the table says something that is not in the script
		var err error
		if sound, err = renderText(ctx, s.synth, text, npc.Voice.For(s.synth.Name(), true)); err != nil {
			return err
		}
	}
	sound = marked(sound, id)
	s.wire.learnSound(id, sound, true)
	return inPieces(sound, give)
}

// marked makes a sentence a little quieter than the one before it, too little
// to be heard: so the wire can tell it from others that are spoken alike.
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

// lineKey is by what a sentence of an NPC is found that was made beforehand.
func lineKey(npc config.NPC, text string) string { return npc.ID + "\n" + text }

// prepareLines speaks every sentence of the script beforehand: how long a
// synthesiser takes on this machine is not what a scene is about.
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

// sentencesOf lists what an NPC may say, as far as the script knows.
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

// renderText has a synthesiser speak a text, without the silence around it.
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
