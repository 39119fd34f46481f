package access

import (
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// rule is a rule of the configuration, ready to be asked.
type rule struct {
	name, kind string
	who, tools []string // globs; none match everything

	// rate_limit
	calls  int
	window time.Duration
	// time_window
	hours hours
	// permission_override; a zero ends is never.
	grant, revoke permissionSet
	ends          time.Time
	// approval
	expires, wait time.Duration
}

// applies reports whether the rule is about this caller and tool.
func (r *rule) applies(who, tool string) bool {
	return matchAny(r.who, who) && matchAny(r.tools, tool)
}

// hasEnded reports whether an override is over at t.
func (r *rule) hasEnded(t time.Time) bool { return !r.ends.IsZero() && !t.Before(r.ends) }

// first returns the first of rules that is about this caller and tool, nil if
// none is.
func first(rules []*rule, who, tool string) *rule {
	for _, r := range rules {
		if r.applies(who, tool) {
			return r
		}
	}
	return nil
}

// nextChange returns the first instant after t at which what the rule says changes by
// itself, and whether there is one.
func (r *rule) nextChange(t time.Time) (time.Time, bool) {
	if r.hours.zone != nil {
		return r.hours.nextChange(t)
	}
	return r.ends, r.ends.After(t)
}

// until adds to no when the rule changes by itself.
func (r *rule) until(now time.Time, no *mcp.Refusal) *mcp.Refusal {
	if next, ok := r.nextChange(now); ok {
		no.RetryAfter = ceil(next.Sub(now))
	}
	return no
}
