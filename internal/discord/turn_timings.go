package discord

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/discord/markup"
	"github.com/MrWong99/glyphoxa/internal/discord/waterfall"
	"github.com/MrWong99/glyphoxa/internal/discord/wording"
	"github.com/MrWong99/glyphoxa/internal/elapsed"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// turnTimings are where the time of the last turns of a session went. The zero value
// has none. It is safe for concurrent use.
type turnTimings struct {
	mu    sync.Mutex            // guards the fields below
	begun map[int64]*turnTiming // turns that have not ended
	last  []*turnTiming         // of those that have; they do not change any more
	ended int                   // how many have

	drawing sync.Mutex // guards pictures
	// pictures are of the last turns, by the language of their words.
	pictures [len(wording.Languages)]picture
}

// picture is a picture of the last turns when so many had ended.
type picture struct {
	png   []byte
	ended int
}

// turnTiming is a turn, and when it did what.
type turnTiming struct {
	number    int64
	npc, tier string // no tier if nobody began to answer
	outcome   table.Outcome
	ledger    table.Ledger
	began     time.Time // the end of the player's words
	tools     []toolRun
}

// toolRun is when a tool was at work.
type toolRun struct{ from, to time.Time }

// wantsAnswer reports whether a turn that ended so should have been answered.
func wantsAnswer(o table.Outcome) bool {
	return o != table.OutcomeNoTarget && o != table.OutcomeMuted && o != table.OutcomePassed
}

// metBudget reports whether a turn kept its budget.
func metBudget(l table.Ledger) bool { return l.Budget == "met" }

// noteEvent takes in an event of the table.
func (t *turnTimings) noteEvent(e table.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	h := table.HeaderOf(e)
	switch e := e.(type) {
	case *table.TurnStarted: // for the second time if the player had more to say
		if t.begun == nil {
			t.begun = map[int64]*turnTiming{}
		}
		t.begun[h.Turn] = &turnTiming{tier: e.Tier}
	case *table.ToolFinished:
		if tn := t.begun[h.Turn]; tn != nil && len(tn.tools) < maxTools {
			tn.tools = append(tn.tools, toolRun{h.Time.Add(-elapsed.Duration(e.MS)), h.Time})
		}
	case *table.TurnEnded:
		tn := t.begun[h.Turn]
		delete(t.begun, h.Turn)
		if !wantsAnswer(e.Outcome) {
			return
		}
		if tn == nil {
			tn = &turnTiming{}
		}
		tn.number, tn.npc, tn.outcome, tn.ledger = h.Turn, e.NPC, e.Outcome, e.Ledger
		tn.began = h.Time.Add(-elapsed.Duration(e.Ledger.TotalMS))
		t.ended++
		t.last = append(slices.Clone(t.last), tn) // others may be reading it
		t.last = t.last[max(len(t.last)-waterfall.MaxTurns, 0):]
	}
}

// maxTools bounds the tools that are kept of a turn.
const maxTools = 32

// drawTurns returns the last turns and a picture of them in the words of a language,
// which is drawn anew only if there are others: many may ask at once.
func (t *turnTimings) drawTurns(l wording.Language) ([]*turnTiming, []byte, error) {
	t.drawing.Lock()
	defer t.drawing.Unlock()
	t.mu.Lock()
	last, ended := t.last, t.ended
	t.mu.Unlock()
	p := &t.pictures[l]
	if len(last) == 0 || ended == p.ended {
		return last, p.png, nil
	}
	var turns []waterfall.Turn
	for _, tn := range last {
		turns = append(turns, tn.waterfallTurn(l))
	}
	var out bytes.Buffer
	if err := waterfall.PNG(&out, turns, pictureWords(l)); err != nil {
		return nil, nil, fmt.Errorf("drawing the last turns: %w", err)
	}
	*p = picture{out.Bytes(), ended}
	return last, p.png, nil
}

// showTiming shows where the time of the last turns went, in a picture and in
// words.
func showTiming(_ context.Context, c *call) (string, error) {
	r, err := c.runningSession()
	if err != nil {
		return "", err
	}
	last, picture, err := r.status.timings.drawTurns(c.lang)
	if err != nil {
		return "", err
	}
	if len(last) == 0 {
		return c.say(wording.NoTurnYet, r.channel), nil
	}
	c.attachFile("timing.png", picture)
	var lines []string
	for _, tn := range last {
		lines = append(lines, tn.describeTurn(c.lang))
	}
	return strings.Join(lines, "\n"), nil
}

// pictureWords are the words of a picture in a language.
func pictureWords(l wording.Language) *waterfall.Words {
	w := &waterfall.Words{
		Turn: wording.PictureOfOne.In(l), Turns: wording.PictureOfMany.In(l), Since: wording.PictureSince.In(l), Target: wording.PictureTarget.In(l),
		Of: wording.PictureOf.In(l), NoAnswer: wording.PictureNothing.In(l), Comma: l == wording.German,
	}
	for stage, word := range map[waterfall.Stage]wording.Text{
		waterfall.Endpoint: wording.StageEndpoint, waterfall.Transcript: wording.StageTranscript, waterfall.Queue: wording.StageQueue,
		waterfall.Route: wording.StageRoute, waterfall.Context: wording.StageContext, waterfall.Model: wording.StageModel,
		waterfall.Writing: wording.StageWriting, waterfall.Tools: wording.StageTools, waterfall.Voice: wording.StageVoice,
		waterfall.Floor: wording.StageFloor, waterfall.Filler: wording.StageFiller, waterfall.Answer: wording.StageAnswer,
	} {
		w.Stages[stage] = word.In(l)
	}
	return w
}

// waterfallTurn is the turn as it is drawn.
func (tn *turnTiming) waterfallTurn(l wording.Language) waterfall.Turn {
	tier := "" // nobody began to answer
	if tn.tier != "" {
		tier = wording.TierWord(tn.tier).In(l)
	}
	return waterfall.Turn{
		Number: tn.number, NPC: tn.npc, Tier: tier, Spans: tn.stageSpans(),
		Target: elapsed.Duration(tn.ledger.TargetMS), First: elapsed.Duration(tn.ledger.FirstSoundMS), Met: metBudget(tn.ledger), Note: tn.describeEnd(l),
	}
}

// describeTurn is the turn in one line.
func (tn *turnTiming) describeTurn(l wording.Language) string {
	led := tn.ledger
	name, mark := markup.Clip(markup.Escape(tn.npc), maxRow), "❌"
	if tn.tier != "" {
		name += ", " + wording.TierWord(tn.tier).In(l)
	}
	if metBudget(led) {
		mark = "✅"
	}
	ended := []string{wording.NoWords.In(l)}
	label := func(ms float64) string { return wording.Decimals(l, waterfall.Label(elapsed.Duration(ms))) }
	switch first := label(led.FirstSoundMS); {
	case led.FirstSoundMS > 0 && led.TargetMS > 0:
		ended[0] = wording.FirstWordsOf.In(l, first, label(led.TargetMS))
	case led.FirstSoundMS > 0:
		ended[0] = wording.FirstWords.In(l, first)
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
	stages = append(stages, wording.InAll.In(l, label(led.TotalMS)))
	return fmt.Sprintf("#%d %s: %s %s — %s", tn.number, name, mark, strings.Join(ended, ", "), strings.Join(stages, ", "))
}

// describeEnd says how a turn ended that did not end well.
func (tn *turnTiming) describeEnd(l wording.Language) string {
	late := ""
	stage := stageWord(l, tn.ledger.BreachStage)
	if stage != "" {
		late = wording.LateBy.In(l, stage)
	}
	switch tn.outcome {
	case table.OutcomeBarged:
		return strings.TrimPrefix(late+", "+wording.WasInterrupted.In(l), ", ")
	case table.OutcomeCancelled:
		return strings.TrimSuffix(wording.GivenUp.In(l, stage), ": ")
	case table.OutcomeFailed:
		return strings.TrimSuffix(wording.HasFailed.In(l, stage), ": ")
	}
	return late
}

// stageWord is a stage of the ledger as people read it.
func stageWord(l wording.Language, stage string) string {
	if word, ok := stageWords[stage]; ok {
		return word.In(l)
	}
	return stage
}

var stageWords = map[string]wording.Text{
	"endpoint": wording.StageEndpoint, "stt": wording.StageTranscript, "queue": wording.StageQueue, "route": wording.StageRoute, "context": wording.StageContext,
	"llm": wording.StageModel, "writing": wording.StageWriting, "tool": wording.StageTools, "tts": wording.StageVoice, "floor": wording.StageFloor,
	"commit": wording.StageCommit, "playback": wording.StagePlayback,
}

// stageSpans are when the stages of the turn were at work.
func (tn *turnTiming) stageSpans() []waterfall.Span {
	l := tn.ledger
	var out []waterfall.Span
	add := func(stage waterfall.Stage, from, to float64) {
		if to > from {
			out = append(out, waterfall.Span{Stage: stage, From: elapsed.Duration(from), To: elapsed.Duration(to)})
		}
	}
	known := l.EndpointMS + l.STTFinalMS // when the words were
	add(waterfall.Endpoint, 0, l.EndpointMS)
	add(waterfall.Transcript, l.EndpointMS, known)
	if tn.tier == "" { // nobody began to answer
		if l.BreachStage == "queue" {
			add(waterfall.Queue, known, l.TotalMS)
		}
		return out
	}
	route := l.RouteUS / 1000
	if l.BeginMS >= known+route {
		add(waterfall.Queue, known, l.BeginMS-route)
		add(waterfall.Route, l.BeginMS-route, l.BeginMS)
	} else { // the words were guessed
		add(waterfall.Route, known, known+route)
	}
	for _, t := range tn.tools {
		out = append(out, waterfall.Span{Stage: waterfall.Tools, From: t.from.Sub(tn.began), To: t.to.Sub(tn.began)})
	}
	tn.addThinking(add)
	tn.addSpeaking(add)
	return out
}

// addThinking adds when the answer was being found. Of a stage that did not come to
// its end the ledger has no time: it was at work until the turn was given up.
func (tn *turnTiming) addThinking(add func(stage waterfall.Stage, from, to float64)) {
	l := tn.ledger
	until := l.TotalMS
	if l.FirstSoundMS > 0 { // an excuse, in place of an answer
		until = l.FirstSoundMS - l.FloorMS - l.TTSFirstAudioMS
	}
	asked := l.BeginMS + l.ContextMS
	switch {
	case l.BreachStage == "context" && l.ContextMS == 0:
		add(waterfall.Context, l.BeginMS, until)
	case l.BreachStage == "llm" && l.LLMFirstTokenMS == 0:
		add(waterfall.Context, l.BeginMS, asked)
		add(waterfall.Model, asked, until)
	default:
		add(waterfall.Context, l.BeginMS, asked)
		add(waterfall.Model, asked, asked+l.LLMFirstTokenMS)
		if wrote := asked + l.LLMFirstTokenMS; l.ToolRounds == 0 { // else tools came in between
			add(waterfall.Writing, wrote, wrote+l.LLMFirstSentenceMS)
		}
	}
}

// voiceSpan is when the voice worked on what was heard first: just before it was heard,
// or while the words it answers were not known yet.
func (tn *turnTiming) voiceSpan() (begin, end float64) {
	l := tn.ledger
	end = l.FirstSoundMS - l.FloorMS
	if begin = end - l.TTSFirstAudioMS; l.TTSFirstAudioMS > 0 && l.ToolRounds == 0 && begin < l.EndpointMS+l.STTFinalMS {
		begin = l.BeginMS + l.ContextMS + l.LLMFirstTokenMS + l.LLMFirstSentenceMS
		end = begin + l.TTSFirstAudioMS
	}
	return begin, end
}

// addSpeaking adds when the answer was said. A stock phrase may have come before it.
func (tn *turnTiming) addSpeaking(add func(stage waterfall.Stage, from, to float64)) {
	l := tn.ledger
	first := l.FirstSoundMS
	if first == 0 {
		return
	}
	begin, end := tn.voiceSpan()
	add(waterfall.Voice, begin, end)
	add(waterfall.Floor, first-l.FloorMS, first)
	answer := l.FirstSubstanceMS
	if answer == 0 {
		answer = l.TotalMS
	}
	add(waterfall.Filler, first, answer)
	add(waterfall.Answer, answer, l.TotalMS)
}
