package config

import (
	"fmt"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// Fault is something in the server's section, or in an NPC's entry, that cannot work
// as it stands.
type Fault struct {
	// Path is where it is within the section or entry, such as "policy[2].zone".
	Path string
	// Owner is the rule or profile it is in, such as `rule "evening"`; empty if it
	// is in none.
	Owner string
	// Value is the text at Path, if What is about it.
	Value string
	// What says what is wrong with the value, Fix what to do about it.
	What, Fix string
	// Earlier is the path of what this one repeats, if that is the fault.
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

// reportFaults reports what the judge of the server's section finds, unless the
// reader has reported the same value.
func (l *loader) reportFaults(root userfile.Path) {
	if l.opts.Judge == nil {
		return
	}
	for _, f := range l.opts.Judge(l.cfg.Server) {
		path := root.Key(f.Path)
		if l.main.Broken(path.Key("grant")) || l.main.Broken(path.Key("revoke")) {
			continue // a rule that changes nothing since what it changes could not be read
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

// warnOfNPC warns of what the judge of NPCs finds in one.
func warnOfNPC(l *loader, n located) {
	if l.opts.JudgeNPC == nil {
		return
	}
	for _, f := range l.opts.JudgeNPC(*n.npc) {
		l.addWarning(n.d, n.path.Key(f.Path), f.What, f.Fix)
	}
}
