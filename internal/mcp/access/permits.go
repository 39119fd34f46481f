package access

import (
	"context"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// callerKind determines which checks a caller has to pass.
type callerKind int

const (
	operator callerKind = iota // none
	npc                        // read-only mode and rules; its whitelist grants its rights
	client                     // all of them
)

// caller is the caller as permission checks see it.
type caller struct {
	kind callerKind
	name string
	set  permissionSet
}

// caller returns the caller in ctx. An unidentified client has no rights.
func (e *Engine) caller(ctx context.Context) caller {
	if s := SubjectFrom(ctx); s != nil {
		return caller{kind: client, name: s.name(), set: e.profiles[s.Profile.Name].set}
	}
	c := mcp.CallerFrom(ctx)
	switch {
	case c.Client != "":
		return caller{kind: client, name: c.Client}
	case c.NPC != "":
		return caller{kind: npc, name: c.Name()}
	}
	return caller{}
}

// Permits returns nil if the caller in ctx may see and call t, else an [*mcp.Refusal] with code forbidden. It
// checks read-only mode, the profile, and the rules that deny by tool, time or permission. [Engine.Admit]
// checks rate limits and approvals. Lists and calls both use Permits.
//
// A client needs the target's permission, which must be a known one, and the permissions of everything that
// the target needs. An NPC needs no permissions, because its whitelist grants its rights, but rules and
// read-only mode apply to it. The operator may do everything.
func (e *Engine) Permits(ctx context.Context, t mcp.Target) error {
	who := e.caller(ctx)
	if who.kind == operator {
		return nil
	}
	return asError(e.permits(who, &t, 0))
}

// ReadOnly reports whether only tools that change nothing are permitted.
func (e *Engine) ReadOnly() bool { return e.readOnly }

// maxDepth bounds the nesting of targets.
const maxDepth = 8

func (e *Engine) permits(who caller, t *mcp.Target, depth int) *mcp.Refusal {
	if depth > maxDepth {
		return forbidden("", "tools call each other too deeply", "use fewer levels")
	}
	// A tool without a permission only calls others, through its caller's door, so they determine whether it
	// changes anything.
	if t.Permission != "" {
		if e.readOnly && !t.ReadOnly {
			return &mcp.Refusal{
				Code: mcp.CodeForbidden, By: "read_only", Reason: "changes are switched off here", Hint: "ask the operator to leave read-only mode",
			}
		}
		if who.kind == client && !e.hasPermission(who, t) {
			return &mcp.Refusal{
				Code: mcp.CodeForbidden, By: "profile", Reason: "not allowed with this profile", Hint: "ask the operator for a profile that allows it",
			}
		}
	}
	if no := e.checkDenyRules(who.name, t); no != nil {
		return no
	}
	for i := range t.Needs {
		if no := e.permits(who, &t.Needs[i], depth+1); no != nil {
			return &mcp.Refusal{
				Code: no.Code, Rule: no.Rule, By: no.By, RetryAfter: no.RetryAfter,
				Reason: "needs another tool that is not allowed here", Hint: "ask the operator what is missing",
			}
		}
	}
	return nil
}

// hasPermission reports whether a client has the permission that t requires, from its profile or an override. No
// client has an unknown permission.
func (e *Engine) hasPermission(who caller, t *mcp.Target) bool {
	need := bits[t.Permission]
	if who.set&need != 0 {
		return true
	}
	for _, r := range e.grants {
		if r.grant&need != 0 && r.applies(who.name, t.Tool) && !r.hasEnded(time.Now()) {
			return true
		}
	}
	return false
}

// checkDenyRules checks the denying rules in order.
func (e *Engine) checkDenyRules(who string, t *mcp.Target) *mcp.Refusal {
	for _, r := range e.denyRules {
		if !r.applies(who, t.Tool) {
			continue
		}
		switch r.kind {
		case config.RuleToolRestriction:
			return forbidden(r.name, "not allowed here", "ask the operator, or use another tool")
		case config.RuleTimeWindow:
			if now := time.Now(); !r.hours.isOpen(now) {
				return r.until(now, forbidden(r.name, "not allowed at this time", "try again later"))
			}
		case config.RulePermissionOverride:
			if now := time.Now(); r.revoke&bits[t.Permission] != 0 && !r.hasEnded(now) {
				return r.until(now, forbidden(r.name, "not allowed at present", "ask the operator to restore the permission"))
			}
		}
	}
	return nil
}

func forbidden(rule, reason, hint string) *mcp.Refusal {
	return &mcp.Refusal{Code: mcp.CodeForbidden, Rule: rule, Reason: reason, Hint: hint}
}

// ceil rounds up to milliseconds, so that no caller retries too early.
func ceil(d time.Duration) time.Duration {
	if rest := d % time.Millisecond; rest > 0 {
		d += time.Millisecond - rest
	}
	return d
}
