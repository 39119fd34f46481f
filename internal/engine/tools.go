package engine

import (
	"encoding/json"
	"errors"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// ErrNoRoundsLeft answers a call once the turn's tool rounds are used up. Its text
// is meant for the model.
var ErrNoRoundsLeft = errors.New("no more tools in this turn; answer now with what you know")

// Rounds counts the tool rounds of a turn (docs/adr/0006). All calls of one answer
// of the model are a round. It is not safe for concurrent use.
type Rounds struct {
	// Allowed is how many the turn's tier allows.
	Allowed  int
	done     int
	forgiven bool // one malformed round did not count
	off      bool
}

// Next is the number of the round that comes next, from 1.
func (r *Rounds) Next() int { return r.done + 1 }

// Exhausted reports whether the model has to speak without further tools.
func (r *Rounds) Exhausted() bool { return r.off || r.done >= r.Allowed }

// End counts a round, unless all its calls were [Malformed] for the first time in
// the turn; the second time there are no further rounds.
func (r *Rounds) End(malformed bool) {
	switch {
	case malformed && r.forgiven:
		r.off = true
	case malformed:
		r.forgiven = true
	default:
		r.done++
	}
}

// Malformed reports whether a call did nothing since the model got it wrong.
func Malformed(o mcphost.Outcome) bool {
	return errors.Is(o.Err, mcp.ErrInvalidArguments) || errors.Is(o.Err, mcp.ErrNotAllowed)
}

// Accepted is what a model is told of a call that acts at commit.
const Accepted = `{"status":"accepted","note":"It takes effect once your answer has been heard."}`

// Proposed is what a model is told of a call that is proposed at commit, and not made.
const Proposed = `{"status":"proposed","note":"Nothing has happened. Once your answer has been heard, the game master is asked and decides later. Do not say that it is done, and do not call it again."}`

// DeferCall answers a call that acts when the turn is committed (docs/adr/0015), or is
// proposed then (docs/adr/0051): that it is so, or with the error that it would end in.
// deferred says that it is such a call; else it is to be run.
func DeferCall(ts *mcphost.Toolset, c llm.ToolCall) (o mcphost.Outcome, deferred bool) {
	o.Result.Text = Accepted
	if ts.Proposes(c.Name, c.Arguments) {
		o.Result.Text = Proposed
	} else if !ts.Deferred(c.Name) {
		return mcphost.Outcome{}, false
	}
	if err := ts.Check(c.Name, c.Arguments); err != nil {
		return mcphost.Outcome{Err: err}, true
	}
	return o, true
}

// DescribeOutcome puts an outcome into words for the model, and says whether the
// call failed.
func DescribeOutcome(o mcphost.Outcome) (text string, failed bool) {
	if o.Err != nil {
		return o.Err.Error(), true
	}
	return o.Result.Text, o.Result.IsError
}

// RenderOutcome is DescribeOutcome where nothing but text reaches the model: a
// failure is a JSON object with the key "error".
func RenderOutcome(o mcphost.Outcome) string {
	text, failed := DescribeOutcome(o)
	if !failed {
		return text
	}
	raw, err := json.Marshal(struct {
		Error string `json:"error"`
	}{text})
	if err != nil {
		return `{"error":"the tool failed"}` // a string always marshals
	}
	return string(raw)
}
