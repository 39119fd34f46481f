package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// screen shows a table's events: as JSON lines, or in words. It is safe for
// concurrent use.
type screen struct {
	json     bool
	terminal bool

	mu      sync.Mutex // guards the fields below and the order of output
	out     io.Writer
	err     error         // the first failed write
	open    int           // turns that have not ended
	idle    chan struct{} // closed when open falls to 0
	tier    string        // of the running turn
	tools   []string      // called in it
	npc     string        // whose sentences are being written
	recent  []string
	pending bool // a prompt stands on the line
}

// maxLedgers is how many turns /ledger shows.
const maxLedgers = 10

// maxShownTools is how many calls of a turn are shown.
const maxShownTools = 6

func newScreen(out io.Writer, asJSON, terminal bool) *screen {
	return &screen{json: asJSON, terminal: terminal && !asJSON, out: out, idle: closed()}
}

func closed() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// expect counts a turn that is about to come; it ends with its turn.ended.
func (s *screen) expect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == 0 {
		s.idle = make(chan struct{})
	}
	s.open++
}

// unexpect takes back an expect whose turn will not come.
func (s *screen) unexpect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended()
}

func (s *screen) ended() {
	if s.open--; s.open == 0 {
		close(s.idle)
	}
}

// quiet waits until every expected turn has ended. When ctx ends it returns
// nil: the table then ends them.
func (s *screen) quiet(ctx context.Context) error {
	s.mu.Lock()
	idle := s.idle
	s.mu.Unlock()
	select {
	case <-idle:
		return s.failure()
	case <-ctx.Done():
		return nil
	}
}

// failure is the first write that failed.
func (s *screen) failure() error {
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
	_, s.err = fmt.Fprintf(s.out, format, args...)
}

// Emit implements table.Sink.
func (s *screen) Emit(e table.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.json {
		raw, err := json.Marshal(e)
		if err != nil {
			s.err = err
			return
		}
		s.printf("%s\n", raw)
	} else {
		s.tell(e)
	}
	if ended, ok := e.(*table.TurnEnded); ok {
		s.remember(ended)
		s.ended()
	}
}

// tell puts an event into words.
func (s *screen) tell(e table.Event) {
	switch e := e.(type) {
	case *table.TurnStarted:
		s.tier, s.tools = e.Tier, nil
	case *table.ToolFinished:
		mark := ""
		if !e.OK {
			mark = " failed"
		}
		s.tools = append(s.tools, e.Tool+mark+" "+span(e.MS))
	case *table.Sentence:
		s.clearPrompt()
		if s.npc != e.NPC {
			s.printf("%s: ", e.NPC)
			s.npc = e.NPC
		} else {
			s.printf(" ")
		}
		s.printf("%s", e.Text)
	case *table.Notice:
		s.say(e.Level, e.Text)
	case *table.TurnEnded:
		s.finish(e)
	}
}

func (s *screen) finish(e *table.TurnEnded) {
	if s.npc != "" {
		s.printf("\n")
		s.npc = ""
	}
	switch e.Outcome {
	case table.OutcomeNoTarget:
		s.say("info", "nobody was spoken to; begin with a name")
	case table.OutcomeMuted:
		s.say("info", e.NPC+" is muted")
	default:
		s.clearPrompt()
		line := fmt.Sprintf("  [%s · %s · first sound %s · total %s", s.tier, e.Outcome, span(e.Ledger.FirstSoundMS), span(e.Ledger.TotalMS))
		if n := len(s.tools) - maxShownTools; n > 0 {
			s.tools = append(s.tools[:maxShownTools], fmt.Sprintf("and %d more", n))
		}
		if len(s.tools) > 0 {
			line += " · " + strings.Join(s.tools, ", ")
		}
		if e.Ledger.Budget != "met" {
			line += " · over budget: " + e.Ledger.BreachStage
		}
		s.printf("%s]\n", line)
	}
	s.writePrompt()
}

func (s *screen) say(level, text string) {
	s.clearPrompt()
	if s.npc != "" {
		s.printf("\n")
		s.npc = ""
	}
	if level == "info" {
		s.printf("· %s\n", text)
		return
	}
	s.printf("! %s\n", text)
}

// notice shows something outside the story.
func (s *screen) notice(level, text string) {
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
	s.say(level, text)
}

// leave ends the last line.
func (s *screen) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending {
		s.printf("\n")
		s.pending = false
	}
}

// span prints milliseconds for people.
func span(ms float64) string {
	switch {
	case ms < 10:
		return fmt.Sprintf("%.2g ms", ms)
	case ms < 10_000:
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.1f s", ms/1000)
}

// cast shows who is at the table.
func (s *screen) cast(name, scene string, status []table.Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if name != "" {
		s.printf("%s\n", name)
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

// prompt shows that a human may type, unless an answer is on its way: its end
// brings the prompt.
func (s *screen) prompt() {
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

// entered notes that the human ended the prompt's line.
func (s *screen) entered() {
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

// remember keeps a turn's ledger for /ledger.
func (s *screen) remember(e *table.TurnEnded) {
	l := e.Ledger
	line := fmt.Sprintf("turn %d %s: route %.0f µs, context %s, first token %s, tools %s (rounds: %d), first sound %s, total %s, budget %s",
		e.Turn, e.Outcome, l.RouteUS, span(l.ContextMS), span(l.LLMFirstTokenMS), span(l.ToolMS), l.ToolRounds,
		span(l.FirstSoundMS), span(l.TotalMS), l.Budget)
	if l.BreachStage != "" {
		line += " (" + l.BreachStage + ")"
	}
	s.recent = append(s.recent, line)
	if len(s.recent) > maxLedgers {
		s.recent = s.recent[1:]
	}
}

// ledger lists the latest turns, a line each.
func (s *screen) ledger() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.recent) == 0 {
		return []string{"no turn has ended yet"}
	}
	return slices.Clone(s.recent)
}
