package workflow

import (
	"encoding/json"
	"errors"
	"math"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// maxMessage is the maximum length of a reported error message, in runes.
const maxMessage = 1000

// report is the result of a workflow.
type report struct {
	OK     bool            `json:"ok"`
	Steps  []stepReport    `json:"steps"`
	Output json.RawMessage `json:"output,omitempty"`
	Error  *failure        `json:"error,omitempty"`
}

type stepReport struct {
	ID      string          `json:"id"`
	Tool    string          `json:"tool"`
	OK      bool            `json:"ok"`
	Skipped bool            `json:"skipped,omitempty"`
	Ms      float64         `json:"ms"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *failure        `json:"error,omitempty"`
}

// failure describes why a call failed.
type failure struct {
	Code    mcp.Code `json:"code"`
	Message string   `json:"message"`
	// Said is the error text from the tool's server.
	Said         string `json:"said,omitempty"`
	Hint         string `json:"hint,omitempty"`
	RetryAfterMs int64  `json:"retry_after_ms,omitempty"`
	Approval     string `json:"approval,omitempty"`
}

// describeError describes err as a failure. It returns nil for nil.
func describeError(err error) *failure {
	if err == nil {
		return nil
	}
	text, _ := mcp.PublicText(err)
	f := &failure{Code: mcp.CodeOf(err), Message: untrusted.Clean(text, maxMessage), Said: untrusted.Clean(mcp.ForeignText(err), maxMessage)}
	var refused *mcp.Refusal
	if errors.As(err, &refused) {
		f.Message, f.Hint = untrusted.Clean(refused.Reason, maxMessage), untrusted.Clean(refused.Hint, maxMessage)
		f.RetryAfterMs, f.Approval = int64(math.Ceil(float64(refused.RetryAfter)/float64(time.Millisecond))), refused.Approval
	}
	return f
}

// result returns the report of the run. If the workflow has an output, the steps' own results are included
// only if the output is missing.
func (r *run) result(output json.RawMessage, err error) (mcp.Result, error) {
	rep := report{OK: err == nil, Steps: r.reports, Output: output, Error: describeError(err)}
	if err != nil {
		if text, inside := mcp.PublicText(err); !inside {
			rep.Error.Message = untrusted.Clean(text, maxMessage) // includes the name of the step
		}
	}
	for i := range rep.Steps {
		if rep.Steps[i].Error != nil {
			rep.OK = false
		}
		if output != nil {
			rep.Steps[i].Result = nil
		}
	}
	return reportResult(rep, err)
}

// reportResult makes a tool result from the report and passes err on.
func reportResult(rep any, err error) (mcp.Result, error) {
	b, broken := marshal(rep)
	if broken != nil {
		return mcp.Result{}, errors.Join(err, broken)
	}
	return mcp.Result{Text: string(b), Structured: b, IsError: err != nil}, err
}
