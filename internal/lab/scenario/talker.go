package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/lab/s2stest"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// talker is the scripted speech-to-speech model: it gives the writer's answers
// in the stage's voices. It is safe for concurrent use.
type talker struct {
	scene  *Scene
	script S2S
	writer *writer
	rec    *record
	voice  *speaker
	// lineOf returns a player's last words within a time before a moment;
	// speaker may be empty.
	lineOf func(speaker string, by time.Time, spoken time.Duration) saidLine

	provider *s2stest.Provider

	mu       sync.Mutex // guards the fields below
	used     map[int]bool
	sessions map[int]string // the NPC of a session
	asked    map[int]heardLine
	open     map[int]bool // those neither closed nor ended
	from, to *audio.Resampler
}

// heardLine is a session's last input.
type heardLine struct {
	saidLine // without times if typed
	speaker  string
	unheard  bool // its answer was interrupted before any of it was heard
}

// goesOn is how long after an unanswered line its speaker can continue it.
const goesOn = 1500 * time.Millisecond

// newTalker returns a model with a provider that follows the scene.
func newTalker(s *Scene, w *writer, voice *speaker, lineOf func(string, time.Time, time.Duration) saidLine) *talker {
	k := &talker{
		scene: s, script: s.S2S, writer: w, rec: w.rec, voice: voice, lineOf: lineOf,
		used: map[int]bool{}, sessions: map[int]string{}, asked: map[int]heardLine{}, open: map[int]bool{},
	}
	k.provider = s2stest.New(s2stest.Options{
		Name: "script", Capabilities: s.S2S.capabilities(), Resumes: s.S2S.Capabilities.Resumes,
		Open: k.openSession, Answer: k.answer, Observe: k.observe,
	})
	return k
}

// pickFault returns the fault of a round of the answer to a line, or of opening
// a session, which is round 0.
func (k *talker) pickFault(line string, round int) S2SFault {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, f := range k.script.Faults {
		atOpening := f.Fault == faultRefused || f.Fault == faultUnreachable
		if atOpening != (round == 0) || round > 0 && (!contains(line, f.On) || max(f.Round, 1) != round) || f.Once && k.used[i] {
			continue
		}
		k.used[i] = true
		return f
	}
	return S2SFault{}
}

// npcOf returns the NPC whose instructions a session has.
func (k *talker) npcOf(instructions string) config.NPC {
	first, found := -1, config.NPC{Name: unknown}
	for _, n := range k.scene.NPCs {
		if i := strings.Index(instructions, n.Name); i >= 0 && (first < 0 || i < first) {
			first, found = i, n
		}
	}
	return found
}

// openSession scripts the beginning of a session.
func (k *talker) openSession(n int, o s2s.SessionOptions) s2stest.Opening {
	k.mu.Lock()
	k.sessions[n] = k.npcOf(o.Instructions).Name
	k.mu.Unlock()
	opening := s2stest.Opening{Takes: time.Duration(k.script.Opens)}
	if n := len(o.History); n > 0 && o.History[n-1].Role == llm.RoleUser {
		// A line without an answer gets one.
		npc := k.npcOf(o.Instructions)
		opening.Steps = s2stest.Say("old", oldText, k.sound(npc, oldText), k.script.Capabilities.OutputRate, k.script.Speed)
	}
	switch k.pickFault("", 0).Fault {
	case faultRefused:
		opening.Err = fmt.Errorf("%w: %w", s2s.ErrRejected, errScripted)
	case faultUnreachable:
		opening.Err = fmt.Errorf("%w: %w", s2s.ErrUnavailable, errScripted)
	}
	return opening
}

// observe records a note of the provider.
func (k *talker) observe(n s2stest.Note) {
	k.mu.Lock()
	npc := k.sessions[n.Session]
	switch n.Kind {
	case s2stest.Opened:
		k.open[n.Session] = true
	case s2stest.Closed, s2stest.Ended:
		delete(k.open, n.Session)
	}
	k.mu.Unlock()
	session := strconv.Itoa(n.Session)
	note := func(kind string, fields ...string) {
		k.rec.noteAt(n.At, kind, append(fields, "npc", npc, "session", session)...)
	}
	tools := strings.Join(slices.DeleteFunc(slices.Clone(n.Tools), isStaySilent), ", ")
	switch n.Kind {
	case s2stest.Opened:
		note(kindS2SOpened, "tools", tools, "history", strconv.Itoa(len(n.Options.History)), "resumed", strconv.FormatBool(n.Options.Resume != ""))
	case s2stest.Refused:
		note(kindS2SRefused, "text", n.Text)
	case s2stest.Closed:
		note(kindS2SClosed, "how", "closed")
	case s2stest.Ended:
		note(kindS2SClosed, "how", "ended", "text", n.Text)
	case s2stest.Committed:
		said := k.hearLine(n)
		note(kindS2SCommitted, "speaker", n.Response.Speaker, "text", said.text,
			"ms", millis(n.Sound), "lost_ms", millis(max(0, said.to.Sub(said.from)-n.Spoken)), "typed", strconv.FormatBool(n.Response.Text != ""), "tools", tools)
	case s2stest.Cleared:
		note(kindS2SCleared, "ms", millis(n.Sound))
	case s2stest.Interrupted:
		k.noteInterruption(n)
		note(kindS2SInterrupted, "ms", millis(n.Sound))
	case s2stest.ToolsSet:
		note(kindS2STools, "tools", tools)
	case s2stest.Generated:
		line := k.lineAsked(n.Session)
		k.rec.noteAt(n.At, kindAnswered, "npc", npc, "text", line, "role", roleAnswer, "how", strings.Replace(n.Text, "completed", "done", 1))
	case s2stest.Injected:
		for _, m := range n.Messages {
			note(kindS2SInjected, "text", m.Content)
		}
	case s2stest.Answered:
		note(kindS2SAnswered, "tool", n.Result.Name, "how", resultKind(n.Result), "text", n.Result.Text)
	case s2stest.Told:
		note(kindS2STold, "text", n.Text, "silent", strconv.FormatBool(n.Result.Silent))
	case s2stest.Violation:
		note(kindS2SViolation, "text", n.Text)
	}
}

// resultKind describes a tool's result.
func resultKind(r s2s.ToolResult) string {
	switch {
	case r.Silent:
		return "silent"
	case r.IsError:
		return "failed"
	}
	return "done"
}

func millis(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// hearLine records a session's new input, and returns its line: a player may
// have continued a line before its answer was heard.
func (k *talker) hearLine(n s2stest.Note) saidLine {
	h := heardLine{saidLine{text: n.Response.Text}, n.Response.Speaker, false}
	if h.text == "" {
		player := strings.TrimSuffix(strings.TrimSuffix(h.speaker, hotctx.PlayerMark), hotctx.LeaderMark)
		h.saidLine = k.lineOf(player, n.SpokenBy, n.Spoken)
	}
	now := h.saidLine
	k.mu.Lock()
	defer k.mu.Unlock()
	if last := k.asked[n.Session]; last.unheard && last.speaker == h.speaker && !h.from.IsZero() && h.from.Sub(last.to) < goesOn {
		h.text = joinWords(last.text, h.text)
	}
	k.asked[n.Session] = h
	return now
}

// noteInterruption records how much of an answer was heard.
func (k *talker) noteInterruption(n s2stest.Note) {
	k.mu.Lock()
	defer k.mu.Unlock()
	h := k.asked[n.Session]
	h.unheard = n.Sound == 0
	k.asked[n.Session] = h
}

// lineAsked returns a session's last input.
func (k *talker) lineAsked(session int) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.asked[session].text
}

// answer scripts a session's reaction to a request.
func (k *talker) answer(t s2stest.Turn) s2stest.Answer {
	npc, line := k.npcOf(t.Options.Instructions), k.lineAsked(t.Session)
	if k.script.Capabilities.Duplex {
		return k.voiceAnswer(npc, line, t)
	}
	results := make([]string, len(t.Results))
	for i, r := range t.Results {
		results[i] = r.Text
	}
	silence := slices.ContainsFunc(t.Tools, func(d llm.ToolDefinition) bool { return isStaySilent(d.Name) })
	tools := slices.DeleteFunc(slices.Clone(t.Tools), func(d llm.ToolDefinition) bool { return isStaySilent(d.Name) })
	k.rec.noteNow(kindAsked, "npc", npc.Name, "text", line, "role", roleAnswer, "round", strconv.Itoa(t.Round+1), "hurry", "false", "tools", toolNames(tools),
		"facts", factsOf(t), "results", strings.Join(results, "\n"))
	a := &composition{talker: k, npc: npc, fault: k.pickFault(line, t.Round+1), item: fmt.Sprintf("item-%d-%d-%d", t.Session, t.Number, t.Round)}
	if t.Round == 0 && t.Response.Text == "" {
		a.add(s2stest.Step{Tell: s2s.InputTranscript{Text: line, Final: true}})
	}
	r := k.writer.pickRound(line, npc.Name, t.Round, len(tools) > 0)
	if r.Declines && silence {
		r.Calls = []Call{{Tool: staySilent}}
	}
	a.compose(r)
	return a.Answer
}

// staySilent is the tool with which a session stays silent. It does not belong
// to the scene.
const staySilent = "stay_silent"

func isStaySilent(tool string) bool { return tool == staySilent }

// factsOf returns a session's knowledge besides persona and question.
func factsOf(t s2stest.Turn) string {
	facts := []string{t.Response.Context}
	for _, m := range t.Known {
		facts = append(facts, m.Content)
	}
	return strings.Join(facts, "\n")
}

// firstSound is the time to a round's first sound: that of the language model
// and the synthesiser, unless the script sets another.
func (k *talker) firstSound(r Round) time.Duration {
	if k.script.FirstSound > 0 && r.FirstToken == 0 {
		return time.Duration(k.script.FirstSound)
	}
	return orElse(time.Duration(r.FirstToken), time.Duration(k.scene.Model.FirstToken)) + time.Duration(k.scene.Voice.FirstSound)
}

// voiceAnswer scripts a voice that delegates.
func (k *talker) voiceAnswer(npc config.NPC, line string, t s2stest.Turn) s2stest.Answer {
	a := &composition{talker: k, npc: npc, item: fmt.Sprintf("item-%d-%d-%d", t.Session, t.Number, t.Round)}
	switch {
	case t.Told != nil && !t.Told.Silent:
		a.wait(k.firstSound(Round{}))
		a.speak(sentences(t.Told.Text))
	case t.Told == nil:
		if a.fault = k.pickFault(line, 1); a.fault.Fault == faultHang {
			return s2stest.Answer{Hangs: true}
		}
		id := fmt.Sprintf("delegation-%d-%d", t.Session, t.Number)
		a.add(s2stest.Step{Tell: s2s.InputTranscript{Text: line, Final: true}}, s2stest.Step{Tell: s2s.Delegated{ID: id}})
		if a.fault.Fault == faultTwice {
			a.wait(defaultTellsAgain)
			a.add(s2stest.Step{Tell: s2s.Delegated{ID: id}})
		}
	}
	return a.Answer
}

// sound synthesises a sentence at the model's rate, and registers it with the
// wire as it will leave the table.
func (k *talker) sound(npc config.NPC, text string) []int16 {
	id := k.voice.wire.addSentence(npc.Name, text)
	k.voice.wire.ownSentence(id)
	sound := tone(id, text)
	if k.voice.synth != nil {
		sound = marked(k.voice.ready[lineKey(npc, text)], id)
	}
	rate := k.script.Capabilities.OutputRate
	if rate == audio.SampleRate {
		k.voice.wire.learnSound(id, sound, true)
		return sound
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.from == nil {
		var err, err2 error
		k.from, err = audio.NewResampler(audio.SampleRate, rate)
		k.to, err2 = audio.NewResampler(rate, audio.SampleRate)
		if errors.Join(err, err2) != nil {
			return sound // the loader rejects such rates
		}
	}
	k.from.Reset()
	k.to.Reset()
	out := k.from.Flush(k.from.Process(nil, sound))
	k.voice.wire.learnSound(id, k.to.Flush(k.to.Process(nil, out)), true)
	return out
}

// leftOpen counts the sessions that were not closed.
func (k *talker) leftOpen() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.open)
}
