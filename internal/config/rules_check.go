package config

import (
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // time zones must load on machines without any
	"unicode"

	"github.com/MrWong99/glyphoxa/internal/problem"
	"github.com/MrWong99/glyphoxa/internal/strictyaml"
)

// maxGlob bounds a pattern, maxRuleName the name of a rule, in bytes.
const (
	maxGlob     = 256
	maxRuleName = 64
)

// ruleField is a key that only some kinds of rules look at.
type ruleField struct {
	key string
	set bool
	// needed by one kind, of use to those in used.
	needed string
	used   string
}

// fieldsOfRule lists the keys that depend on the kind of rule.
func fieldsOfRule(r *Rule) []ruleField {
	return []ruleField{
		{"calls", r.Calls != 0, RuleRateLimit, RuleRateLimit},
		{"window", r.Window != 0, RuleRateLimit, RuleRateLimit},
		{"from", r.From != "", RuleTimeWindow, RuleTimeWindow},
		{"to", r.To != "", RuleTimeWindow, RuleTimeWindow},
		{"days", len(r.Days) > 0, "", RuleTimeWindow},
		{"zone", r.Zone != "", "", RuleTimeWindow},
		{"tools", len(r.Tools) > 0, RuleToolRestriction, ""},
		{"grant", len(r.Grant) > 0, "", RulePermissionOverride},
		{"revoke", len(r.Revoke) > 0, "", RulePermissionOverride},
		{"until", r.Until != "", "", RulePermissionOverride},
		{"expires", r.Expires != 0, "", RuleApproval},
		{"wait", r.Wait != 0, "", RuleApproval},
	}
}

// checkRules looks for what each kind of rule needs and for names given twice.
func (l *loader) checkRules(root strictyaml.Path) {
	seen := map[string]int{}
	for i := range l.cfg.Server.Policy {
		r := &l.cfg.Server.Policy[i]
		entry := root.Item(i)
		l.checkRuleName(entry.Key("name"), r.Name, seen)
		l.checkRuleFields(r, entry)
		l.checkGlobs(entry.Key("who"), r.Who)
		l.checkGlobs(entry.Key("tools"), r.Tools)
		l.checkWho(entry.Key("who"), r.Who)
		l.checkPermissions(entry.Key("grant"), r.Grant)
		l.checkPermissions(entry.Key("revoke"), r.Revoke)
		l.checkTimes(r, entry)
	}
}

func (l *loader) checkRuleName(path strictyaml.Path, name string, seen map[string]int) {
	key := foldName(name)
	switch first, taken := seen[key]; {
	case name == "":
		return // its absence is already reported
	case len(name) > maxRuleName || !isReadable(name):
		l.main.AddProblem(path, "is no name for a rule", "use a few letters and no spaces around them")
	case taken:
		l.main.AddProblem(path, fmt.Sprintf("another rule has this name (line %d)", first), "rename one of them")
	default:
		seen[key] = l.main.Line(path)
	}
}

// checkRuleFields looks whether a rule has the fields of its kind.
func (l *loader) checkRuleFields(r *Rule, entry strictyaml.Path) {
	if r.Kind == "" {
		return // its absence is already reported
	}
	for _, f := range fieldsOfRule(r) {
		path := entry.Key(f.key)
		switch {
		case f.needed == r.Kind && !f.set:
			l.main.AddProblem(path, "is missing; rule "+r.Kind+" needs it", "add it")
		case f.used != "" && f.used != r.Kind && l.main.Given(path):
			l.warn(l.main, path, "is not used by rule "+r.Kind, "remove it, or change the rule")
		}
	}
	if grant := entry.Key("grant"); r.Kind == RulePermissionOverride && len(r.Grant)+len(r.Revoke) == 0 &&
		!l.main.Broken(grant) && !l.main.Broken(entry.Key("revoke")) {
		l.main.AddProblem(entry, "changes nothing", "add grant or revoke")
	}
	for i, name := range r.Revoke {
		if slices.Contains(r.Grant, name) {
			l.main.AddProblem(entry.Key("revoke").Item(i), "is granted too", "remove it from one of them")
		}
	}
}

// checkGlobs looks for patterns that mean something else than they seem to.
func (l *loader) checkGlobs(root strictyaml.Path, globs []string) {
	for i, g := range globs {
		path := root.Item(i)
		if len(g) > maxGlob || !isReadable(g) || strings.ContainsAny(g, `[]{}\`) {
			l.main.AddProblem(path, l.main.Quote(path, g)+" is no pattern", "write a name; * stands for any letters, ? for one")
		}
	}
}

// isReadable reports whether s shows what it is: no invisible characters, no
// spaces around it.
func isReadable(s string) bool {
	hidden := func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }
	return strings.TrimSpace(s) == s && !strings.ContainsFunc(s, hidden)
}

// checkWho warns of names that nobody has, since their rule would never apply.
func (l *loader) checkWho(root strictyaml.Path, who []string) {
	for i, name := range who {
		path := root.Item(i)
		if strings.ContainsAny(name, "*?") || strings.HasPrefix(name, "oauth:") || l.main.Broken(path) {
			continue
		}
		known := l.callers()
		if slices.Contains(known, name) {
			continue
		}
		fix := "add the client, or remove the line"
		if near := problem.Nearest(name, known); near != "" {
			fix = fmt.Sprintf("did you mean %q?", near)
		}
		l.warn(l.main, path, "nobody is called "+l.main.Quote(path, name), fix)
	}
}

// callers are the names that are known before anybody calls.
func (l *loader) callers() []string {
	out := builtInCallers()
	for i := range l.cfg.Server.Clients {
		out = append(out, l.cfg.Server.Clients[i].Name)
	}
	for _, id := range l.npcIDs() {
		out = append(out, "npc:"+id)
	}
	return out
}

// checkTimes looks at what a time window and an end mean.
func (l *loader) checkTimes(r *Rule, entry strictyaml.Path) {
	if r.From != "" && r.From == r.To {
		l.main.AddProblem(entry.Key("to"), "is the same as from", "leave some time between them")
	}
	if zone := entry.Key("zone"); r.Zone != "" {
		if _, err := time.LoadLocation(r.Zone); err != nil {
			l.main.AddProblem(zone, l.main.Quote(zone, r.Zone)+" is no time zone", "write it as Europe/Berlin or UTC")
		}
	}
}
