package terminal

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// screen shows a table's events as JSON lines or as text. It is safe for concurrent use.
type screen struct {
	json     bool
	terminal bool
	edited   bool // the input line is edited below the output
	colour   bool
	broken   chan struct{} // closed when a write fails
	nameOf   func(caller string) string

	mu      sync.Mutex // guards the fields below and the order of output
	out     io.Writer
	err     error         // the first write error; set by recordWriteError
	open    int           // turns that have not ended
	idle    chan struct{} // closed when open reaches 0
	turns   map[int64]*shown
	heard   map[string]int // utterances by speaker, of players with sound
	npc     string         // the NPC whose sentences are being written
	recent  []string
	pending bool // the cursor is behind a prompt
	timing  bool // show the timing after each answer
}

// shown is the text displayed about a turn when it ends.
type shown struct {
	tier  string
	tools []string // calls made in it
}

// maxLedgers bounds the turns that /ledger shows.
const maxLedgers = 10

// maxShownTools bounds the displayed calls of a turn.
const maxShownTools = 6

func newScreen(out io.Writer, asJSON, terminal bool) *screen {
	idle := make(chan struct{})
	close(idle)
	return &screen{nameOf: func(caller string) string { return caller }, json: asJSON, terminal: terminal && !asJSON, out: out, broken: make(chan struct{}), idle: idle, turns: map[int64]*shown{}, heard: map[string]int{}, timing: true}
}

// expectTurn counts a turn that is about to begin. It ends with its turn.ended event.
func (s *screen) expectTurn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.countTurn()
}

func (s *screen) countTurn() {
	if s.open == 0 {
		s.idle = make(chan struct{})
	}
	s.open++
}

// unexpectTurn undoes an expectTurn whose turn will not begin.
func (s *screen) unexpectTurn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uncountTurn()
}

func (s *screen) uncountTurn() {
	if s.open == 0 { // the line came from elsewhere, such as the web console
		return
	}
	if s.open--; s.open == 0 {
		close(s.idle)
	}
}

// awaitQuiet waits until every expected turn has ended. If ctx ends first, it returns nil, because the table
// then ends them.
func (s *screen) awaitQuiet(ctx context.Context) error {
	s.mu.Lock()
	idle := s.idle
	s.mu.Unlock()
	select {
	case <-idle:
		return s.writeError()
	case <-ctx.Done():
		return nil
	}
}

// writeError returns the first write error.
func (s *screen) writeError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return fmt.Errorf("writing the output: %w", s.err)
	}
	return nil
}

func (s *screen) printf(format string, args ...any) {
	if s.err != nil {
		return
	}
	if _, err := fmt.Fprintf(s.out, format, args...); err != nil {
		s.recordWriteError(err)
	}
}

func (s *screen) recordWriteError(err error) {
	if s.err == nil {
		s.err = err
		close(s.broken)
	}
}

// Emit implements table.Sink.
func (s *screen) Emit(e table.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if beginsUnasked(e) {
		s.countTurn()
	}
	if h, ok := e.(*table.Heard); ok && h.Spoken && !h.Continued {
		s.heard[h.Speaker]++
	}
	if s.json {
		raw, err := json.Marshal(e)
		if err != nil {
			s.recordWriteError(err)
			return
		}
		s.printf("%s\n", raw)
	} else {
		s.writeEvent(e)
	}
	if ended, ok := e.(*table.TurnEnded); ok {
		s.rememberLedger(ended)
		s.uncountTurn()
	}
}

// beginsUnasked reports whether an event begins a turn without a typed line: a player spoke, or a second NPC
// reacts.
func beginsUnasked(e table.Event) bool {
	switch e := e.(type) {
	case *table.Heard:
		return e.Spoken && !e.Continued
	case *table.TurnStarted:
		return e.Route == table.RouteReaction
	}
	return false
}

// utterancesOf returns the number of a player's utterances.
func (s *screen) utterancesOf(speaker string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heard[speaker]
}

// turnShown returns the text displayed about a turn.
func (s *screen) turnShown(e table.Event) *shown {
	n := table.HeaderOf(e).Turn
	if s.turns[n] == nil {
		s.turns[n] = &shown{}
	}
	return s.turns[n]
}

// writeEvent shows an event as text.
func (s *screen) writeEvent(e table.Event) {
	switch e := e.(type) {
	case *table.Heard:
		if e.Spoken && e.Text != "" {
			s.clearPrompt()
			s.endLine()
			s.printf("%s %s\n", s.paint(s.plain(e.Speaker)+":", paintPlayer), s.plain(e.Text))
		}
	case *table.TurnStarted:
		*s.turnShown(e) = shown{tier: e.Tier}
	case *table.ToolFinished:
		mark := ""
		if !e.OK {
			mark = " failed"
		}
		t := s.turnShown(e)
		t.tools = append(t.tools, e.Tool+mark+" "+mcp.MillisText(e.MS))
	case *table.Sentence:
		s.writeSentence(e.NPC, e.Text)
	case *table.CutSentence:
		s.writeSentence(e.NPC, e.Text)
	case *table.Filler:
		s.writeSentence(e.NPC, e.Text)
	case *table.Policy:
		s.writeNotice("info", describeStep(e, s.timing))
	case *table.Guarded:
		s.writeNotice("info", describeGuarded(e))
	case *table.ApprovalWaits, *table.ApprovalEnded:
		s.writeApproval(e)
	case *table.Notice:
		s.writeNotice(e.Level, e.Text)
	case *table.TurnEnded:
		s.showTurnEnd(e)
	}
}

// writeSentence writes a sentence, on the same line as the previous one if the same NPC said it.
func (s *screen) writeSentence(npc, text string) {
	s.clearPrompt()
	if s.npc != npc {
		s.endLine()
		s.printf("%s ", s.paintName(s.plain(npc)+":"))
		s.npc = npc
	} else {
		s.printf(" ")
	}
	s.printf("%s", s.plain(text))
}

// endLine ends the line of the current speaker.
func (s *screen) endLine() {
	if s.npc != "" {
		s.printf("\n")
		s.npc = ""
	}
}

func (s *screen) showTurnEnd(e *table.TurnEnded) {
	s.endLine()
	t := s.turnShown(e)
	delete(s.turns, e.Turn)
	switch e.Outcome {
	case table.OutcomeNoTarget:
		s.writeNotice("info", "that was not said to anyone; start with an NPC's name")
	case table.OutcomePassed:
		s.writeNotice("info", e.NPC+" did not think that was meant for them; start with the name to be sure")
	case table.OutcomeMuted:
		s.writeNotice("info", e.NPC+" is muted")
	default:
		s.clearPrompt()
		if s.timing {
			s.printf("%s\n", s.paint("  ["+strings.Join(describeTurn(t, e), " · ")+"]", paintFaint))
		} else if e.Outcome != table.OutcomeDelivered {
			s.printf("%s\n", s.paint(fmt.Sprintf("  [%s: %s]", s.plain(e.NPC), outcomeWord(e.Outcome)), paintFaint))
		}
	}
	s.writePrompt()
}

// describeTurn describes a turn that ended.
func describeTurn(t *shown, e *table.TurnEnded) []string {
	var parts []string
	if t.tier != "" {
		parts = append(parts, t.tier)
	}
	parts = append(parts, outcomeWord(e.Outcome))
	if e.Ledger.FirstSoundMS > 0 {
		parts = append(parts, "first sound "+mcp.MillisText(e.Ledger.FirstSoundMS))
	}
	parts = append(parts, "total "+mcp.MillisText(e.Ledger.TotalMS))
	tools := t.tools
	if n := len(tools) - maxShownTools; n > 0 {
		tools = append(tools[:maxShownTools:maxShownTools], fmt.Sprintf("and %d more", n))
	}
	if len(tools) > 0 {
		parts = append(parts, strings.Join(tools, ", "))
	}
	if e.Ledger.Budget != "met" {
		parts = append(parts, "late: "+stageWord(e.Ledger.BreachStage))
	}
	return parts
}

func (s *screen) writeNotice(level, text string) {
	s.clearPrompt()
	s.endLine()
	if level == "info" {
		s.printf("%s\n", s.paint("· "+text, paintFaint))
		return
	}
	s.printf("%s\n", s.paint("! "+text, paintWarning))
}

// showNotice shows a notice.
func (s *screen) showNotice(level, text string) {
	text = untrusted.Clean(text, 4000)
	if s.json {
		s.Emit(&table.Notice{Header: table.Header{Time: time.Now(), Kind: table.KindNotice}, Level: level, Text: text})
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending { // keep the line that is being typed
		s.printf("\n")
		s.pending = false
		defer s.writePrompt()
	}
	s.writeNotice(level, text)
}

// endOutput ends the last line.
func (s *screen) endOutput() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending {
		s.printf("\n")
		s.pending = false
	}
}

// showCast shows the NPCs at the table.
func (s *screen) showCast(name, scene string, status []table.Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if name != "" {
		s.printf("%s\n", s.paint(name, paintBold))
	}
	if scene != "" {
		s.printf("%s\n", strings.TrimSpace(scene))
	}
	var who []string
	for _, st := range status {
		who = append(who, fmt.Sprintf("%s (%s)", st.Name, st.Tier))
	}
	s.printf("At the table: %s\nSpeak to someone by name; /help shows the commands, /quit leaves.\n", strings.Join(who, ", "))
}

// showPrompt shows the prompt, unless an answer is in progress, whose end shows it.
func (s *screen) showPrompt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == 0 {
		s.writePrompt()
	}
}

func (s *screen) writePrompt() {
	if s.terminal && !s.pending {
		s.printf("> ")
		s.pending = true
	}
}

// recordEntered records that the prompt's line was entered.
func (s *screen) recordEntered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = false
}

// clearPrompt clears a pending prompt.
func (s *screen) clearPrompt() {
	if s.pending {
		s.printf("\r\x1b[K")
		s.pending = false
	}
}

// rememberLedger stores a turn's ledger for /ledger.
func (s *screen) rememberLedger(e *table.TurnEnded) {
	l := e.Ledger
	sound := "none"
	if l.FirstSoundMS > 0 {
		sound = mcp.MillisText(l.FirstSoundMS)
	}
	line := fmt.Sprintf("turn %d %s: route %.0f µs, context %s, first token %s, first sentence %s, tools %s (rounds: %d), first sound %s, total %s, budget %s",
		e.Turn, outcomeWord(e.Outcome), l.RouteUS, mcp.MillisText(l.ContextMS), mcp.MillisText(l.LLMFirstTokenMS), mcp.MillisText(l.LLMFirstSentenceMS), mcp.MillisText(l.ToolMS), l.ToolRounds,
		sound, mcp.MillisText(l.TotalMS), l.Budget)
	if l.BreachStage != "" {
		line += " (" + stageWord(l.BreachStage) + ")"
	}
	s.recent = append(s.recent, line)
	if len(s.recent) > maxLedgers {
		s.recent = s.recent[1:]
	}
}

// recentLedgers describes the latest turns, one per line.
func (s *screen) recentLedgers() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.recent) == 0 {
		return []string{"nobody has answered yet"}
	}
	return slices.Clone(s.recent)
}
