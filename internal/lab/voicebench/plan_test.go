package voicebench

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// plan is one run, of either side. The JSON is what testdata/peers/livekit
// reads.
type plan struct {
	Tuning string `json:"tuning"`
	// LLMMS and TTSMS are how long the model takes to its answer and the voice
	// to its sound; nothing waits for 0.
	LLMMS float64 `json:"llmMS"`
	TTSMS float64 `json:"ttsMS"`
	// SoundMS is how long the answer sounds, HearMS when it is interrupted.
	SoundMS float64 `json:"soundMS"`
	HearMS  float64 `json:"hearMS"`
	// EndpointMS is the silence that ends what a player of ours says. It is over
	// before the final transcript, from which is measured. Half of it without a
	// frame, and the machine has no time for the player.
	EndpointMS float64 `json:"endpointMS"`
	Persona    string  `json:"persona"`
	Utterance  string  `json:"utterance"`
	Answer     string  `json:"answer"`
	// Warm and Starts have a list for each table: when its turns begin, in
	// milliseconds from the beginning of each part. Those of Warm are not
	// counted, and RestMS of silence follow them.
	Warm   [][]float64 `json:"warm"`
	RestMS float64     `json:"restMS"`
	Starts [][]float64 `json:"starts"`
}

// report is what a run found. Each counted turn has one value in First, Waited
// and Cleared, in milliseconds.
type report struct {
	// First is from the final transcript to the first frame; Waited is how much
	// of it the model and the voice took.
	First  []float64 `json:"first"`
	Waited []float64 `json:"waited"`
	// Cleared is from the interruption until the output was emptied. Wire is
	// until the last frame with sound was handed over, where that is known.
	Cleared []float64 `json:"cleared"`
	Wire    []float64 `json:"wire"`
	// Late counts turns that began late since the one before still ran.
	Late  int     `json:"late"`
	WallS float64 `json:"wallS"`
	// CPUS is the processor time of all counted turns together.
	CPUS float64 `json:"cpuS"`
	// BaseMB is the resident memory before there was a table, RSSMB after the
	// last turn; HeapMB is what is alive then.
	BaseMB float64 `json:"baseMB"`
	RSSMB  float64 `json:"rssMB"`
	HeapMB float64 `json:"heapMB"`
}

// latency is what the scripted providers take.
type latency struct{ llm, tts time.Duration }

// load is how many tables play at once, how many turns, and how far apart those
// of one table begin. That must leave the slowest of the contenders time to
// finish.
type load struct {
	tables, warm, turns int
	period              time.Duration
}

// newPlan lets each table begin a turn once in a period, at random, in such a
// way that turns of one table are at least 0.6 periods apart. The same seed
// makes the same plan.
func newPlan(l latency, n load, seed uint64) plan {
	rng := rand.New(rand.NewPCG(seed, uint64(n.tables)))
	draw := func(turns int) [][]float64 {
		all := make([][]float64, n.tables)
		for i := range all {
			for k := range turns {
				all[i] = append(all[i], millis(n.period)*(float64(k)+0.4*rng.Float64()))
			}
		}
		return all
	}
	// Tables do not all begin in the same part of the period.
	shift := func(all [][]float64) [][]float64 {
		for i := range all {
			by := millis(n.period) * float64(i) / float64(n.tables)
			for k := range all[i] {
				all[i][k] += by
			}
		}
		return all
	}
	return plan{
		LLMMS: millis(l.llm), TTSMS: millis(l.tts), SoundMS: 2000, HearMS: 100, EndpointMS: 200,
		Persona: "You are Bart, the keeper of an inn.", Utterance: "Bart, is the bridge open?", Answer: "The bridge is out, traveller.",
		Warm: shift(draw(n.warm)), RestMS: 500, Starts: shift(draw(n.turns)),
	}
}

func (p plan) endpoint() time.Duration {
	return time.Duration(p.EndpointMS * float64(time.Millisecond))
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func TestPlan(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	n := load{tables: 10, warm: 3, turns: 20, period: time.Second}
	p := newPlan(latency{200 * time.Millisecond, 75 * time.Millisecond}, n, 1)
	if p.LLMMS != 200 || p.TTSMS != 75 {
		t.Errorf("latency = %v, %v ms, want 200, 75", p.LLMMS, p.TTSMS)
	}
	if len(p.Warm) != n.tables || len(p.Warm[0]) != n.warm || len(p.Starts) != n.tables {
		t.Fatalf("got %d and %d tables with %d turns to warm up, want %+v", len(p.Warm), len(p.Starts), len(p.Warm[0]), n)
	}
	for i, starts := range p.Starts {
		if len(starts) != n.turns {
			t.Errorf("table %d has %d turns, want %d", i, len(starts), n.turns)
		}
		for k, at := range starts[1:] {
			if apart := at - starts[k]; apart < 600 || apart > 1400 {
				t.Errorf("turns %d and %d of table %d are %.0f ms apart, want 600 to 1,400", k, k+1, i, apart)
			}
		}
	}
	again := newPlan(latency{}, n, 1)
	if !slices.Equal(again.Starts[3], p.Starts[3]) {
		t.Errorf("the same seed made %v and %v", p.Starts[3], again.Starts[3])
	}
}
