package s2s

import (
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// knowledge is the part of the conversation that a session knows.
type knowledge struct {
	history []llm.Message
	edits   int       // edits of the history so far, see engine.Background
	asked   *question // the last request since then; nil if there is none
}

// question is a line that a session was asked to answer.
type question struct {
	line     llm.Message
	typed    bool
	replaced bool // another engine gave or completed the answer
	began    bool // the session had begun to answer before that
}

// missing returns the messages that the session does not know, and whether the question is now part of the
// history. ok is false if the session knows something outdated, because a line was taken back or reworded.
func (k knowledge) missing(history []llm.Message, edits int) (missing []llm.Message, answered, ok bool) {
	if k.edits != edits {
		return nil, false, false
	}
	if q := k.asked; q != nil {
		known := append(slices.Clip(k.history), q.line)
		if !q.replaced {
			known = append(known, llm.Message{Role: llm.RoleAssistant})
		}
		if missing, ok = beyond(known, history); ok {
			return missing, true, !q.replaced || !q.began
		}
		// The session was asked, but none of its answer has been kept so far.
	}
	missing, ok = beyond(k.history, history)
	return missing, false, ok
}

// beyond returns the part of history that follows known. The beginning of known may be missing from history.
// An answer without text in known matches any answer, because the session itself knows best how much of it
// was heard.
func beyond(known, history []llm.Message) ([]llm.Message, bool) {
	for from := range len(known) + 1 {
		rest := known[from:]
		if from == len(known) && from > 0 {
			break // having nothing in common is not a match
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
