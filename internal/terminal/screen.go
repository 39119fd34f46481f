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

// screen shows a table's events: as JSON lines, or in words. It is safe for
// concurrent use.
type screen struct {
	json     bool
	terminal bool
	edited   bool // lines are edited below what is shown
	colour   bool
	broken   chan struct{} // closed when a write failed
	nameOf   func(caller string) string

	mu      sync.Mutex // guards the fields below and the order of output
	out     io.Writer
	err     error         // the first failed write; set by noteWriteError
	open    int           // turns that have not ended
	idle    chan struct{} // closed when open falls to 0
	turns   map[int64]*shown
	heard   map[string]int // utterances by speaker, of those who are heard
	npc     string         // whose sentences are being written
	recent  []string
	pending bool // a prompt stands on the line
	timing  bool // how long it took is shown behind each answer
}

// shown is what is told of a turn when it ends.
type shown struct {
	tier  string
	tools []string // called in it
}

// maxLedgers is how many turns /ledger shows.
const maxLedgers = 10

// maxShownTools is how many calls of a turn are shown.
const maxShownTools = 6

func newScreen(out io.Writer, asJSON, terminal bool) *screen {
	idle := make(chan struct{})
	close(idle)
	return &screen{nameOf: func(caller string) string { return caller }, json: asJSON, terminal: terminal && !asJSON, out: out, broken: make(chan struct{}), idle: idle, turns: map[int64]*shown{}, heard: map[string]int{}, timing: true}
}

// expectTurn counts a turn that is about to come; it ends with its turn.ended.
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

// unexpectTurn takes back an expectTurn whose turn will not come.
func (s *screen) unexpectTurn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uncountTurn()
}

func (s *screen) uncountTurn() {
	if s.open == 0 { // of a line that came from elsewhere, such as the console
		return
	}
	if s.open--; s.open == 0 {
		close(s.idle)
	}
}

// awaitQuiet waits until every expected turn has ended. When ctx ends it returns
// nil: the table then ends them.
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

// writeError is the first write that failed.
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
		s.noteWriteError(err)
	}
}

func (s *screen) noteWriteError(err error) {
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
			s.noteWriteError(err)
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

// beginsUnasked reports whether an event begins a turn that nobody typed a line for:
// a player was heard, or a second NPC reacts.
func beginsUnasked(e table.Event) bool {
	switch e := e.(type) {
	case *table.Heard:
		return e.Spoken && !e.Continued
	case *table.TurnStarted:
		return e.Route == table.RouteReaction
	}
	return false
}

// utterancesOf returns how many utterances were heard of a player.
func (s *screen) utterancesOf(speaker string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heard[speaker]
}

// turnShown returns what is told of a turn.
func (s *screen) turnShown(e table.Event) *shown {
	n := table.HeaderOf(e).Turn
	if s.turns[n] == nil {
		s.turns[n] = &shown{}
	}
	return s.turns[n]
}

// writeEvent puts an event into words.
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
		s.writeNotice("info", fmt.Sprintf("%s: %s (%s)", e.NPC, e.Reason, strings.ReplaceAll(e.Step, "_", " ")))
	case *table.Guarded:
		s.writeNotice("info", fmt.Sprintf("%s was kept from saying something (%s)", e.NPC, strings.ReplaceAll(e.Reason, "_", " ")))
	case *table.ApprovalWaits, *table.ApprovalEnded:
		s.writeApproval(e)
	case *table.Notice:
		s.writeNotice(e.Level, e.Text)
	case *table.TurnEnded:
		s.showTurnEnd(e)
	}
}

// writeSentence writes a sentence, behind the last one if the same NPC said that.
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

// endLine ends the line of whoever spoke.
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
		s.writeNotice("info", "nobody was spoken to; begin with a name")
	case table.OutcomePassed:
		s.writeNotice("info", e.NPC+" does not take that as said to them; begin with the name to be sure")
	case table.OutcomeMuted:
		s.writeNotice("info", e.NPC+" is muted")
	default:
		s.clearPrompt()
		if s.timing {
			s.printf("%s\n", s.paint("  ["+strings.Join(describeTurn(t, e), " · ")+"]", paintFaint))
		} else if e.Outcome != table.OutcomeDelivered {
			s.printf("%s\n", s.paint(fmt.Sprintf("  [%s: %s]", s.plain(e.NPC), e.Outcome), paintFaint))
		}
	}
	s.writePrompt()
}

// describeTurn is what is told of a turn that ended; what did not happen is left out.
func describeTurn(t *shown, e *table.TurnEnded) []string {
	var parts []string
	if t.tier != "" {
		parts = append(parts, t.tier)
	}
	parts = append(parts, string(e.Outcome))
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
		parts = append(parts, "over budget: "+e.Ledger.BreachStage)
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

// showNotice shows something outside the story.
func (s *screen) showNotice(level, text string) {
	text = untrusted.Clean(text, 4000)
	if s.json {
		s.Emit(&table.Notice{Header: table.Header{Time: time.Now(), Kind: table.KindNotice}, Level: level, Text: text})
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending { // somebody may be typing: leave that line alone
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

// showCast shows who is at the table.
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

// showPrompt shows that a human may type, unless an answer is on its way: its end
// brings the prompt.
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

// noteEntered notes that the human ended the prompt's line.
func (s *screen) noteEntered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = false
}

// clearPrompt begins a fresh line if a prompt stands there.
func (s *screen) clearPrompt() {
	if s.pending {
		s.printf("\r\x1b[K")
		s.pending = false
	}
}

// rememberLedger keeps a turn's ledger for /ledger.
func (s *screen) rememberLedger(e *table.TurnEnded) {
	l := e.Ledger
	sound := "none"
	if l.FirstSoundMS > 0 {
		sound = mcp.MillisText(l.FirstSoundMS)
	}
	line := fmt.Sprintf("turn %d %s: route %.0f µs, context %s, first token %s, first sentence %s, tools %s (rounds: %d), first sound %s, total %s, budget %s",
		e.Turn, e.Outcome, l.RouteUS, mcp.MillisText(l.ContextMS), mcp.MillisText(l.LLMFirstTokenMS), mcp.MillisText(l.LLMFirstSentenceMS), mcp.MillisText(l.ToolMS), l.ToolRounds,
		sound, mcp.MillisText(l.TotalMS), l.Budget)
	if l.BreachStage != "" {
		line += " (" + l.BreachStage + ")"
	}
	s.recent = append(s.recent, line)
	if len(s.recent) > maxLedgers {
		s.recent = s.recent[1:]
	}
}

// recentLedgers lists the latest turns, a line each.
func (s *screen) recentLedgers() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.recent) == 0 {
		return []string{"no turn has ended yet"}
	}
	return slices.Clone(s.recent)
}
