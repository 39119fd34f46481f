package s2stest

import (
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// Kind is the kind of a note.
type Kind string

// The kinds of notes, with their fields besides At and Session.
const (
	// Opened: a session started, with Options and Tools.
	Opened Kind = "opened"
	// Refused: a call of Connect failed, with Options and the reason in Text.
	Refused Kind = "refused"
	// Begun: a turn began.
	Begun Kind = "begun"
	// Committed: a turn was committed for an answer, with Response, Sound,
	// Spoken and SpokenBy.
	Committed Kind = "committed"
	// Cleared: a turn was cleared, with Sound and Spoken.
	Cleared Kind = "cleared"
	// Injected: messages were injected, in Messages.
	Injected Kind = "injected"
	// ToolsSet: the tools were set, in Tools.
	ToolsSet Kind = "tools"
	// Answered: a tool call was answered, with Result.
	Answered Kind = "answered"
	// Interrupted: an answer was interrupted; Sound is how much of it was
	// reported heard, at most its sound so far.
	Interrupted Kind = "interrupted"
	// Generated: a round of an answer ended, with its Status in Text, and
	// Response, Sound, Spoken and SpokenBy of the turn.
	Generated Kind = "generated"
	// Told: a delegation was answered, in Text, with its id in Result.ID and
	// Result.Silent.
	Told Kind = "told"
	// Closed: the user closed the session, with the number of Unanswered calls.
	Closed Kind = "closed"
	// Ended: the vendor ended the session, with the reason in Text.
	Ended Kind = "ended"
	// Violation: the caller violated the contract, in Text.
	Violation Kind = "violation"
)

// Note is one call to a provider, or one event of a session.
type Note struct {
	At      time.Time
	Session int // from 1, in the order of Connect
	Kind    Kind

	Text     string
	Options  s2s.SessionOptions
	Response s2s.Response
	Result   s2s.ToolResult
	Messages []llm.Message
	Tools    []string
	// Sound is the length of the sent sound, Spoken the part from its first to
	// its last audible sample, and SpokenBy when that last one came.
	Sound, Spoken time.Duration
	SpokenBy      time.Time
	Unanswered    int
}

func toolNames(defs []llm.ToolDefinition) []string {
	out := make([]string, len(defs))
	for i, d := range defs {
		out[i] = d.Name
	}
	return out
}
