package simulate

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
)

func TestParseMix(t *testing.T) {
	for _, row := range []struct {
		text string
		want Mix
		err  string
	}{
		{"cascaded=50,s2s=30,sentence_cascade=20", Mix{50, 20, 30}, ""},
		{" s2s = 1 ", Mix{S2S: 1}, ""},
		{"s2s=0,cascaded=0", Mix{}, "no NPC is left"},
		{"s2s", Mix{}, `"s2s" is no share`},
		{"s2s=-1", Mix{}, `"s2s=-1" is no share`},
		{"s2s=99999999999", Mix{}, "is no share"},
		{"s2s=1,s2s=2", Mix{}, "s2s is given twice"},
		{"duplex=1", Mix{}, `there is no engine "duplex"`},
		{"", Mix{}, `"" is no share`},
	} {
		got, err := ParseMix(row.text)
		if got != row.want || (err != nil) != (row.err != "") || err != nil && !strings.Contains(err.Error(), row.err) {
			t.Errorf("ParseMix(%q) = %+v, %v; want %+v, %q", row.text, got, err, row.want, row.err)
		}
	}
}

func TestEveryBeginningOfAMixHasItsShares(t *testing.T) {
	all := Mix{Cascaded: 50, SentenceCascade: 20, S2S: 30}.assignEngines(200)
	for n := 10; n <= len(all); n += 10 {
		count := map[string]int{}
		for _, name := range all[:n] {
			count[name]++
		}
		if count[config.EngineCascaded] != n/2 || count[config.EngineS2S] != n*3/10 || count[config.EngineSentenceCascade] != n/5 {
			t.Fatalf("of the first %d are %v, want their shares", n, count)
		}
	}
	if all := (Mix{}).assignEngines(3); !slices.Equal(all, []string{"cascaded", "cascaded", "cascaded"}) {
		t.Errorf("without a mix there are %v, want the cascaded engine", all)
	}
	if all := (Mix{S2S: 1}).assignEngines(2); !slices.Equal(all, []string{"s2s", "s2s"}) {
		t.Errorf("of one engine alone there are %v", all)
	}
}

// TestTablesOfAllEngines plays a mix: the NPCs of every engine answer, and the
// contract of sessions is kept.
func TestTablesOfAllEngines(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	synctest.Test(t, func(t *testing.T) {
		load := Load{Tables: 3, Players: 3, NPCs: 2, Duration: 3 * time.Minute, Engines: Mix{Cascaded: 1, SentenceCascade: 1, S2S: 1}}
		got, _, err := simulated(t, t.Context(), load, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := got.Report
		var turns uint64
		for _, name := range []string{config.EngineCascaded, config.EngineSentenceCascade, config.EngineS2S} {
			e := r.Engines[name]
			turns += e.Turns
			t.Logf("%s: %d turns, %+v", name, e.Turns, e.FirstSound)
			if e.NPCs != 2 || e.Turns < 5 || e.FirstSound == nil || e.FirstSound.P50 < 500 || e.FirstSound.P50 > 2500 {
				t.Errorf("%s: %+v, want two NPCs who answer in time", name, e)
			}
		}
		if d, b := r.Outcomes["delivered"], r.Outcomes["barged"]; turns != r.Turns || d+b != r.Turns || len(r.Notices) > 0 {
			t.Errorf("outcomes = %v of %d turns, %d of them of an engine, notices %v; want all delivered or interrupted", r.Outcomes, r.Turns, turns, r.Notices)
		}
		cascaded, opened := r.Engines[config.EngineCascaded].FirstSound, r.Engines[config.EngineSentenceCascade].FirstSound
		if opened == nil || opened.P50 >= cascaded.P50 {
			t.Errorf("first sound p50 is %+v with an opener and %+v without, want it earlier", opened, cascaded)
		}
	})
}
