package engine

import (
	"encoding/json"
	"errors"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// ErrNoRoundsLeft is the result of a call once the turn's tool rounds are used up. Its text is for the model.
var ErrNoRoundsLeft = errors.New("no more tools in this turn; answer now with what you know")

// Rounds counts the tool rounds of a turn (docs/adr/0005). All calls of one answer of the model form a round.
// It is not safe for concurrent use.
type Rounds struct {
	// Allowed is the number of rounds that the turn's tier allows.
	Allowed  int
	counted  int
	forgiven bool // one malformed round was not counted
	disabled bool
}

// Next returns the number of the next round, from 1.
func (r *Rounds) Next() int { return r.counted + 1 }

// Exhausted reports whether the model must answer without further tools.
func (r *Rounds) Exhausted() bool { return r.disabled || r.counted >= r.Allowed }

// End counts a round. The first round in which all calls were [Malformed] does not count; after the second
// there are no further rounds.
func (r *Rounds) End(malformed bool) {
	switch {
	case malformed && r.forgiven:
		r.disabled = true
	case malformed:
		r.forgiven = true
	default:
		r.counted++
	}
}

// Malformed reports whether a call did nothing because the model got it wrong.
func Malformed(o mcphost.Outcome) bool {
	return errors.Is(o.Err, mcp.ErrInvalidArguments) || errors.Is(o.Err, mcp.ErrNotAllowed)
}

// Accepted is the result for the model of a call that is made at commit.
const Accepted = `{"status":"accepted","note":"It takes effect once your answer has been heard."}`

// Proposed is the result for the model of a call that is only proposed at commit.
const Proposed = `{"status":"proposed","note":"Nothing has happened. Once your answer has been heard, the game master is asked and decides later. Do not say that it is done, and do not call it again."}`

// DeferCall answers a call that is made when the turn is committed (docs/adr/0016), or is proposed then
// (docs/adr/0051). The outcome says so, or contains the error in which the call would end. If deferred is
// false, the call must be run now.
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

// DescribeOutcome describes an outcome for the model, and reports whether the call failed.
func DescribeOutcome(o mcphost.Outcome) (text string, failed bool) {
	if o.Err != nil {
		return o.Err.Error(), true
	}
	return o.Result.Text, o.Result.IsError
}

// RenderOutcome is DescribeOutcome for models that receive only text: a failure becomes a JSON object with
// the key "error".
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
