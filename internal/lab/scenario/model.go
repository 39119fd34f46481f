package scenario

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// spare is the model's answer after the end of the script.
const spare = "Aye."

// writer is the scripted language model. It implements llm.Provider.
type writer struct {
	script Model
	npcs   []config.NPC
	rec    *record

	mu   sync.Mutex     // guards used
	used map[int]string // the line that used up each reply without On
}

func (*writer) Name() string { return "script" }

// Stream implements llm.Provider.
func (w *writer) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		line, number := playerLine(req)
		fields := []string{"npc", req.Persona.Name, "text", line, "role", roleAnswer}
		w.rec.noteNow(kindAsked, append(fields, "round", strconv.Itoa(number+1), "hurry", strconv.FormatBool(req.Hurry), "tools", toolNames(req.Tools), "facts", factsIn(req), "results", resultsIn(req))...)
		how := "done"
		r := w.pickRound(line, req.Persona.Name, number, len(req.Tools) > 0)
		if last := req.Messages[len(req.Messages)-1]; last.Role == llm.RoleSystem && strings.HasPrefix(last.Content, engine.WithheldNotice) {
			reply, _ := w.pickReply(line, req.Persona.Name)
			r = Round{Says: reply.Again}
		}
		if w.speaksForItself(req.Persona.Name) { // its own model broke off
			r.Says = strings.TrimPrefix(r.Says, begunAnswer(req))
		}
		err := w.writeRound(ctx, req, r, yield)
		switch {
		case err == errLeft, ctx.Err() != nil:
			how = "cancelled"
		case err != nil:
			how = "failed"
		}
		w.rec.noteNow(kindAnswered, append(fields, "how", how)...)
		if err != nil && err != errLeft {
			yield(llm.Chunk{}, err)
		}
	}
}

// errLeft means that the listener has gone.
var errLeft = errors.New("nobody listens")

// playerLine returns the player's line and the number of tool rounds since.
func playerLine(req llm.Request) (line string, round int) {
	for _, m := range req.Messages {
		switch {
		case m.Role == llm.RoleUser:
			line, round = m.Content, 0
		case m.Role == llm.RoleAssistant && len(m.ToolCalls) > 0:
			round++
		}
	}
	return line, round
}

// begunAnswer returns the beginning of an answer that the model continues, or
// "" for a new answer.
func begunAnswer(req llm.Request) (text string) {
	for _, m := range req.Messages {
		switch {
		case m.Role == llm.RoleUser:
			text = ""
		case m.Role == llm.RoleAssistant && len(m.ToolCalls) == 0:
			text = m.Content
		}
	}
	return text
}

// speaksForItself reports whether the NPC called name has a speech-to-speech model.
func (w *writer) speaksForItself(name string) bool {
	return slices.ContainsFunc(w.npcs, func(n config.NPC) bool { return n.Name == name && n.Engine == config.EngineS2S })
}

// factsIn returns the facts in the prompt besides persona and dialogue.
func factsIn(req llm.Request) string {
	var out []string
	for i, m := range req.Messages {
		if i > 0 && m.Role == llm.RoleSystem {
			out = append(out, m.Content)
		}
	}
	return strings.Join(out, "\n")
}

// resultsIn returns the tool results in the prompt.
func resultsIn(req llm.Request) string {
	var out []string
	for _, m := range req.Messages {
		if m.Role == llm.RoleTool {
			out = append(out, m.Content)
		}
	}
	return strings.Join(out, "\n")
}

func toolNames(defs []llm.ToolDefinition) string {
	names := make([]string, len(defs))
	for i, d := range defs {
		names[i] = d.Name
	}
	return strings.Join(names, ", ")
}

// pickRound returns the model's next round, after a number of tool rounds.
func (w *writer) pickRound(line, npc string, number int, tools bool) Round {
	r, ok := w.pickReply(line, npc)
	if !ok {
		return Round{Says: spare}
	}
	rounds := r.Rounds
	if len(rounds) == 0 {
		rounds = []Round{r.Round}
	}
	if number >= len(rounds) {
		return Round{Says: spare}
	}
	if !tools && len(rounds[number].Calls) > 0 {
		return rounds[len(rounds)-1] // it must answer without tools
	}
	return rounds[number]
}

// pickReply returns the reply to a line. For the same line, or a longer or
// shorter version of it, it returns the same reply.
func (w *writer) pickReply(line, npc string) (Reply, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.used == nil {
		w.used = map[int]string{}
	}
	for i, r := range w.script.Replies {
		if r.NPC != "" && !w.isMeant(npc, r.NPC) || !contains(line, r.On) {
			continue
		}
		key := npc + "\n" + line
		before, taken := w.used[i]
		if r.On == "" && taken && !strings.HasPrefix(key, before) && !strings.HasPrefix(before, key) {
			continue
		}
		w.used[i] = key
		return r, true
	}
	return Reply{}, false
}

// isMeant reports whether a reply is for the NPC called name.
func (w *writer) isMeant(name, meant string) bool {
	for _, n := range w.npcs {
		if n.Name == name {
			s := Scene{NPCs: []config.NPC{n}}
			return s.npc(meant)
		}
	}
	return false
}

// writeRound yields a round, sentence by sentence.
func (w *writer) writeRound(ctx context.Context, req llm.Request, r Round, yield func(llm.Chunk, error) bool) error {
	first, between := orElse(time.Duration(r.FirstToken), time.Duration(w.script.FirstToken)), orElse(time.Duration(r.Between), time.Duration(w.script.Between))
	if req.Hurry && w.script.Hurried > 0 {
		first = time.Duration(w.script.Hurried)
	}
	if err := rig.Pause(ctx, first); err != nil {
		return err
	}
	if r.Declines {
		r.Says = speech.Silent
	}
	for i, s := range sentences(r.Says) {
		if i > 0 {
			if err := rig.Pause(ctx, between); err != nil {
				return err
			}
		}
		if err := w.writeSentence(ctx, s+" ", yield); err != nil {
			return err
		}
	}
	switch r.Fault {
	case "hang":
		<-ctx.Done()
		return ctx.Err()
	case "error":
		return fmt.Errorf("%w: %w", llm.ErrUnavailable, errScripted)
	case "rejected":
		return fmt.Errorf("%w: %w", llm.ErrRejected, errScripted)
	case "rate_limited":
		return fmt.Errorf("%w: %w", llm.ErrRateLimited, errScripted)
	}
	end := llm.Chunk{FinishReason: "stop"}
	for i, c := range r.Calls {
		args := c.Args
		if args == "" {
			args = "{}"
		}
		end.ToolCalls = append(end.ToolCalls, llm.ToolCall{ID: fmt.Sprintf("call-%d", i+1), Name: c.Tool, Arguments: args})
		end.FinishReason = "tool_calls"
	}
	if !yield(end, nil) {
		return errLeft
	}
	return nil
}

// writeSentence yields a sentence, word by word if the script has a time per
// word.
func (w *writer) writeSentence(ctx context.Context, s string, yield func(llm.Chunk, error) bool) error {
	pieces := []string{s}
	if w.script.Word > 0 {
		pieces = strings.SplitAfter(strings.TrimSuffix(s, " "), " ")
		pieces[len(pieces)-1] += " "
	}
	for i, piece := range pieces {
		if i > 0 {
			if err := rig.Pause(ctx, time.Duration(w.script.Word)); err != nil {
				return err
			}
		}
		if !yield(llm.Chunk{Text: piece}, nil) {
			return errLeft
		}
	}
	return nil
}

// sentences splits an answer where a model would end a sentence.
func sentences(s string) []string {
	var split speech.Splitter
	return append(split.Push(s), split.Flush()...)
}
