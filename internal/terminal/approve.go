package terminal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// maxShownArgs bounds the displayed arguments of a waiting call, in characters.
const maxShownArgs = 300

// decideWaiting lists the waiting calls, or decides on one. Without an id, it decides on the only one.
func (p *console) decideWaiting(ctx context.Context, args string) (string, error) {
	const usage = "usage: /approve, or /approve yes [ID], or /approve no [ID]"
	word, id, _ := strings.Cut(args, " ")
	id = strings.TrimSpace(id)
	waiting := p.game.Registry.Waiting.Policy.Pending()
	var grant bool
	switch strings.ToLower(word) {
	case "", "list":
		return p.listWaiting(waiting), nil
	case "yes":
		grant = true
	case "no":
	default:
		return "", errors.New(usage)
	}
	switch {
	case id != "":
	case len(waiting) == 1:
		id = waiting[0].ID
	case len(waiting) == 0:
		return "", errors.New("nothing is waiting for you")
	default:
		return "", fmt.Errorf("%d requests are waiting; choose one: /approve %s ID", len(waiting), strings.ToLower(word))
	}
	made, err := p.game.Registry.Waiting.Decide(ctx, id, grant, mcp.Caller{}.Name())
	return describeDecision(made, grant), reportFirstDecision(err)
}

// reportFirstDecision reports who has already decided, if err says so.
func reportFirstDecision(err error) error {
	before, late := errors.AsType[*access.DecidedError](err)
	switch {
	case late && before.Granted:
		return fmt.Errorf("%s has already allowed it", before.By)
	case late:
		return fmt.Errorf("%s has already denied it", before.By)
	}
	return err
}

func describeDecision(made *access.Made, grant bool) string {
	switch {
	case !grant:
		return "denied"
	case made == nil:
		return "allowed, this once"
	case made.Failed != "":
		return "it was allowed, but could not be done: " + untrusted.Line(made.Failed, maxShownArgs)
	}
	return "done: " + untrusted.Line(made.Result, maxShownArgs)
}

func (p *console) listWaiting(waiting []access.Approval) string {
	if len(waiting) == 0 {
		return "nothing is waiting for you"
	}
	var lines []string
	for _, w := range waiting {
		lines = append(lines, w.ID+": "+describeWaiting(w.Caller, w.Tool, w.Args, w.Expires, p.nameOf))
	}
	return strings.Join(lines, "\n")
}

// nameOf returns a caller's name for display.
func (p *console) nameOf(caller string) string {
	if id, npc := strings.CutPrefix(caller, "npc:"); npc {
		for _, n := range p.game.Cast() {
			if n.ID == id {
				return n.Name
			}
		}
	}
	return caller
}

func describeWaiting(caller, tool, args string, expires time.Time, nameOf func(string) string) string {
	return fmt.Sprintf("%s wants to use %s with %s (until %s)", nameOf(caller), tool, untrusted.Line(args, maxShownArgs), expires.Local().Format(time.TimeOnly))
}

// writeApproval shows a waiting call, or the end of its wait.
func (s *screen) writeApproval(e table.Event) {
	switch e := e.(type) {
	case *table.ApprovalWaits:
		s.writeNotice("info", describeWaiting(e.Who, e.Tool, string(e.Args), e.Expires, s.nameOf)+": /approve yes "+e.ID+", or /approve no "+e.ID)
	case *table.ApprovalEnded:
		if e.By == "" { // otherwise the decision itself is shown
			s.writeNotice("info", fmt.Sprintf("the request of %s to use %s is no longer waiting (%s)", s.nameOf(e.Who), e.Tool, e.Outcome))
		}
	}
}
