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

// Options say how a scene is played. The zero value plays it in virtual time.
type Options struct {
	// Speech speaks for players and NPCs, and the scene takes as long as it
	// takes. If nil, time is virtual and voices are generated.
	Speech tts.Provider
	// Keep keeps the sound of the scene in [Result.Sound].
	Keep bool
	// Judge is asked whether an answer meets a sentence. If nil, expectations
	// that need it are skipped.
	Judge Judge
}

// Judge has an opinion on an answer: whether it meets the sentence want, and
// why.
type Judge func(ctx context.Context, line, answer, want string) (meets bool, why string, err error)

// Result is what came of a scene.
type Result struct {
	Scene    *Scene
	Verdicts []Verdict
	// Entries is all that happened, by time.
	Entries []Entry
	// Took is how long the scene was at the table, in its own time.
	Took time.Duration
	// Sound is what left the table from the beginning on, at audio.SampleRate.
	Sound []int16
}

// OK reports whether nothing failed.
func (r *Result) OK() bool {
	for _, v := range r.Verdicts {
		if !v.OK && !v.Skipped {
			return false
		}
	}
	return true
}

const (
	// longest bounds a scene once its story is told, in its own time, and longestReal
	// one that is played in real time.
	longest     = 10 * time.Minute
	longestReal = time.Minute
	// closeTime bounds the end of a table.
	closeTime = time.Minute
	// stuck is after how much real time a scene in virtual time is given up. They
	// take milliseconds.
	stuck = time.Minute
	// virtualQuiet and realQuiet are how long nothing must happen before a scene
	// counts as over. It is longer than the floor doubts an interruption.
	virtualQuiet = 5 * time.Second
	realQuiet    = 2500 * time.Millisecond
)

// Play plays a scene and judges it. An error means that it could not be played,
// or that ctx ended before; that it went wrong, or that nobody could be made to
// speak, is in the verdicts.
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
		p = &performance{scene: s, options: o} // the other is still at work
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

// prepareSpeech makes all the sound of the scene that is known beforehand.
func (p *performance) prepareSpeech(ctx context.Context) (err error) {
	if p.lines, err = rehearse(ctx, p.scene, p.options.Speech); err != nil || p.options.Speech == nil {
		return err
	}
	if p.ready, err = prepareLines(ctx, p.scene, p.options.Speech); err != nil {
		return fmt.Errorf("speaking for the NPCs: %w", err)
	}
	return nil
}

// errSpins means that virtual time stands still.
var errSpins = errors.New("something is busy for ever, so that the clock of the scene stands still")

// performVirtually plays the scene in virtual time. A scene whose clock stands still is
// left behind.
func (p *performance) performVirtually(ctx context.Context) error {
	over := make(chan error, 1)
	go func() {
		// A context from outside may not be waited for in a bubble, and need not:
		// a scene takes no time there.
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

// rehearse makes the sound of every step, so that making it takes no time of
// the scene's.
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

// speakStep makes the sound of a line, with its pauses.
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

// performance is one playing of a scene.
type performance struct {
	scene   *Scene
	options *Options
	lines   []*sounding        // by step
	ready   map[string][]int16 // what NPCs will say, spoken beforehand
	stalls  []stall            // of the machine, in real time
	result  Result
	ended   time.Duration
	stage   *stage
	steps   []progress
	kept    []string // the transcript
	npcs    []line   // of it, what NPCs said
	idle    bool
	// interrupted reports whether nobody waits for the end. It is asked rather
	// than waited for: virtual time has no part of what goes on outside.
	interrupted func() bool
}

// line is what an NPC is remembered to have said, in a turn.
type line struct{ npc, text, turn string }

// performScene plays the scene on a stage of its own.
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

// collect takes everything that happened into the result.
func (p *performance) collect() {
	rec, w := p.stage.rec, p.stage.wire
	for _, v := range w.voices() {
		rec.noteAt(v.to, kindVoiceOff, "npc", v.npc, "text", v.text)
	}
	p.result.Entries = rec.sorted()
	p.result.Took = p.ended
	p.result.Sound = w.sound
}
