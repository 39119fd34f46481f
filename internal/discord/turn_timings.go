package discord

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// maxTurns bounds the turns shown.
const maxTurns = 12

// turnTimings records the stages of a session's latest turns. The zero value is empty. It is safe for
// concurrent use.
type turnTimings struct {
	mu         sync.Mutex            // guards the fields below
	inProgress map[int64]*turnTiming // turns in progress
	last       []*turnTiming         // the latest ended turns, which are immutable
}

// turnTiming is a turn with the times of its stages.
type turnTiming struct {
	number    int64
	npc, tier string // no tier if no NPC began to answer
	outcome   table.Outcome
	ledger    table.Ledger
	began     time.Time // when the player stopped speaking
	tools     []toolRun
}

// toolRun is the time span of a tool call.
type toolRun struct{ from, to time.Time }

// expectsAnswer reports whether a turn with this outcome should have had an answer.
func expectsAnswer(o table.Outcome) bool {
	return o != table.OutcomeNoTarget && o != table.OutcomeMuted && o != table.OutcomePassed
}

// metBudget reports whether a turn kept its budget.
func metBudget(l table.Ledger) bool { return l.Budget == "met" }

// recordEvent records an event of the table.
func (t *turnTimings) recordEvent(e table.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	h := table.HeaderOf(e)
	switch e := e.(type) {
	case *table.TurnStarted: // a second time if the player continued
		if t.inProgress == nil {
			t.inProgress = map[int64]*turnTiming{}
		}
		t.inProgress[h.Turn] = &turnTiming{tier: e.Tier}
	case *table.ToolFinished:
		if tn := t.inProgress[h.Turn]; tn != nil && len(tn.tools) < maxTools {
			tn.tools = append(tn.tools, toolRun{h.Time.Add(-mcp.DurationOf(e.MS)), h.Time})
		}
	case *table.TurnEnded:
		tn := t.inProgress[h.Turn]
		delete(t.inProgress, h.Turn)
		if !expectsAnswer(e.Outcome) {
			return
		}
		if tn == nil {
			tn = &turnTiming{}
		}
		tn.number, tn.npc, tn.outcome, tn.ledger = h.Turn, e.NPC, e.Outcome, e.Ledger
		tn.began = h.Time.Add(-mcp.DurationOf(e.Ledger.TotalMS))
		t.last = append(slices.Clone(t.last), tn) // readers may hold the old slice
		t.last = t.last[max(len(t.last)-maxTurns, 0):]
	}
}

// maxTools bounds the recorded tool calls of a turn.
const maxTools = 32

// turns returns the last turns, oldest first. The slice must not be changed.
func (t *turnTimings) turns() []*turnTiming {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}

// showTiming shows the timing of the latest turns: the stages of the last one as bars, and a line for each.
func showTiming(_ context.Context, c *call) (string, error) {
	r, err := c.runningSession()
	if err != nil {
		return "", err
	}
	last := r.status.timings.turns()
	if len(last) == 0 {
		return c.format(NoTurnYet, r.channel), nil
	}
	lines := []string{last[len(last)-1].drawBars(c.lang)}
	for _, tn := range last {
		lines = append(lines, tn.describeTurn(c.lang))
	}
	return strings.Join(lines, "\n"), nil
}

const (
	// barCells is the width of the bars in characters, so that a line fits on a phone.
	barCells = 16
	// maxBars bounds the number of bars. More stages, as of a turn with many tool calls, are left out.
	maxBars = 16
)

// drawBars draws the stages of a turn in a code block, one bar per line on a common time axis. The axis ends
// a quarter after the first sound, because the stages before it matter most; longer stages are cut off there.
func (tn *turnTiming) drawBars(l Language) string {
	spans := tn.stageSpans()
	end, wide := tn.ledger.FirstSoundMS*1.25, 0
	for _, s := range spans {
		if tn.ledger.FirstSoundMS == 0 {
			end = max(end, s.to)
		}
		wide = max(wide, utf8.RuneCountInString(stageWord(l, s.stage)))
	}
	slices.SortStableFunc(spans, func(a, b stageSpan) int { return cmp.Compare(a.from, b.from) })
	lines := []string{"```"}
	for _, s := range spans[:min(len(spans), maxBars)] {
		name := stageWord(l, s.stage)
		from := int(min(s.from/end*barCells, barCells-1))
		to := max(int(min(s.to/end, 1)*barCells+.5), from+1)
		lines = append(lines, name+strings.Repeat(" ", wide-utf8.RuneCountInString(name)+1+from)+strings.Repeat("█", to-from)+
			strings.Repeat(" ", barCells-to+1)+timeLabel(l, s.to-s.from))
	}
	return strings.Join(append(lines, "```"), "\n")
}

// timeLabel formats a duration in milliseconds in a few characters, such as "<1 ms", "963 ms", "1.2 s" or "12
// min", with the language's decimal separator.
func timeLabel(l Language, ms float64) string {
	switch d := mcp.DurationOf(ms); {
	case d <= 0:
		return "0"
	case d < time.Millisecond:
		return "<1 ms"
	case d < 999500*time.Microsecond:
		return fmt.Sprintf("%d ms", d.Round(time.Millisecond).Milliseconds())
	case d < 9950*time.Millisecond:
		return LocalDecimals(l, strings.Replace(fmt.Sprintf("%.1f s", d.Seconds()), ".0", "", 1))
	case d < 10*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	default:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
}

// describeTurn describes the turn in one line.
func (tn *turnTiming) describeTurn(l Language) string {
	led := tn.ledger
	name, mark := clipText(escapeMarkup(tn.npc), maxRow), "❌"
	if tn.tier != "" {
		name += ", " + TierWord(tn.tier).In(l)
	}
	if metBudget(led) {
		mark = "✅"
	}
	ended := []string{NoWords.In(l)}
	label := func(ms float64) string { return timeLabel(l, ms) }
	switch first := label(led.FirstSoundMS); {
	case led.FirstSoundMS > 0 && led.TargetMS > 0:
		ended[0] = FirstWordsOf.In(l, first, label(led.TargetMS))
	case led.FirstSoundMS > 0:
		ended[0] = FirstWords.In(l, first)
	}
	if note := tn.describeEnd(l); note != "" {
		ended = append(ended, note)
	}
	var stages []string
	for _, s := range []struct {
		name string
		ms   float64
	}{
		{"endpoint", led.EndpointMS}, {"stt", led.STTFinalMS}, {"context", led.ContextMS}, {"llm", led.LLMFirstTokenMS},
		{"writing", led.LLMFirstSentenceMS}, {"tool", led.ToolMS}, {"tts", led.TTSFirstAudioMS}, {"floor", led.FloorMS},
	} {
		if s.ms >= 1 {
			stages = append(stages, stageWord(l, s.name)+" "+label(s.ms))
		}
	}
	stages = append(stages, InAll.In(l, label(led.TotalMS)))
	return fmt.Sprintf("#%d %s: %s %s — %s", tn.number, name, mark, strings.Join(ended, ", "), strings.Join(stages, ", "))
}

// describeEnd describes why a turn was late or failed.
func (tn *turnTiming) describeEnd(l Language) string {
	late := ""
	stage := stageWord(l, tn.ledger.BreachStage)
	if stage != "" {
		late = LateBy.In(l, stage)
	}
	switch tn.outcome {
	case table.OutcomeBarged:
		return strings.TrimPrefix(late+", "+WasInterrupted.In(l), ", ")
	case table.OutcomeCancelled:
		return strings.TrimSuffix(GivenUp.In(l, stage), ": ")
	case table.OutcomeFailed:
		return strings.TrimSuffix(HasFailed.In(l, stage), ": ")
	}
	return late
}

// stageWord returns a readable name of a stage.
func stageWord(l Language, stage string) string {
	if word, ok := stageWords[stage]; ok {
		return word.In(l)
	}
	return stage
}

var stageWords = map[string]Text{
	"endpoint": StageEndpoint, "stt": StageTranscript, "queue": StageQueue, "route": StageRoute, "context": StageContext,
	"llm": StageModel, "writing": StageWriting, "tool": StageTools, "tts": StageVoice, "floor": StageFloor,
	"commit": StageCommit, "playback": StagePlayback, "filler": StageFiller, "answer": StageAnswer,
}

// stageSpan is the time span of a stage, in milliseconds since the player stopped speaking.
type stageSpan struct {
	stage    string // a key of stageWords
	from, to float64
}

// stageSpans returns the time spans of the turn's stages.
func (tn *turnTiming) stageSpans() []stageSpan {
	l := tn.ledger
	var out []stageSpan
	add := func(stage string, from, to float64) {
		if to > from {
			out = append(out, stageSpan{stage, max(from, 0), to})
		}
	}
	known := l.EndpointMS + l.STTFinalMS // when the words were known
	add("endpoint", 0, l.EndpointMS)
	add("stt", l.EndpointMS, known)
	if tn.tier == "" { // no NPC began to answer
		if l.BreachStage == "queue" {
			add("queue", known, l.TotalMS)
		}
		return out
	}
	route := l.RouteUS / 1000
	if l.BeginMS >= known+route {
		add("queue", known, l.BeginMS-route)
		add("route", l.BeginMS-route, l.BeginMS)
	} else { // the answer was started from a guess
		add("route", known, known+route)
	}
	for _, t := range tn.tools {
		add("tool", mcp.Millis(t.from.Sub(tn.began)), mcp.Millis(t.to.Sub(tn.began)))
	}
	tn.addThinking(add)
	tn.addSpeaking(add)
	return out
}

// addThinking adds the stages before the answer. The ledger has no time of a stage that was not completed;
// such a stage lasted until the turn was given up.
func (tn *turnTiming) addThinking(add func(stage string, from, to float64)) {
	l := tn.ledger
	until := l.TotalMS
	if l.FirstSoundMS > 0 { // an excuse instead of an answer
		until = l.FirstSoundMS - l.FloorMS - l.TTSFirstAudioMS
	}
	asked := l.BeginMS + l.ContextMS
	switch {
	case l.BreachStage == "context" && l.ContextMS == 0:
		add("context", l.BeginMS, until)
	case l.BreachStage == "llm" && l.LLMFirstTokenMS == 0:
		add("context", l.BeginMS, asked)
		add("llm", asked, until)
	default:
		add("context", l.BeginMS, asked)
		add("llm", asked, asked+l.LLMFirstTokenMS)
		if wrote := asked + l.LLMFirstTokenMS; l.ToolRounds == 0 { // otherwise tool calls came in between
			add("writing", wrote, wrote+l.LLMFirstSentenceMS)
		}
	}
}

// voiceSpan returns when the voice produced the first sound: just before it was played, or earlier for an
// answer from a guess.
func (tn *turnTiming) voiceSpan() (begin, end float64) {
	l := tn.ledger
	end = l.FirstSoundMS - l.FloorMS
	if begin = end - l.TTSFirstAudioMS; l.TTSFirstAudioMS > 0 && l.ToolRounds == 0 && begin < l.EndpointMS+l.STTFinalMS {
		begin = l.BeginMS + l.ContextMS + l.LLMFirstTokenMS + l.LLMFirstSentenceMS
		end = begin + l.TTSFirstAudioMS
	}
	return begin, end
}

// addSpeaking adds the stages of speaking. A stock phrase may precede the answer.
func (tn *turnTiming) addSpeaking(add func(stage string, from, to float64)) {
	l := tn.ledger
	first := l.FirstSoundMS
	if first == 0 {
		return
	}
	begin, end := tn.voiceSpan()
	add("tts", begin, end)
	add("floor", first-l.FloorMS, first)
	answer := l.FirstSubstanceMS
	if answer == 0 {
		answer = l.TotalMS
	}
	add("filler", first, answer)
	add("answer", answer, l.TotalMS)
}
