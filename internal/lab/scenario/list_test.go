package scenario

import (
	"slices"
	"strconv"
	"testing"
)

func TestSameIsReadable(t *testing.T) {
	long := slices.Repeat([]string{"delivered"}, 80)
	var numbers []string
	for n := range 20 {
		numbers = append(numbers, strconv.Itoa(n))
	}
	for _, row := range []struct {
		name      string
		got, want []string
		message   string
	}{
		{"alike", long, slices.Clone(long), ""},
		{"short", []string{"barged", "failed"}, []string{"barged"}, `got ["barged" "failed"]`},
		{"nothing", nil, []string{"barged"}, "got []"},
		{"repeated", append(slices.Clone(long), "barged"), long, `got ["delivered" ×80 "barged"], 81 in all; number 81 differs`},
		{"too_long", numbers, []string{"0", "2"}, `got ["0" "1" "2" "3" "4" "5" "6" "7" "8" "9" "10" "11" …], 20 in all; number 2 differs`},
	} {
		t.Run(row.name, func(t *testing.T) {
			ok, message := same(row.got, row.want)
			if ok != (row.message == "") || message != row.message {
				t.Errorf("same = %v, %q, want %q", ok, message, row.message)
			}
		})
	}
	if got, want := (Expectation{Outcomes: []string{"failed", "delivered", "delivered"}}).String(), "outcomes: failed, delivered ×2"; got != want {
		t.Errorf("the expectation reads %q, want %q", got, want)
	}
}

func TestFew(t *testing.T) {
	list := slices.Repeat([]string{"a"}, shown+1)
	if got := few(list[:shown]); len(got) != shown {
		t.Errorf("of %d are shown %d, want all", shown, len(got))
	}
	if got := few(list); len(got) != shown+1 || got[shown] != "… 13 in all" || list[shown] != "a" {
		t.Errorf("few = %q of %q, want 12 and the number, and the list as it was", got, list)
	}
}

// TestJudgementWithoutAStage checks that every expectation fails for a scene
// without a log.
func TestJudgementWithoutAStage(t *testing.T) {
	s := blank()
	s.Expect, s.ExpectLines = []Expectation{{Heard: []string{"Aye."}}, {Silent: true}, {Absent: "barge"}, {Event: "barge", Judge: "is polite"}}, []int{1, 2, 3, 4}
	p := &performance{scene: s, options: &Options{}}
	p.judgeScene(t.Context())
	if len(p.result.Verdicts) != len(s.Expect) {
		t.Fatalf("%d verdicts, want one for each expectation", len(p.result.Verdicts))
	}
	for _, v := range p.result.Verdicts {
		if v.OK || v.Skipped || v.Message != "the scene did not come to its end" {
			t.Errorf("verdict = %+v, want a failure that says why", v)
		}
	}
}

// TestInterruptedWatch checks that a cancelled scene ends, even with many steps
// left.
func TestInterruptedWatch(t *testing.T) {
	p := &performance{scene: blank(), options: &Options{}, stage: &stage{rec: newRecord()}, interrupted: func() bool { return true }}
	if d := (&director{performance: p, progress: []progress{acting}}); d.awaitEnd(t.Context()) {
		t.Error("an interrupted scene came to rest, want that it did not")
	}
}
