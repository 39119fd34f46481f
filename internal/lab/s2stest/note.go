package s2stest

import (
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// Kind says what a note is about.
type Kind string

// The kinds of notes, with the fields that they have besides At and Session.
const (
	// Opened: a session, with Options and Tools.
	Opened Kind = "opened"
	// Refused: a call of Connect that came to nothing, with Options and why in Text.
	Refused Kind = "refused"
	// Begun: a turn.
	Begun Kind = "begun"
	// Committed: a turn that is to be answered, with Response, and of its sound Sound,
	// Spoken and SpokenBy.
	Committed Kind = "committed"
	// Cleared: a turn that was taken back, with Sound and Spoken.
	Cleared Kind = "cleared"
	// Injected: Messages.
	Injected Kind = "injected"
	// ToolsSet: Tools.
	ToolsSet Kind = "tools"
	// Answered: a tool call, with Result.
	Answered Kind = "answered"
	// Interrupted: an answer; Sound is how much of it is said to have been heard, at
	// most what had come of it.
	Interrupted Kind = "interrupted"
	// Generated: a round of an answer, with its Status in Text, and Response, Sound,
	// Spoken and SpokenBy of the turn.
	Generated Kind = "generated"
	// Told: what a delegation is answered, in Text, of the delegation in Result.ID,
	// with Result.Silent.
	Told Kind = "told"
	// Closed: by its user, with the number of Unanswered calls.
	Closed Kind = "closed"
	// Ended: by the vendor, with why in Text.
	Ended Kind = "ended"
	// Violation: of the contract, in Text.
	Violation Kind = "violation"
)

// Note is one thing that a provider was told, or that became of a session.
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
	// Sound is how much was sent, of it Spoken from the first sample that can be heard
	// to the last, which came at SpokenBy.
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
