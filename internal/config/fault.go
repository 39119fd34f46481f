package config

import (
	"fmt"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// Fault is something in the server section, or in an NPC's entry, that cannot work.
type Fault struct {
	// Path is the position within the section or entry, such as "policy[2].zone".
	Path string
	// Owner is the rule or profile that contains it, such as `rule "evening"`, or empty if there is none.
	Owner string
	// Value is the text at Path, if the problem is about that text.
	Value string
	// What describes the problem, and Fix how to fix it.
	What, Fix string
	// Earlier is the path of the earlier entry, if the fault is a duplicate.
	Earlier string
}

// String returns "path: owner: what; fix".
func (f Fault) String() string {
	what := f.What
	if f.Value != "" {
		what = userfile.Quote(f.Value) + " " + what
	}
	if f.Earlier != "" {
		what += " (" + f.Earlier + ")"
	}
	if f.Owner != "" {
		what = f.Owner + ": " + what
	}
	return f.Path + ": " + what + "; " + f.Fix
}

// reportFaults reports what Options.Judge finds in the server section, unless the reader has already reported
// the same value.
func (l *loader) reportFaults(root userfile.Path) {
	if l.opts.Judge == nil {
		return
	}
	for _, f := range l.opts.Judge(l.cfg.Server) {
		path := root.Key(f.Path)
		if l.main.Broken(path.Key("grant")) || l.main.Broken(path.Key("revoke")) {
			continue // a rule without effect only because its content could not be read
		}
		what := f.What
		if f.Value != "" {
			what = l.main.Quote(path, f.Value) + " " + what
		}
		if f.Earlier != "" {
			what += fmt.Sprintf(" (line %d)", l.main.Line(root.Key(f.Earlier)))
		}
		l.main.AddProblem(path, what, f.Fix)
	}
}

// warnOfNPC warns about what Options.JudgeNPC finds in an NPC.
func warnOfNPC(l *loader, n located) {
	if l.opts.JudgeNPC == nil {
		return
	}
	for _, f := range l.opts.JudgeNPC(*n.npc) {
		l.addWarning(n.d, n.path.Key(f.Path), f.What, f.Fix)
	}
}
