package access

import (
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// rule is a compiled rule.
type rule struct {
	name, kind string
	who, tools []string // globs; an empty list matches everything

	// rate_limit
	calls  int
	window time.Duration
	// time_window
	hours hours
	// permission_override; a zero ends means never.
	grant, revoke permissionSet
	ends          time.Time
	// approval
	expires, wait time.Duration
}

// applies reports whether the rule matches a caller and a tool.
func (r *rule) applies(who, tool string) bool {
	return matchAny(r.who, who) && matchAny(r.tools, tool)
}

// hasEnded reports whether an override has ended at t.
func (r *rule) hasEnded(t time.Time) bool { return !r.ends.IsZero() && !t.Before(r.ends) }

// first returns the first matching rule, or nil.
func first(rules []*rule, who, tool string) *rule {
	for _, r := range rules {
		if r.applies(who, tool) {
			return r
		}
	}
	return nil
}

// nextChange returns the first instant after t at which the rule changes by itself, and whether there is one.
func (r *rule) nextChange(t time.Time) (time.Time, bool) {
	if r.hours.zone != nil {
		return r.hours.nextChange(t)
	}
	return r.ends, r.ends.After(t)
}

// until sets RetryAfter of no to the time until the rule changes by itself.
func (r *rule) until(now time.Time, no *mcp.Refusal) *mcp.Refusal {
	if next, ok := r.nextChange(now); ok {
		no.RetryAfter = ceil(next.Sub(now))
	}
	return no
}
