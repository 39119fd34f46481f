package waveform

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/internal/lab/saytest"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// over is an interruption of an answer.
type over struct {
	kind string
	clip clip
	// stops says that it should stop the answer.
	stops bool
}

// turn holds the measurements of a question, its answer and an interruption, in
// milliseconds.
type turn struct {
	kind  string
	stops bool // the interruption should stop the answer
	// first runs from the end of the voice to the first sound of the answer,
	// told is the ledger's figure; stages are its other times.
	first, told float64
	stages      map[string]float64
	// misheard is the transcript if it differs from the question.
	misheard string
	// Times to the last sound of the answer: from the first sound of the words,
	// from the end of the interrupting ones, and from the end of all.
	fromWords, fromCall, fromEnd float64
	// ducked is by how many dB the answer was softer for a while.
	ducked float64
	// paused is how long the answer was silent within a sentence; cut says that
	// it did not continue, again and lost that words were heard twice or not at
	// all.
	paused           time.Duration
	cut, again, lost bool
}

func millis(samples int) float64 { return float64(samples) * 1000 / audio.SampleRate }

// errDisturbed says that the measurement failed, not the program.
var errDisturbed = errors.New("the room was disturbed")

// play asks a question and interrupts the answer.
func (s *stage) play(p *program, sc *scene, question clip, answer string, o over, chance *rand.Rand) (turn, error) {
	if !s.settles(p) {
		return turn{}, errors.New("it does not come to rest")
	}
	time.Sleep(time.Duration(chance.IntN(100)) * time.Millisecond)
	sc.said.Store(&question)
	sc.answer.Store(&answer)
	sc.reply.Store(&answer)
	asked, events := s.now(), p.seen()
	s.say(question.sound)
	if !s.awaitMic(question, asked) || !s.awaitEar(asked) {
		return turn{}, errors.New("no answer is heard")
	}
	time.Sleep(time.Duration(chance.IntN(300)) * time.Millisecond) // the microphone's delay is up to a second
	reply := replies[chance.IntN(len(replies))]
	sc.said.Store(&o.clip)
	sc.reply.Store(&reply)
	spoken := s.now()
	s.say(o.clip.sound)
	over := s.awaitMic(o.clip, spoken)
	until(understood, func() bool { return utterances(p.since(events)) > 1 }) // a cough has no utterance
	time.Sleep(rest)
	if !over || !s.settles(p) {
		return turn{}, errors.New("it does not come to rest")
	}
	at, err := s.find(question, asked, spoken)
	if err != nil {
		return turn{}, err
	}
	said, err := s.find(o.clip, spoken, s.now())
	if err != nil {
		return turn{}, err
	}
	_, ear := s.channels(at, s.now())
	m := turn{kind: o.kind, stops: o.stops}
	m.readLedger(p.since(events), question.text)
	m.measure(ear, question, said-at, answer, o)
	return m, nil
}

// replies are the answers to interruptions, with no word of a measured answer.
var replies = []string{"Certainly.", "Gladly.", "Naturally.", "Agreed.", "Understood.", "Granted."}

// understood bounds the time until words become an utterance, even if they seem
// to continue.
const understood = 2500 * time.Millisecond

func utterances(events []event) int {
	n := 0
	for _, e := range events {
		if e.Kind == "utterance" {
			n++
		}
	}
	return n
}

// settles waits until it is silent and no answer is due.
func (s *stage) settles(p *program) bool {
	return until(2*patience, func() bool {
		now := s.now()
		from := now - rig.SamplesIn(rest)
		return from > 0 && !s.sounds(from, now) && atRest(p.since(0))
	})
}

// measure reads the loudspeaker's recording, which begins with the question; o
// begins at sample said of it.
func (m *turn) measure(ear []int16, question clip, said int, answer string, o over) {
	first := slices.IndexFunc(ear, isAudible)
	m.first = millis(first - question.silence)
	runs := runsOf(ear)
	words := wordsOf(answer)
	ofAnswer := func(r run) bool { return r.place >= 0 && r.place < len(words) && r.to-r.from >= 3*windowStep }
	_, last := saytest.Span(runs, ofAnswer)
	if last < 0 {
		m.lost = true
		return
	}
	end := runs[last].to
	_, tail := saytest.Span(ear[runs[last].from:end], isAudible)
	end = runs[last].from + tail
	m.fromWords, m.fromCall, m.fromEnd = millis(end-said-o.clip.voice), millis(end-said-o.clip.mark), millis(end-said-o.clip.silence)
	long, again := heard(runs, len(words))
	m.again = again
	before := slices.IndexFunc(long, func(d time.Duration) bool { return d < wordTone-40*time.Millisecond })
	m.cut = before >= 0
	m.lost = m.cut && !o.stops
	for _, d := range long {
		m.again = m.again || d > wordTone+60*time.Millisecond
	}
	m.duckedAndPaused(runs, said, said+len(o.clip.sound)+rig.SamplesIn(700*time.Millisecond), words, answer)
}

// duckedAndPaused analyses the answer between two samples.
func (m *turn) duckedAndPaused(runs []run, from, to int, words []string, answer string) {
	var loudness []float64
	softest := math.Inf(1)
	for i, r := range runs {
		inside := r.place >= 0 && r.place < len(words) && r.to-r.from >= 4*windowStep
		switch {
		case inside && r.to < from:
			loudness = append(loudness, r.level)
		case inside && r.from > from && r.to < to:
			softest = min(softest, r.level)
		case r.place == silent && r.to > from && r.from < to && i > 0 && i+1 < len(runs) && r.to-r.from > rig.SamplesIn(60*time.Millisecond):
			if before, after := runs[i-1].place, runs[i+1].place; after < len(words) && before >= 0 && !endsSentence(answer, before) {
				m.paused += audio.Duration(r.to-r.from, audio.SampleRate)
			}
		}
	}
	if len(loudness) > 0 && !math.IsInf(softest, 1) {
		slices.Sort(loudness)
		m.ducked = 20 * math.Log10(loudness[len(loudness)/2]/softest)
	}
}

// endsSentence reports whether a word ends a sentence or clause, after which a
// pause is normal.
func endsSentence(answer string, place int) bool {
	n := 0
	for i, r := range answer {
		if r == ' ' {
			if n == place {
				return answer[i-1] == '.' || answer[i-1] == ','
			}
			n++
		}
	}
	return true
}

// readLedger reads the times of the question's turn.
func (m *turn) readLedger(events []event, question string) {
	of := slices.IndexFunc(events, func(e event) bool { return e.Kind == "utterance" })
	m.told, m.stages = math.NaN(), map[string]float64{}
	if of < 0 {
		return
	}
	if got := events[of].Text; got != question {
		m.misheard = got
	}
	for _, e := range events {
		if e.Kind != "turn.ended" || e.Turn != events[of].Turn {
			continue
		}
		for k, v := range e.Ledger {
			if f, ok := v.(float64); ok {
				m.stages[k] = f
			}
		}
		m.told = m.stages["first_sound_ms"]
	}
}
