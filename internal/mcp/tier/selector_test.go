package tier_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tier"
)

// warm returns a selector after its first turn.
func warm(opts ...tier.Option) *tier.Selector {
	s := tier.NewSelector(opts...)
	s.Select("hello", 0)
	return s
}

func TestSelectByWords(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       mcp.BudgetTier
	}{
		{"plain talk", "I would like an ale, please.", mcp.BudgetFast},
		{"empty", "", mcp.BudgetFast},
		{"deep phrase", "Think carefully: where did you put it?", mcp.BudgetDeep},
		{"deep phrase in capitals", "TAKE YOUR TIME", mcp.BudgetDeep},
		{"deep beats standard", "Remember the rules and search the web", mcp.BudgetDeep},
		{"everything", "tell me everything about the conspiracy", mcp.BudgetDeep},
		{"standard word", "Do you remember the miller?", mcp.BudgetStandard},
		{"standard phrase", "Who is the lord of this town", mcp.BudgetStandard},
		{"contraction", "who's there", mcp.BudgetStandard},
		{"typographic apostrophe", "who’s there", mcp.BudgetStandard},
		{"possessive", "the quest's end", mcp.BudgetStandard},
		{"spell", "Which spell was that?", mcp.BudgetStandard},
		{"saving throw", "is that a saving throw?", mcp.BudgetStandard},
		{"gap", "How does the whole grappling thing work?", mcp.BudgetStandard},
		{"gap with comma", "What does, say, being blinded do?", mcp.BudgetStandard},
		{"gap over a sentence end", "How does he know? I have work to do.", mcp.BudgetFast},
		{"question is no quest", "I have a question", mcp.BudgetFast},
		{"request is no quest", "a request, a conquest, bequest", mcp.BudgetFast},
		{"spelling is no spell", "his spelling is dispelled", mcp.BudgetFast},
		{"negated deep", "don't think carefully", mcp.BudgetFast},
		{"negated without apostrophe", "dont think carefully", mcp.BudgetFast},
		{"negated at a distance", "you do not have to take your time", mcp.BudgetFast},
		{"no need", "no need to think carefully about it", mcp.BudgetFast},
		{"negation ends with the clause", "No, think carefully!", mcp.BudgetDeep},
		{"negation out of reach", "I did not come all this way for beer think carefully", mcp.BudgetDeep},
		{"no rush", "no rush take your time", mcp.BudgetDeep},
		{"negative question asks", "don't you remember the miller", mcp.BudgetStandard},
		{"negated then meant", "Don't take your time. Think carefully.", mcp.BudgetDeep},
		{"german deep", "Denk gut nach, Alter!", mcp.BudgetDeep},
		{"german deep over comma", "Sag mir alles, was du weißt", mcp.BudgetDeep},
		{"german standard", "Wer ist der Bürgermeister?", mcp.BudgetStandard},
		{"german umlaut", "erzähl mir von der Mühle", mcp.BudgetStandard},
		{"german transcribed", "Erzaehl mir von der Muehle", mcp.BudgetStandard},
		{"german decomposed", "erza\u0308hl mir von ihr", mcp.BudgetStandard},
		{"german negated", "ich will nicht die Regeln hören", mcp.BudgetFast},
		{"invalid utf-8", "\xff\xfe rules \xc3", mcp.BudgetStandard},
		{"other script", "Квест 任务", mcp.BudgetFast},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := warm().Select(tc.text, 0); got != tc.want {
				t.Errorf("Select(%q) = %v, want %v", tc.text, got, tc.want)
			}
		})
	}
}

func TestPriorityOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := tier.NewSelector()
		want := func(text string, override, tr mcp.BudgetTier, reason string) {
			t.Helper()
			if got := s.Decide(text, override); got.Tier != tr || got.Reason != reason {
				t.Errorf("Decide(%q, %v) = %v (%s), want %v (%s)", text, override, got.Tier, got.Reason, tr, reason)
			}
		}
		want("hello", 0, mcp.BudgetStandard, tier.ReasonFirst)
		want("hello", 0, mcp.BudgetFast, tier.ReasonDefault)
		want("think carefully", mcp.BudgetStandard, mcp.BudgetStandard, tier.ReasonOverride)
		want("think carefully", 0, mcp.BudgetDeep, tier.ReasonDeep)
		time.Sleep(30*time.Second - 1)
		want("think carefully", 0, mcp.BudgetStandard, tier.ReasonSpam)
		s.SetQueueDepth(3)
		want("think carefully", 0, mcp.BudgetFast, tier.ReasonQueue)
		want("what are the rules", 0, mcp.BudgetFast, tier.ReasonQueue)
		time.Sleep(time.Nanosecond)
		want("think carefully", 0, mcp.BudgetDeep, tier.ReasonDeep)
		s.SetQueueDepth(2)
		want("what are the rules", 0, mcp.BudgetStandard, tier.ReasonStandard)
		s.Reset()
		want("hello", 0, mcp.BudgetStandard, tier.ReasonFirst)
	})
}

// A DEEP turn requested by the DM counts like any other.
func TestTheDMsDeepStartsTheInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := warm()
		s.Peek("hello", mcp.BudgetDeep)
		if got := s.Peek("think carefully", 0); got.Tier != mcp.BudgetDeep {
			t.Errorf("after a look at an override: %+v, want deep", got)
		}
		s.Decide("hello", mcp.BudgetDeep)
		time.Sleep(30*time.Second - 1)
		if got := s.Decide("think carefully", 0); got.Tier != mcp.BudgetStandard || got.Reason != tier.ReasonSpam {
			t.Errorf("just before 30 s are over: %+v, want standard", got)
		}
		if got := s.Decide("think carefully", mcp.BudgetDeep); got.Tier != mcp.BudgetDeep {
			t.Errorf("the DM is held back: %+v", got)
		}
		s.Decide("hello", mcp.BudgetStandard) // not a DEEP turn
		time.Sleep(30 * time.Second)
		if got := s.Decide("think carefully", 0); got.Tier != mcp.BudgetDeep {
			t.Errorf("30 s later: %+v, want deep", got)
		}
	})
}

func TestOptions(t *testing.T) {
	s := warm(tier.WithMinDeepInterval(0), tier.WithDeepKeywords("open sesame"), tier.WithStandardKeywords("once … time"))
	for text, want := range map[string]mcp.BudgetTier{
		"Open, sesame!":        mcp.BudgetDeep,
		"open sesame":          mcp.BudgetDeep,
		"once upon a time":     mcp.BudgetStandard,
		"think carefully":      mcp.BudgetFast,
		"remember the rules":   mcp.BudgetFast,
		"think very carefully": mcp.BudgetFast,
		"do you still know":    mcp.BudgetFast,
		"there is time, once?": mcp.BudgetFast,
	} {
		if got := s.Select(text, 0); got != want {
			t.Errorf("Select(%q) = %v, want %v", text, got, want)
		}
	}
}

func FuzzSelect(f *testing.F) {
	f.Add("don't think carefully, remember the rules … work", "quest")
	f.Add("\xff\u0308ß", "how does")
	f.Fuzz(func(t *testing.T, text, tail string) {
		if strings.ContainsAny(tail, "\x00") {
			return
		}
		s := warm(tier.WithMinDeepInterval(0))
		a := s.Select(text, 0)
		if b := s.Select(text, 0); a != b {
			t.Errorf("Select(%q) = %v, then %v", text, a, b)
		}
		if b := s.Select(text+"\n–", 0); a != b { // takes the path for non-ASCII text
			t.Errorf("Select(%q) = %v, but %v before a dash", text, a, b)
		}
		if b := s.Select(text+".\ntake your time", 0); b != mcp.BudgetDeep {
			t.Errorf("a deep sentence after %q selects %v", text, b)
		}
	})
}

func BenchmarkSelect(b *testing.B) {
	base := "Well met, traveller. I would buy a horse, two ropes and a lantern, if you have them at a fair price today. "
	for _, n := range []int{26, 110, 1000} {
		text := strings.Repeat(base, 10)[:n]
		b.Run(fmt.Sprintf("chars=%d", n), func(b *testing.B) {
			s := warm()
			b.ReportAllocs()
			for b.Loop() {
				s.Select(text, 0)
			}
		})
	}
}

// A text full of words that may end a pattern must not be much slower than any other.
func BenchmarkSelectNearMisses(b *testing.B) {
	s, text := warm(), strings.Repeat("I think the door is hard to open, denk ich, und geh nach Hause. ", 16)[:1000]
	b.ReportAllocs()
	for b.Loop() {
		s.Select(text, 0)
	}
}

func TestPeekChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := tier.NewSelector()
		for range 2 {
			if got := s.Peek("hello", mcp.BudgetFast); got.Reason != tier.ReasonFirst {
				t.Errorf("Peek before the first turn = %+v, want %q", got, tier.ReasonFirst)
			}
		}
		s.Decide("hello", mcp.BudgetFast)
		for range 2 {
			if got := s.Peek("think carefully", mcp.BudgetFast); got.Tier != mcp.BudgetDeep {
				t.Errorf("Peek = %+v, want deep each time", got)
			}
		}
		if got := s.Decide("think carefully", mcp.BudgetFast); got.Tier != mcp.BudgetDeep {
			t.Errorf("Decide after Peek = %+v, want deep", got)
		}
		if got := s.Peek("think carefully", mcp.BudgetFast); got.Reason != tier.ReasonSpam {
			t.Errorf("Peek right after a deep turn = %+v, want %q", got, tier.ReasonSpam)
		}
	})
}
