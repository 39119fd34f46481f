package truth

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// turnsTruth is a speaker of make-turns.py, with the pauses of the clip.
type turnsTruth struct {
	File, Voice string
	Human       bool
	Pauses      []struct {
		Start, End int // milliseconds
		Kind       string
	}
}

const (
	// Pitch is tracked at 8 kHz, every 10 ms over 40 ms, from 70 to 500 Hz.
	melodyRate   = 8000
	melodyHop    = melodyRate / 100
	melodyWindow = 4 * melodyHop
	shortestLag  = melodyRate / 500
	longestLag   = melodyRate / 70
	// evidence is the analysed length before a pause, in hops.
	evidence = 60
)

// hop is 10 ms of a voice.
type hop struct {
	level float64 // dB
	pitch float64 // semitones above 100 Hz, or NaN
	tonal float64 // periodicity, 0 to 1
}

// followMelody returns the hops of a sound at audio.SampleRate.
func followMelody(samples []int16) ([]hop, error) {
	r, err := audio.NewResampler(audio.SampleRate, melodyRate)
	if err != nil {
		return nil, err
	}
	low := r.Flush(r.Process(nil, samples))
	x := make([]float64, len(low))
	for i, s := range low {
		x[i] = float64(s)
	}
	var hops []hop
	for at := 0; at+melodyHop <= len(x); at += melodyHop {
		h := hop{pitch: math.NaN()}
		for _, v := range x[at : at+melodyHop] {
			h.level += v * v
		}
		h.level = 10 * math.Log10(h.level/melodyHop/(1<<30)+1e-10)
		if end := at + melodyHop; end >= melodyWindow+longestLag && h.level > -60 {
			h.pitch, h.tonal = pitchAt(x[:end])
		}
		hops = append(hops, h)
	}
	return hops, nil
}

// pitchAt returns the pitch of the last window of x, and its periodicity.
func pitchAt(x []float64) (semitones, strength float64) {
	now := x[len(x)-melodyWindow:]
	var by [longestLag + 1]float64
	power := 1.0
	for _, v := range now {
		power += v * v
	}
	best := 0.0
	for lag := shortestLag; lag <= longestLag; lag++ {
		then := x[len(x)-melodyWindow-lag:]
		dot, before := 0.0, 1.0
		for i, v := range now {
			dot += v * then[i]
			before += then[i] * then[i]
		}
		by[lag] = dot / math.Sqrt(power*before)
		best = max(best, by[lag])
	}
	if best < 0.6 {
		return math.NaN(), max(best, 0)
	}
	for lag := shortestLag + 1; lag < longestLag; lag++ { // the shortest period that fits
		if by[lag] < 0.92*best || by[lag] < by[lag-1] || by[lag] < by[lag+1] {
			continue
		}
		a, b, c := by[lag-1], by[lag], by[lag+1]
		at := float64(lag)
		if d := a - 2*b + c; d < 0 {
			at += (a - c) / (2 * d)
		}
		return 12 * math.Log2(melodyRate/at/100), best
	}
	return math.NaN(), best
}

// prosodyNames are the features of a pause; see prosodyOf.
var prosodyNames = []string{
	"slope of the pitch, last 200 ms", "slope of the pitch, last 400 ms", "last pitch, to the speaker's median", "last pitch, in the speaker's range",
	"fall from the highest of 600 ms", "last voiced stretch", "last voiced stretch, to the speaker's", "level of the last 100 ms, to the speaker's",
	"slope of the level, last 300 ms", "periodicity, last 150 ms", "unvoiced at the end", "last pitch, from the speaker's median either way",
}

// lastPitch is the index of the last pitch.
const lastPitch = 2

// prosodyOf returns the features of speech before a pause; before is the
// speaker's earlier speech.
func prosodyOf(before, speech []hop) []float64 {
	pitches, levels, stretches := habits(slices.Concat(before, speech))
	tail := speech[max(0, len(speech)-evidence):]
	voiced := tail // up to the last hop with a pitch
	for len(voiced) > 0 && math.IsNaN(voiced[len(voiced)-1].pitch) {
		voiced = voiced[:len(voiced)-1]
	}
	last, highest := quantile(pitches, .5), quantile(pitches, .5)
	if len(voiced) > 0 {
		last, highest = quantile(pitchesOf(newest(voiced, 6)), .5), quantile(pitchesOf(voiced), .9)
	}
	stretch := 0.0
	for i, gap := len(speech)-len(tail)+len(voiced)-1, 0; i >= 0 && gap < 3; i-- {
		if gap++; !math.IsNaN(speech[i].pitch) {
			gap = 0
			stretch++
		}
	}
	pitchOf, levelOf := func(h hop) float64 { return h.pitch }, func(h hop) float64 { return h.level }
	level, tonal := 0.0, 0.0
	for _, h := range newest(tail, 10) {
		level += h.level / 10
	}
	for _, h := range newest(tail, 15) {
		tonal += h.tonal / 15
	}
	return []float64{
		slope(newest(voiced, 20), pitchOf), slope(newest(voiced, 40), pitchOf),
		last - quantile(pitches, .5), (last - quantile(pitches, .1)) / max(quantile(pitches, .9)-quantile(pitches, .1), 1),
		highest - last, math.Log(stretch + 1), math.Log((stretch + 1) / (quantile(stretches, .5) + 1)),
		level - quantile(levels, .5), slope(newest(tail, 30), levelOf), tonal, float64(len(tail) - len(voiced)),
		math.Abs(last - quantile(pitches, .5)),
	}
}

// habits returns a speaker's pitches, levels and voiced stretches, each sorted.
func habits(known []hop) (pitches, levels, stretches []float64) {
	run := 0.0
	for _, h := range known {
		if h.level > -50 {
			levels = append(levels, h.level)
		}
		if math.IsNaN(h.pitch) {
			if run >= 4 {
				stretches = append(stretches, run)
			}
			run = 0
			continue
		}
		run++
	}
	slices.Sort(levels)
	slices.Sort(stretches)
	return pitchesOf(known), levels, stretches
}

// pitchesOf returns the pitches of hops, sorted.
func pitchesOf(hops []hop) (out []float64) {
	for _, h := range hops {
		if !math.IsNaN(h.pitch) {
			out = append(out, h.pitch)
		}
	}
	slices.Sort(out)
	return out
}

func newest(hops []hop, n int) []hop { return hops[max(0, len(hops)-n):] }

// quantile returns a quantile of sorted values, 0 if there are none.
func quantile(x []float64, at float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return x[int(at*float64(len(x)-1))]
}

// slope returns the change per second of the values that of returns; hops
// without a value do not count.
func slope(hops []hop, of func(hop) float64) float64 {
	var n, sx, sy, sxx, sxy float64
	for i, h := range hops {
		x, y := float64(i)/100, of(h)
		if math.IsNaN(y) {
			continue
		}
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	if d := n*sxx - sx*sx; n >= 4 && d > 0 {
		return min(max((n*sxy-sx*sy)/d, -100), 100)
	}
	return 0
}

// pauseSample is a pause as a judge's input.
type pauseSample struct {
	voice string
	human bool
	asks  bool // a question that ends
	ends  bool
	x     []float64
}

func readTurns(ctx context.Context, folder string) (all []pauseSample, err error) {
	clips, err := readRows[turnsTruth](filepath.Join(folder, "turns.jsonl"))
	if err != nil {
		return nil, err
	}
	for _, c := range clips {
		sound, err := readSound(filepath.Join(folder, c.File))
		if err != nil {
			return nil, err
		}
		hops, err := followMelody(sound)
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
		for _, p := range c.Pauses {
			end := min(p.End/10, len(hops))
			all = append(all, pauseSample{c.Voice, c.Human, p.Kind == "question", p.Kind != "goes on", prosodyOf(newest(hops[:p.Start/10], 3000), hops[p.Start/10:end])})
		}
	}
	return all, nil
}

// leastQuestions bounds how often the last pitch of a question exceeds that of
// a statement, which shows that pitch is measured at all.
const leastQuestions = 0.7

// Prosody measures how well pitch, length and loudness before a pause predict
// whether the speaker continues. The program does not use them; see
// docs/adr/0044.
func Prosody(ctx context.Context, o Options) (*Report, error) {
	o.say("prosody: following the melody")
	samples, err := readTurns(ctx, o.Clips)
	if err != nil {
		return nil, err
	}
	var people, voices []pauseSample
	for _, s := range samples {
		if s.human {
			people = append(people, s)
		} else {
			voices = append(voices, s)
		}
	}
	isEnd := func(s pauseSample) bool { return s.ends }
	features := Table{Title: "area under the curve, an end to a pause", Columns: []Column{{"what", "%s"}, {"synthetic", "%.2f"}, {"people", "%.2f"}}}
	for i, name := range prosodyNames {
		of := func(s pauseSample) float64 { return s.x[i] }
		features.Rows = append(features.Rows, []any{name, withinVoices(voices, isEnd, of), withinVoices(people, isEnd, of)})
	}
	o.say("prosody: judging voices by others")
	together := Table{Title: "all together, voices apart", Columns: []Column{
		{"what", "%s"}, {"area", "%.2f"}, {"right %", "%.0f"}, {"ends taken for ends %", "%.0f"}, {"pauses taken for ends %", "%.0f"}, {"mean wait less ms", "%d"}, {"speakers", "%d"},
	}}
	add := func(name string, j apart) {
		together.Rows = append(together.Rows, []any{name, j.area, 100 * j.right, 100 * j.ended, 100 * j.cut, gain(j.ended, j.cut).Milliseconds(), j.voices})
	}
	all := slices.Concat(voices, people)
	add("synthetic by synthetic", judgeOthers(voices, voices, false))
	add("synthetic by other synthesisers and people", judgeOthers(all, voices, true))
	add("people by people", judgeOthers(people, people, false))
	add("people by synthetic", judgeOthers(voices, people, false))
	add("people by all", judgeOthers(all, people, false))
	for _, group := range byVoice(people, isEnd) {
		add("  "+group[0].voice, judgeOthers(all, group, false))
	}
	// A check that pitch is measured: a question rises.
	ended := slices.DeleteFunc(slices.Clone(voices), func(s pauseSample) bool { return !s.ends || !strings.HasPrefix(s.voice, "espeak") })
	asks := withinVoices(ended, func(s pauseSample) bool { return s.asks }, func(s pauseSample) float64 { return s.x[lastPitch] })
	report := &Report{Tables: []Table{features, together, {
		Title: "area under the curve, a question of espeak-ng to a statement", Columns: []Column{{"what", "%s"}, {"area", "%.2f"}},
		Rows: [][]any{{prosodyNames[lastPitch], asks}},
	}}}
	if asks < leastQuestions {
		report.broke("questions rise above statements in %.0f %% of cases: the pitch is not what was said", 100*asks)
	}
	return report, nil
}
