package discord

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// spanTexts formats spans as "stage from-to", in milliseconds.
func spanTexts(all []stageSpan) (out []string) {
	for _, s := range all {
		out = append(out, fmt.Sprintf("%s %v-%v", s.stage, s.from, s.to))
	}
	return out
}

// TestTurnInTime checks at which times each ledger places its stages.
func TestTurnInTime(t *testing.T) {
	for _, row := range []struct {
		name    string
		outcome table.Outcome
		ledger  table.Ledger
		unbegun bool
		spans   []string
		words   string
	}{
		{
			name: "spoken", outcome: table.OutcomeDelivered,
			ledger: table.Ledger{
				EndpointMS: 400, STTFinalMS: 150, RouteUS: 1000, BeginMS: 551, ContextMS: 3, LLMFirstTokenMS: 240, LLMFirstSentenceMS: 59, TTSFirstAudioMS: 90,
				FloorMS: 20, FirstSoundMS: 963, FirstSubstanceMS: 963, TotalMS: 4000, TargetMS: 1200, Budget: "met",
			},
			spans: []string{
				"endpoint 0-400", "stt 400-550", "route 550-551", "context 551-554", "llm 554-794",
				"writing 794-853", "tts 853-943", "floor 943-963", "answer 963-4000",
			},
			words: "#7 Bartok, quick (fast): ✅ first words after 963 ms of 1.2 s — end of speech 400 ms, transcript 150 ms, remembering 3 ms, model 240 ms, writing 59 ms, voice 90 ms, waiting to speak 20 ms, 4 s in total",
		},
		{
			name: "typed, and read", outcome: table.OutcomeDelivered,
			ledger: table.Ledger{
				RouteUS: 500, BeginMS: 0.5, ContextMS: 0.25, LLMFirstTokenMS: 2000, FirstSoundMS: 2500, FirstSubstanceMS: 2500,
				TotalMS: 2501, TargetMS: 1200, Budget: "breached", BreachStage: "llm",
			},
			spans: []string{"route 0-0.5", "context 0.5-0.75", "llm 0.75-2000.75", "answer 2500-2501"},
			words: "#7 Bartok, quick (fast): ❌ first words after 2.5 s of 1.2 s, late: model — model 2 s, 2.5 s in total",
		},
		{
			name: "guessed before the words were final", outcome: table.OutcomeDelivered,
			ledger: table.Ledger{
				EndpointMS: 400, STTFinalMS: 200, RouteUS: 1000, BeginMS: 250, ContextMS: 5, LLMFirstTokenMS: 300, TTSFirstAudioMS: 50,
				FirstSoundMS: 660, FirstSubstanceMS: 660, TotalMS: 2000, TargetMS: 1200, Budget: "met",
			},
			spans: []string{
				"endpoint 0-400", "stt 400-600", "route 600-601", "context 250-255", "llm 255-555", "tts 610-660", "answer 660-2000",
			},
			words: "first words after 660 ms of 1.2 s — ",
		},
		{
			name: "guessed, and spoken before the words were final", outcome: table.OutcomeDelivered,
			ledger: table.Ledger{
				EndpointMS: 400, STTFinalMS: 600, RouteUS: 1000, BeginMS: 250, ContextMS: 5, LLMFirstTokenMS: 300, LLMFirstSentenceMS: 100, TTSFirstAudioMS: 50,
				FirstSoundMS: 1002, FirstSubstanceMS: 1002, TotalMS: 2000, TargetMS: 1200, Budget: "met",
			},
			spans: []string{
				"endpoint 0-400", "stt 400-1000", "route 1000-1001", "context 250-255", "llm 255-555", "writing 555-655", "tts 655-705", "answer 1002-2000",
			},
			words: "first words after 1 s of 1.2 s — ",
		},
		{
			name: "tools between the first token and the sentence", outcome: table.OutcomeDelivered,
			ledger: table.Ledger{
				RouteUS: 1000, BeginMS: 1, LLMFirstTokenMS: 99, ToolMS: 200, ToolRounds: 1, LLMFirstSentenceMS: 100, TTSFirstAudioMS: 50,
				FirstSoundMS: 450, FirstSubstanceMS: 450, TotalMS: 2000, TargetMS: 1200, Budget: "met",
			},
			spans: []string{"route 0-1", "llm 1-100", "tts 400-450", "answer 450-2000"},
			words: "model 99 ms, writing 100 ms, tools 200 ms, voice 50 ms, 2 s in total",
		},
		{
			name: "waited for its turn", outcome: table.OutcomeDelivered,
			ledger: table.Ledger{
				RouteUS: 1000, BeginMS: 3001, ContextMS: 1, LLMFirstTokenMS: 100, FirstSoundMS: 3110, FirstSubstanceMS: 3110, TotalMS: 3200,
				TargetMS: 1200, Budget: "breached", BreachStage: "queue",
			},
			spans: []string{"queue 0-3000", "route 3000-3001", "context 3001-3002", "llm 3002-3102", "answer 3110-3200"},
			words: "❌ first words after 3.1 s of 1.2 s, late: waiting — ",
		},
		{
			name: "stock phrase first", outcome: table.OutcomeBarged,
			ledger: table.Ledger{
				LLMFirstTokenMS: 1500, TTSFirstAudioMS: 80, FirstSoundMS: 1000, FirstSubstanceMS: 1800, TotalMS: 2200, TargetMS: 1200, Budget: "met",
			},
			spans: []string{"llm 0-1500", "tts 920-1000", "filler 1000-1800", "answer 1800-2200"},
			words: "✅ first words after 1 s of 1.2 s, interrupted — ",
		},
		{
			name: "too late and interrupted", outcome: table.OutcomeBarged,
			ledger: table.Ledger{TTSFirstAudioMS: 1500, FirstSoundMS: 1500, FirstSubstanceMS: 1500, TotalMS: 1600, TargetMS: 1200, Budget: "breached", BreachStage: "tts"},
			spans:  []string{"tts 0-1500", "answer 1500-1600"},
			words:  ", late: voice, interrupted — ",
		},
		{
			name: "the model never answered", outcome: table.OutcomeFailed,
			ledger: table.Ledger{ContextMS: 2, TotalMS: 30000, TargetMS: 1200, Budget: "breached", BreachStage: "llm"},
			spans:  []string{"context 0-2", "llm 2-30000"},
			words:  "❌ no words, failed: model — remembering 2 ms, 30 s in total",
		},
		{
			name: "an excuse instead", outcome: table.OutcomeFailed,
			ledger: table.Ledger{ContextMS: 2, FirstSoundMS: 9000, TTSFirstAudioMS: 100, TotalMS: 9900, TargetMS: 1200, Budget: "breached", BreachStage: "llm"},
			spans:  []string{"context 0-2", "llm 2-8900", "tts 8900-9000", "filler 9000-9900"},
			words:  "❌ first words after 9 s of 1.2 s, failed: model — ",
		},
		{
			name: "given up while it waited", outcome: table.OutcomeCancelled, unbegun: true,
			ledger: table.Ledger{EndpointMS: 400, STTFinalMS: 100, TotalMS: 5000, Budget: "breached", BreachStage: "queue"},
			spans:  []string{"endpoint 0-400", "stt 400-500", "queue 500-5000"},
			words:  "#7 Bartok: ❌ no words, given up: waiting — end of speech 400 ms, transcript 100 ms, 5 s in total",
		},
		{
			name: "not understood", outcome: table.OutcomeFailed, unbegun: true,
			ledger: table.Ledger{EndpointMS: 400, STTFinalMS: 3000, TotalMS: 3400, Budget: "breached", BreachStage: "stt"},
			spans:  []string{"endpoint 0-400", "stt 400-3400"},
			words:  "failed: transcript",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			var all turnTimings
			header := table.Header{Time: time.Now(), Turn: 7}
			if !row.unbegun {
				all.recordEvent(&table.TurnStarted{Header: header, NPC: "Bartok", Tier: "fast"})
			}
			all.recordEvent(&table.TurnEnded{Header: header, NPC: "Bartok", Outcome: row.outcome, Ledger: row.ledger})
			last := all.last
			if len(last) != 1 {
				t.Fatalf("%d turns, want 1", len(last))
			}
			if got := spanTexts(last[0].stageSpans()); !slices.Equal(got, row.spans) {
				t.Errorf("spans\n%q, want\n%q", got, row.spans)
			}
			if got := last[0].describeTurn(English); !strings.Contains(got, row.words) || strings.Contains(got, "\n") {
				t.Errorf("words %q, want %q in them", got, row.words)
			}
		})
	}
}

// TestToolsStandWhereTheyRan checks that the times of tools come from their events.
func TestToolsStandWhereTheyRan(t *testing.T) {
	var all turnTimings
	said := time.Now()
	at := func(ms float64) table.Header { return table.Header{Time: said.Add(mcp.DurationOf(ms)), Turn: 1} }
	all.recordEvent(&table.TurnStarted{Header: at(1), Tier: "deep"})
	all.recordEvent(&table.ToolFinished{Header: at(300), MS: 250})
	all.recordEvent(&table.TurnStarted{Header: at(400), Tier: "standard"}) // the player continued
	all.recordEvent(&table.ToolFinished{Header: at(900), MS: 200})
	all.recordEvent(&table.ToolFinished{Header: at(950), MS: 50})
	all.recordEvent(&table.ToolFinished{Header: table.Header{Time: said, Turn: 99}, MS: 50}) // of an unknown turn
	all.recordEvent(&table.TurnEnded{Header: at(2000), NPC: "Mira", Outcome: table.OutcomeDelivered, Ledger: table.Ledger{TotalMS: 2000, ToolMS: 250, ToolRounds: 2, FirstSoundMS: 1500, FirstSubstanceMS: 1500, Budget: "met"}})
	last := all.last
	if len(last) != 1 {
		t.Fatalf("%d turns, want 1", len(last))
	}
	if got, want := spanTexts(last[0].stageSpans()), []string{"tool 700-900", "tool 900-950", "answer 1500-2000"}; !slices.Equal(got, want) || last[0].tier != "standard" {
		t.Errorf("at %s: spans %q, want %q at standard", last[0].tier, got, want)
	}
	if got := last[0].describeTurn(English); !strings.Contains(got, "tools 250 ms") {
		t.Errorf("words %q, want the tools in them", got)
	}
}

// TestTheLastTurns checks that twelve answered turns are remembered, and ended ones keep no
// state.
func TestTheLastTurns(t *testing.T) {
	var all turnTimings
	if last := all.turns(); len(last) > 0 {
		t.Errorf("before the first turn there are %d", len(last))
	}
	for n := range int64(40) {
		h := table.Header{Time: time.Now(), Turn: n}
		outcome := []table.Outcome{table.OutcomeDelivered, table.OutcomeNoTarget, table.OutcomeMuted, table.OutcomeFailed}[n%4]
		all.recordEvent(&table.TurnStarted{Header: h, Tier: "fast"})
		all.recordEvent(&table.TurnEnded{Header: h, NPC: "Bartok", Outcome: outcome, Ledger: table.Ledger{Budget: "met"}})
	}
	if last := all.last; len(last) != maxTurns || last[0].number != 16 || last[11].number != 39 {
		t.Fatalf("%d turns, want the last %d that were owed an answer", len(last), maxTurns)
	}
	if len(all.inProgress) != 0 {
		t.Errorf("%d turns that have ended are kept as if they had not", len(all.inProgress))
	}
}

// TestBars checks that each stage is drawn at its time.
func TestBars(t *testing.T) {
	tn := &turnTiming{tier: "fast", ledger: table.Ledger{
		EndpointMS: 400, STTFinalMS: 100, BeginMS: 500, ContextMS: 4, LLMFirstTokenMS: 296, TTSFirstAudioMS: 200, FirstSoundMS: 1000, FirstSubstanceMS: 1000, TotalMS: 4000,
	}}
	const want = "```\n" +
		"end of speech █████            400 ms\n" +
		"transcript         █           100 ms\n" +
		"remembering         █          4 ms\n" +
		"model               ████       296 ms\n" +
		"voice                   ███    200 ms\n" +
		"answer                    ████ 3 s\n```"
	if got := tn.drawBars(English); got != want {
		t.Errorf("drawn\n%s\nwant\n%s", got, want)
	}
	if got := tn.drawBars(German); !strings.Contains(got, StageAnswer.In(German)) {
		t.Errorf("drawn\n%s\nwant German", got)
	}
}

// TestBarsFit checks that every ledger fits into lines that a phone does not wrap.
func TestBarsFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ms := rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(0, 1e9))
		tn := &turnTiming{tier: "fast", ledger: table.Ledger{
			EndpointMS: ms.Draw(t, "endpoint"), STTFinalMS: ms.Draw(t, "stt"), BeginMS: ms.Draw(t, "begin"), ContextMS: ms.Draw(t, "context"), LLMFirstTokenMS: ms.Draw(t, "llm"),
			TTSFirstAudioMS: ms.Draw(t, "tts"), FloorMS: ms.Draw(t, "floor"), FirstSoundMS: ms.Draw(t, "sound"), FirstSubstanceMS: ms.Draw(t, "substance"), TotalMS: ms.Draw(t, "total"),
		}}
		for line := range strings.Lines(tn.drawBars(English)) {
			if n := utf8.RuneCountInString(line); n > 60 {
				t.Fatalf("a line of %d characters does not fit on a phone: %q", n, line)
			}
		}
	})
}

// TestTimingFitsIntoAnAnswer draws a dozen of the longest lines.
func TestTimingFitsIntoAnAnswer(t *testing.T) {
	tn := &turnTiming{number: 1 << 62, npc: "Bartholomew the Barkeep of the Rusty Flagon", tier: "standard", outcome: table.OutcomeBarged, ledger: table.Ledger{
		EndpointMS: 59999, STTFinalMS: 59999, ContextMS: 59999, LLMFirstTokenMS: 59999, ToolMS: 59999, TTSFirstAudioMS: 59999, FloorMS: 59999,
		FirstSoundMS: 599999, TargetMS: 59999, TotalMS: 599999, Budget: "breached", BreachStage: "commit",
	}}
	lines := append([]string{tn.drawBars(English)}, slices.Repeat([]string{tn.describeTurn(English)}, maxTurns)...)
	parts := splitMessage(strings.Join(lines, "\n"), maxMessage)
	if len(parts) > maxAnswers {
		t.Errorf("%d messages, more than %d", len(parts), maxAnswers)
	}
	for _, part := range parts {
		for line := range strings.Lines(part) {
			if strings.HasPrefix(line, "…") || strings.Count(part, "```")%2 != 0 {
				t.Errorf("the drawing or a line is cut: %q", line)
			}
		}
	}
}
