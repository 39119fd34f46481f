package voicebench

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// plan is one run, of either side, in JSON for testdata/peers/livekit.
type plan struct {
	Tuning string `json:"tuning"`
	// LLMMS and TTSMS are the latencies of the model and the voice; 0 means no
	// wait.
	LLMMS float64 `json:"llmMS"`
	TTSMS float64 `json:"ttsMS"`
	// SoundMS is the length of the answer, HearMS the time of its interruption.
	SoundMS float64 `json:"soundMS"`
	HearMS  float64 `json:"hearMS"`
	// EndpointMS is the silence that ends a player's utterance on our side. It
	// comes before the final transcript, where the measurement begins. A gap of
	// half of it without a frame means that the machine starved the player.
	EndpointMS float64 `json:"endpointMS"`
	Persona    string  `json:"persona"`
	Utterance  string  `json:"utterance"`
	Answer     string  `json:"answer"`
	// Warm and Starts hold for each table the starts of its turns, in
	// milliseconds from the beginning of each part. Those of Warm are not
	// counted; RestMS of silence follow them.
	Warm   [][]float64 `json:"warm"`
	RestMS float64     `json:"restMS"`
	Starts [][]float64 `json:"starts"`
}

// report is the result of a run. Each counted turn has one value in First,
// Waited and Cleared, in milliseconds.
type report struct {
	// First runs from the final transcript to the first frame; Waited is the
	// part of the model and the voice.
	First  []float64 `json:"first"`
	Waited []float64 `json:"waited"`
	// Cleared runs from the interruption until the output was emptied. Wire
	// runs until the last frame with sound was handed over, where that is
	// known.
	Cleared []float64 `json:"cleared"`
	Wire    []float64 `json:"wire"`
	// Late counts turns that began late because the previous one still ran.
	Late  int     `json:"late"`
	WallS float64 `json:"wallS"`
	// CPUS is the total processor time of the counted turns.
	CPUS float64 `json:"cpuS"`
	// BaseMB is the resident memory before the first table, RSSMB after the
	// last turn; HeapMB is the live heap then.
	BaseMB float64 `json:"baseMB"`
	RSSMB  float64 `json:"rssMB"`
	HeapMB float64 `json:"heapMB"`
}

// latency is the latency of the scripted providers.
type latency struct{ llm, tts time.Duration }

// load is the number of concurrent tables, of turns, and the period of one
// table's turns, which must leave the slowest contender time to finish.
type load struct {
	tables, warm, turns int
	period              time.Duration
}

// newPlan lets each table begin a turn once per period, at random, with turns
// of one table at least 0.6 periods apart. The same seed gives the same plan.
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
	// The tables begin in different parts of the period.
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
