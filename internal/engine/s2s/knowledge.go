package s2s

import (
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// knowledge is what a session knows of what was said.
type knowledge struct {
	history []llm.Message
	edits   int       // of the history so far, see engine.Background
	asked   *question // the last thing it was asked since then; nil if nothing
}

// question is a line that a session was asked to answer.
type question struct {
	line    llm.Message
	typed   bool
	instead bool // another engine answered, or ended the answer
	began   bool // it had begun to answer before that
}

// missing returns what has been said that it does not know, and whether the question
// is part of the history by now. It reports false if it knows something that is not so
// any more: a line was taken back or reworded.
func (k knowledge) missing(history []llm.Message, edits int) (missing []llm.Message, answered, ok bool) {
	if k.edits != edits {
		return nil, false, false
	}
	if q := k.asked; q != nil {
		known := append(slices.Clip(k.history), q.line)
		if !q.instead {
			known = append(known, llm.Message{Role: llm.RoleAssistant})
		}
		if missing, ok = beyond(known, history); ok {
			return missing, true, !q.instead || !q.began
		}
		// It was asked, and nothing of the answer was kept so far.
	}
	missing, ok = beyond(k.history, history)
	return missing, false, ok
}

// beyond returns what follows in history on known, of which the beginning may have
// been forgotten. An answer without text in known stands for any: what was heard
// of it the session knows best.
func beyond(known, history []llm.Message) ([]llm.Message, bool) {
	for from := range len(known) + 1 {
		rest := known[from:]
		if from == len(known) && from > 0 {
			break // nothing in common is no agreement
		}
		if len(rest) <= len(history) && slices.EqualFunc(rest, history[:len(rest)], sameMessage) {
			return history[len(rest):], true
		}
	}
	return nil, len(known) == 0
}

func sameMessage(known, kept llm.Message) bool {
	if known.Role != kept.Role || known.Name != kept.Name {
		return false
	}
	return known.Role == llm.RoleAssistant && known.Content == "" || strings.TrimSpace(known.Content) == strings.TrimSpace(kept.Content)
}
