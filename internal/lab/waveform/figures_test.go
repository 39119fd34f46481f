package waveform

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"
	"text/tabwriter"
)

// figures summarise turns. Times are in milliseconds.
type figures struct {
	turns int
	// first runs to the first sound, error is how much more the ledger says.
	first, error []float64
	// lastOf runs to the last sound after an interruption, from the first of
	// its words, from the end of the call, and from the end of all.
	lastOf map[string][3][]float64
	// stages are the ledger's times.
	stages map[string][]float64
	// throats counts the sounds that must not interrupt: how many silenced the
	// answer, and how many for good. ducked and paused say by how many dB and
	// for how long.
	throats, stopped, cut int
	ducked, paused        map[string][]float64
	// again and lost count answers with words heard twice, or not at all.
	again, lost int
}

func sum(turns []turn) figures {
	f := figures{turns: len(turns), lastOf: map[string][3][]float64{}, stages: map[string][]float64{}, ducked: map[string][]float64{}, paused: map[string][]float64{}}
	count := func(n *int, is bool) {
		if is {
			*n++
		}
	}
	for _, m := range turns {
		f.first = append(f.first, m.first)
		if !math.IsNaN(m.told) {
			f.error = append(f.error, m.told-m.first)
		}
		for stage, took := range m.stages {
			f.stages[stage] = append(f.stages[stage], took)
		}
		count(&f.again, m.again)
		count(&f.lost, m.lost)
		if m.stops {
			last := f.lastOf[m.kind]
			for i, took := range []float64{m.fromWords, m.fromCall, m.fromEnd} {
				last[i] = append(last[i], took)
			}
			f.lastOf[m.kind] = last
			continue
		}
		f.throats++
		count(&f.stopped, m.paused > 0 || m.cut)
		count(&f.cut, m.cut)
		f.ducked[m.kind] = append(f.ducked[m.kind], m.ducked)
		f.paused[m.kind] = append(f.paused[m.kind], float64(m.paused.Milliseconds()))
	}
	return f
}

// percentile returns the nearest rank among values, or NaN without values.
func percentile(values []float64, p int) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)*p+99)/100-1]
}

// Targets, in milliseconds.
const (
	firstP50, firstP95 = 850, 1100
	interimsFirstP50   = 600
	lastP50            = 350
	// ledgerOff is the ledger's allowed error, because it knows neither the
	// devices nor where in a frame a voice ended.
	ledgerOff = 150
)

// broken lists the missed targets.
func (f figures) broken(interims bool) []string {
	var all []string
	want := func(what string, got, most float64) {
		if !(got <= most) {
			all = append(all, fmt.Sprintf("%s is %.0f, want at most %.0f", what, got, most))
		}
	}
	if interims {
		want("end of voice to first sound, p50,", percentile(f.first, 50), interimsFirstP50)
		want("hold on: end of the call to last sound, p50,", percentile(f.lastOf["hold on"][1], 50), lastP50)
	} else {
		want("end of voice to first sound, p50,", percentile(f.first, 50), firstP50)
		want("end of voice to first sound, p95,", percentile(f.first, 95), firstP95)
	}
	want("what the ledger is off by, p50,", math.Abs(percentile(f.error, 50)), ledgerOff)
	want("answers that were silenced by mhm, cough or laugh", float64(f.stopped), 0)
	want("answers with words heard twice", float64(f.again), 0)
	want("answers with words lost", float64(f.lost), 0)
	return all
}

// print writes all figures to standard output.
func (f figures) print(t *testing.T) {
	t.Helper()
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "what\tturns\tp50\tp95\tmost\t")
	row := func(what string, all []float64) {
		if len(all) > 0 {
			fmt.Fprintf(w, "%s\t%d\t%.0f\t%.0f\t%.0f\t\n", what, len(all), percentile(all, 50), percentile(all, 95), percentile(all, 100))
		}
	}
	row("end of voice to first sound", f.first)
	row("the ledger's, beyond that", f.error)
	for _, stage := range stages {
		row(stage, f.stages[stage])
	}
	for _, kind := range []string{"hold on", "stop"} {
		for i, from := range []string{"words begin", "call ends", "words end"} {
			row(kind+": "+from+" to last sound", f.lastOf[kind][i])
		}
	}
	for _, kind := range []string{"mhm", "cough", "laugh"} {
		row(kind+": softer by, dB", f.ducked[kind])
		row(kind+": silent for", f.paused[kind])
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	fmt.Printf("%s, ms\n%smhm, cough, laugh: %d of %d silenced the answer, %d for good; words twice in %d answers of %d, lost in %d\n",
		t.Name(), table.String(), f.stopped, f.throats, f.cut, f.again, f.turns, f.lost)
}

// stages are the ledger's stages up to the first sound.
var stages = []string{"endpoint_ms", "stt_final_ms", "llm_first_token_ms", "llm_first_sentence_ms", "tts_first_audio_ms", "floor_ms", "first_sound_ms", "end_to_first_sound_ms"}

// TestBroken checks that each target can be missed.
func TestBroken(t *testing.T) {
	good := func() []turn {
		return []turn{
			{kind: "hold on", stops: true, first: 600, told: 560, fromCall: 340, cut: true},
			{kind: "mhm", first: 590, told: 560},
		}
	}
	for _, row := range []struct {
		name     string
		spoil    func([]turn)
		interims bool
		want     int
	}{
		{"met", func([]turn) {}, true, 0},
		{"late", func(m []turn) { m[0].first, m[1].first = 620, 620 }, true, 1},
		{"late without interims", func(m []turn) { m[0].first, m[1].first = 620, 620 }, false, 0},
		{"now and then late without interims", func(m []turn) { m[0].first, m[0].told = 1101, 1101 }, false, 1},
		{"stopped late", func(m []turn) { m[0].fromCall = 351 }, true, 1},
		{"silenced", func(m []turn) { m[1].paused = 1e9 }, true, 1},
		{"silenced for good", func(m []turn) { m[1].cut, m[1].lost = true, true }, true, 2},
		{"said twice", func(m []turn) { m[0].again = true }, true, 1},
		{"the ledger lies", func(m []turn) { m[0].told, m[1].told = 300, 300 }, true, 1},
		{"nothing measured", func(m []turn) { m[0].first, m[1].first = math.NaN(), math.NaN() }, true, 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			turns := good()
			row.spoil(turns)
			if got := sum(turns).broken(row.interims); len(got) != row.want {
				t.Errorf("broken = %q, want %d", got, row.want)
			}
		})
	}
}
