package scenario

import (
	"context"
	"iter"
	"strconv"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// The caller of the scripted model: the fast model of a sentence cascade, or
// the answering one.
const (
	roleOpener = "opener"
	roleAnswer = "answer"
)

// opening is the scripted model in the role of the opener. It implements
// llm.Provider.
type opening struct{ *writer }

// Stream implements llm.Provider.
func (o opening) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		line, _ := playerLine(req)
		fields := []string{"npc", req.Persona.Name, "text", line, "role", roleOpener}
		o.rec.noteNow(kindAsked, append(fields, "round", "1", "hurry", strconv.FormatBool(req.Hurry), "tools", toolNames(req.Tools), "facts", factsIn(req))...)
		how := "done"
		text, after := o.openerOf(req, line)
		if err := rig.Pause(ctx, orElse(time.Duration(o.script.Opens), after/2)); err != nil {
			how = "cancelled"
			yield(llm.Chunk{}, err)
		} else if text != "" && !yield(llm.Chunk{Text: text}, nil) {
			how = "cancelled"
		}
		o.rec.noteNow(kindAnswered, append(fields, "how", how)...)
	}
}

// openerOf returns the script's opener, or nothing if it was already said, and
// when the answer would begin without it.
func (o opening) openerOf(req llm.Request, line string) (string, time.Duration) {
	usual := time.Duration(o.script.FirstToken)
	if n := len(req.Messages); n >= 2 && req.Messages[n-2].Role == llm.RoleAssistant {
		return "", usual
	}
	r, _ := o.pickReply(line, req.Persona.Name)
	first := r.Round
	if len(r.Rounds) > 0 {
		first = r.Rounds[0]
	}
	usual = orElse(time.Duration(first.FirstToken), usual)
	if first.Declines {
		return speech.Silent, usual
	}
	if r.Opens != "" {
		return r.Opens, usual
	}
	if s := sentences(first.Says); len(s) > 0 {
		return s[0], usual
	}
	return "", usual
}
