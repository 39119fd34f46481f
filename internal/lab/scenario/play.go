package scenario

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

// Options configure a play. The zero value plays a scene in virtual time.
type Options struct {
	// Speech speaks for players and NPCs, in real time. If nil, time is virtual
	// and voices are generated.
	Speech tts.Provider
	// Keep stores the scene's sound in [Result.Sound].
	Keep bool
	// Judge decides whether an answer matches a sentence. If nil, expectations
	// that need it are skipped.
	Judge Judge
}

// Judge decides whether an answer matches the sentence want, and why.
type Judge func(ctx context.Context, line, answer, want string) (meets bool, why string, err error)

// Result is the result of a scene.
type Result struct {
	Scene    *Scene
	Verdicts []Verdict
	// Entries are all events, by time.
	Entries []Entry
	// Took is the length of the scene in its own time.
	Took time.Duration
	// Sound is the table's output from the beginning, at audio.SampleRate.
	Sound []int16
}

// OK reports whether no verdict failed.
func (r *Result) OK() bool {
	for _, v := range r.Verdicts {
		if !v.OK && !v.Skipped {
			return false
		}
	}
	return true
}

const (
	// longest bounds a scene after its story has ended, in its own time, and
	// longestReal one in real time.
	longest     = 10 * time.Minute
	longestReal = time.Minute
	// closeTime bounds the close of a table.
	closeTime = time.Minute
	// stuck is the real time after which a scene in virtual time is given up.
	// Such scenes take milliseconds.
	stuck = time.Minute
	// virtualQuiet and realQuiet are how long a scene must be quiet to count as
	// ended. They exceed the floor's confirm window for interruptions.
	virtualQuiet = 5 * time.Second
	realQuiet    = 2500 * time.Millisecond
)

// Play plays a scene and judges it. An error means that the scene could not be
// played, or that ctx ended; failures, and speech that could not be
// synthesised, are in the verdicts.
func Play(ctx context.Context, s *Scene, o *Options) (*Result, error) {
	if o == nil {
		o = &Options{}
	}
	p := &performance{scene: s, options: o, interrupted: func() bool { return ctx.Err() != nil }}
	p.result.Scene = s
	err := p.prepareSpeech(ctx)
	spoken := err == nil
	switch {
	case !spoken:
	case o.Speech != nil:
		err = p.performScene(ctx)
	default:
		err = p.performVirtually(ctx)
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case !spoken:
		p.addFailure("always: players and NPCs are spoken", err.Error())
		p.judgeScene(ctx)
		return &p.result, nil
	case errors.Is(err, errSpins):
		p = &performance{scene: s, options: o} // the first performance may still be running
		p.result.Scene = s
	case err != nil && p.stage == nil:
		return nil, fmt.Errorf("%s: %w", s.File, err)
	}
	if err != nil {
		p.addFailure("always: the scene comes to its end", err.Error())
	}
	p.judgeScene(ctx)
	return &p.result, nil
}

// prepareSpeech synthesises all sound of the scene that is known in advance.
func (p *performance) prepareSpeech(ctx context.Context) (err error) {
	if p.lines, err = rehearse(ctx, p.scene, p.options.Speech); err != nil || p.options.Speech == nil {
		return err
	}
	if p.ready, err = prepareLines(ctx, p.scene, p.options.Speech); err != nil {
		return fmt.Errorf("speaking for the NPCs: %w", err)
	}
	return nil
}

// errSpins means that virtual time does not advance.
var errSpins = errors.New("something is busy for ever, so that the clock of the scene stands still")

// performVirtually plays the scene in virtual time. It abandons a scene whose
// clock does not advance.
func (p *performance) performVirtually(ctx context.Context) error {
	over := make(chan error, 1)
	go func() {
		// A bubble cannot wait for an outside context, and need not, because a
		// scene takes no real time.
		over <- inBubble(func() error { return p.performScene(context.WithoutCancel(ctx)) })
	}()
	timer := time.NewTimer(stuck)
	defer timer.Stop()
	select {
	case err := <-over:
		return err
	case <-timer.C:
		return errSpins
	}
}

// rehearse synthesises every step's sound, so that this takes no time in the
// scene.
func rehearse(ctx context.Context, s *Scene, speech tts.Provider) ([]*sounding, error) {
	players := map[string]Player{}
	for _, p := range s.players() {
		players[p.Name] = p
	}
	chance := rand.New(rand.NewPCG(seed(s.Title), 2))
	out := make([]*sounding, len(s.Story))
	for i, step := range s.Story {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		p := players[step.Who]
		switch {
		case step.Makes != "":
			out[i] = &sounding{samples: makeSound(step.Makes, p.Pitch, time.Duration(step.Lasts), p.Level, chance)}
		case step.Says != "":
			sound, err := speakStep(ctx, s, step, p, speech)
			if err != nil {
				return nil, fmt.Errorf("speaking for %s: %w", step.Who, err)
			}
			out[i] = sound
		}
	}
	return out, nil
}

// speakStep synthesises a line, with its pauses.
func speakStep(ctx context.Context, s *Scene, step Step, p Player, speech tts.Provider) (*sounding, error) {
	pieces, err := parseLine(step.Says)
	if err != nil {
		return nil, err
	}
	out := &sounding{}
	if sound := s.recordings[step.Plays]; sound != nil {
		for _, piece := range pieces {
			out.text = joinWords(out.text, piece.text)
		}
		out.samples, out.words = sound, rig.SpreadWords(out.text, soundOf(sound))
		return out, nil
	}
	for _, piece := range pieces {
		var samples []int16
		if speech == nil {
			d := spokenFor(piece.text)
			if step.Lasts > 0 {
				d = time.Duration(step.Lasts) / time.Duration(len(pieces))
			}
			samples = rig.Speech(p.Pitch, d, p.Level)
		} else {
			voice := tts.Voice{Language: s.Languages[0], Pitch: min(2, max(0.5, p.Pitch/150))}
			if samples, err = renderText(ctx, speech, piece.text, voice); err != nil {
				return nil, err
			}
		}
		began := soundOf(out.samples)
		for _, w := range rig.SpreadWords(piece.text, soundOf(samples)) {
			out.words = append(out.words, rig.Word{Text: w.Text, End: began + w.End})
		}
		out.samples = append(append(out.samples, samples...), make([]int16, rig.SamplesIn(piece.pause))...)
		out.text = joinWords(out.text, piece.text)
	}
	return out, nil
}

func joinWords(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}

// performance is one play of a scene.
type performance struct {
	scene   *Scene
	options *Options
	lines   []*sounding        // by step
	ready   map[string][]int16 // the NPCs' sentences, synthesised in advance
	stalls  []stall            // of the machine, in real time
	result  Result
	ended   time.Duration
	stage   *stage
	steps   []progress
	kept    []string // the transcript
	npcs    []line   // the NPCs' part of it
	idle    bool
	// interrupted reports whether the outside context has ended. The
	// performance polls it, because virtual time cannot wait for outside
	// events.
	interrupted func() bool
}

// line is an NPC's line in memory, and its turn.
type line struct{ npc, text, turn string }

// performScene plays the scene on its own stage.
func (p *performance) performScene(ctx context.Context) (err error) {
	if p.stage, err = openStage(p.scene, p.options, p.ready); err != nil {
		return err
	}
	st := p.stage
	st.rec.noteNow(atStart)
	for _, player := range p.scene.players() {
		if player.Late || !p.scene.voiced(player.Name) {
			continue
		}
		if err := st.seatPlayer(ctx, player.Name); err != nil {
			return fmt.Errorf("%s joins: %w", player.Name, err)
		}
	}
	told, stop := context.WithCancel(ctx)
	defer stop()
	var pulse pulse
	if p.options.Speech != nil {
		pulse.startBeating(told, st.rec.start)
	}
	d := directStory(told, p)
	p.idle = d.awaitEnd(told)
	end := time.Now()
	p.ended = end.Sub(st.rec.start)
	st.rec.noteAt(end, atEnd)
	p.kept, p.npcs, err = p.transcript()
	stop()
	d.steps.Wait()
	p.stalls = pulse.awaitStalls()
	p.steps = d.progress
	if !st.stopTable(closeTime) {
		return fmt.Errorf("the table does not stop")
	}
	p.collect()
	if err == nil {
		err = st.run
	}
	if closed := st.closeStage(); err == nil {
		err = closed
	}
	return err
}

func (p *performance) transcript() ([]string, []line, error) {
	all, npcs, err := p.stage.transcript()
	var out []line
	for _, l := range npcs {
		out = append(out, line{l.Speaker, l.Text, strings.TrimPrefix(l.Ref, "answer:")})
	}
	return all, out, err
}

// collect copies all events into the result.
func (p *performance) collect() {
	rec, w := p.stage.rec, p.stage.wire
	for _, v := range w.voices() {
		rec.noteAt(v.to, kindVoiceOff, "npc", v.npc, "text", v.text)
	}
	p.result.Entries = rec.sorted()
	p.result.Took = p.ended
	p.result.Sound = w.sound
}
