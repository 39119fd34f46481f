package truth

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

const (
	// Voice this close to speech is not a mistake, because rooms reverberate
	// and labels leave out breath.
	forgivenBefore = 100 * time.Millisecond
	forgivenAfter  = 300 * time.Millisecond
	// aloneFor is the silence after an utterance that makes its end count.
	aloneFor = 1500 * time.Millisecond
	// answerAfter is the time from an utterance's end to its answer.
	answerAfter = 700 * time.Millisecond
	// stillOpen is the end of an open span.
	stillOpen = time.Duration(math.MaxInt64 / 2)
)

// span is a stretch of a clip, from its beginning.
type span struct{ from, to time.Duration }

func (s span) overlaps(o span) bool { return s.from < o.to && o.from < s.to }

// clipTruth is a line of dev.jsonl: the sounds in a clip, in milliseconds.
type clipTruth struct {
	ID         string  `json:"id"`
	Group      string  `json:"group"`
	File       string  `json:"file"`
	Millis     int     `json:"ms"`
	Pauses     [][]int `json:"pauses"`
	Utterances []said  `json:"utterances"`
}

// said is an utterance: the beginning of its first sound and the end of its
// last, and the voiced spans in between.
type said struct {
	Start int      `json:"start"`
	End   int      `json:"end"`
	Spans [][2]int `json:"spans"`
}

func millis(n int) time.Duration { return time.Duration(n) * time.Millisecond }

func (s said) extent() span { return span{millis(s.Start), millis(s.End)} }

// hearing is a lane's result for a clip.
type hearing struct {
	voiced  []span // voice, from its onset
	decided []span // the same, from when the lane decided
	sent    []span // sound of an utterance
	open    []span // from an utterance's onset to its end or its continuation
	first   []bool // whether each span of open is a new utterance
	newest  uint64 // number of the last open utterance
	frames  int
	took    time.Duration // real time
}

// hearClip plays samples to a lane, a packet every 20 ms, in virtual time. An
// ended utterance gets an answer, unless the speaker continues first.
func hearClip(d ear.Detector, samples []int16) hearing {
	epoch := time.Date(2031, 5, 1, 20, 0, 0, 0, time.UTC)
	h := &hearing{}
	l := ear.NewLane(epoch, d, nil)
	var framer audio.Framer
	framer.Push(samples)
	var f audio.Frame
	now := epoch
	for framer.Next(&f) {
		now = now.Add(audio.FrameDuration)
		if n := len(h.open); n > 0 && h.open[n-1].to+answerAfter <= now.Sub(epoch) {
			l.Seal(h.newest)
		}
		began := time.Now()
		l.Intake().Push(now, ear.Packet{Seq: uint16(h.frames), Frame: &f})
		events := l.Tick(now)
		h.took += time.Since(began)
		h.frames++
		h.addEvents(events, epoch, now.Sub(epoch))
	}
	end := now.Sub(epoch)
	h.closeVoice(end)
	if n := len(h.open); n > 0 && h.open[n-1].to == stillOpen {
		h.open[n-1].to = end
	}
	return *h
}

func (h *hearing) addEvents(events []ear.LaneEvent, epoch time.Time, now time.Duration) {
	for _, e := range events {
		at := e.At.Sub(epoch)
		switch e.Kind {
		case ear.VoiceStarted, ear.UtteranceContinued, ear.VoiceResumed:
			if e.Kind != ear.VoiceResumed {
				h.open = append(h.open, span{at, stillOpen})
				h.first = append(h.first, e.Kind == ear.VoiceStarted)
				h.newest = e.Utterance
			}
			h.voiced = append(h.voiced, span{at, stillOpen})
			h.decided = append(h.decided, span{now, stillOpen})
		case ear.VoiceStopped:
			h.closeVoice(at)
		case ear.UtteranceEnded:
			h.closeVoice(at)
			h.open[len(h.open)-1].to = at
		case ear.Sound:
			if n := len(h.sent); n > 0 && h.sent[n-1].to >= at-audio.FrameDuration {
				h.sent[n-1].to = max(h.sent[n-1].to, at)
			} else {
				h.sent = append(h.sent, span{at - audio.FrameDuration, at})
			}
		}
	}
}

func (h *hearing) closeVoice(at time.Duration) {
	if n := len(h.voiced); n > 0 && h.voiced[n-1].to == stillOpen {
		h.voiced[n-1].to, h.decided[n-1].to = at, at
	}
}

// covered returns how much of s lies in spans, which must not overlap.
func covered(s span, spans []span) time.Duration {
	var sum time.Duration
	for _, o := range spans {
		sum += max(min(s.to, o.to)-max(s.from, o.from), 0)
	}
	return sum
}

// heardGroup sums the lanes' results for a group of clips.
type heardGroup struct {
	name                   string
	clips, frames          int
	quiet, noise           time.Duration // outside speech; the part taken for voice
	speech, missed, unsent time.Duration // of speech; the part not taken for voice, and not sent
	falsely                int           // utterances begun outside speech
	spoken, unheard        int
	onsets, ends           []time.Duration
	longest                time.Duration // that an utterance stayed open outside speech
	pauses, cut            int
	took                   time.Duration
}

// addClip adds a lane's result for one clip.
func (g *heardGroup) addClip(c clipTruth, h hearing) {
	g.clips++
	g.frames += h.frames
	g.took += h.took
	var near, extents []span
	for i, u := range c.Utterances {
		e := u.extent()
		extents = append(extents, e)
		near = append(near, span{e.from - forgivenBefore, e.to + forgivenAfter})
		if i > 0 && near[i-1].to > near[i].from {
			near[i].from = near[i-1].to
		}
		for _, s := range u.Spans {
			sounding := span{millis(s[0]), millis(s[1])}
			g.speech += sounding.to - sounding.from
			g.missed += sounding.to - sounding.from - covered(sounding, h.voiced)
			g.unsent += sounding.to - sounding.from - covered(sounding, h.sent)
		}
	}
	whole := span{0, millis(c.Millis)}
	g.quiet += whole.to - covered(whole, near)
	g.noise += covered(whole, h.voiced)
	for _, n := range near {
		g.noise -= covered(n, h.voiced)
	}
	g.addUtterances(h, near, extents)
	g.addEnds(c, h)
}

// addUtterances counts false utterances, and the longest time one was open
// without speech.
func (g *heardGroup) addUtterances(h hearing, near, extents []span) {
	for i, o := range h.open {
		beside := !slices.ContainsFunc(near, o.overlaps)
		if h.first[i] && beside {
			g.falsely++
		}
		from := o.from
		for _, s := range extents {
			if !o.overlaps(s) {
				continue
			}
			g.longest = max(g.longest, s.from-from)
			from = s.to
		}
		g.longest = max(g.longest, o.to-from)
	}
}

// addEnds measures the onset and end of every utterance, and counts the pauses
// that ended one.
func (g *heardGroup) addEnds(c clipTruth, h hearing) {
	for i, u := range c.Utterances {
		e := u.extent()
		g.spoken++
		if at := slices.IndexFunc(h.decided, e.overlaps); at >= 0 {
			g.onsets = append(g.onsets, max(h.decided[at].from-e.from, 0))
		} else {
			g.unheard++
		}
		if len(c.Pauses) == len(c.Utterances) {
			g.pauses += len(c.Pauses[i])
			for _, o := range h.open {
				if o.to > e.from && o.to < e.to {
					g.cut++
				}
			}
		}
		next := millis(c.Millis)
		if i+1 < len(c.Utterances) {
			next = millis(c.Utterances[i+1].Start)
		}
		if next-e.to < aloneFor {
			continue
		}
		for _, o := range h.open {
			if o.from < e.to && o.to > e.to {
				g.ends = append(g.ends, min(o.to, next)-e.to)
			}
		}
	}
}

// percentile returns the p-th percentile of all, or zero without values.
func percentile(all []time.Duration, p float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.SortedFunc(slices.Values(all), cmp.Compare[time.Duration])
	return sorted[min(int(p*float64(len(sorted))), len(sorted)-1)]
}

func percentOf(part, whole time.Duration) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

func (g heardGroup) falseAMinute() float64 {
	if g.quiet == 0 {
		return 0
	}
	return float64(g.falsely) / g.quiet.Minutes()
}
