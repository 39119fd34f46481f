// Package workflow reads workflows, named sequences and parallel groups of
// tool calls, and makes tools of them. It also holds the tool batch, which
// makes many calls in one.
//
// Every call a workflow or a batch makes goes through its caller's door
// ([mcp.Through]), so neither can do what its caller may not. Expressions in
// workflow files only compute, on bounded work; see docs/workflows.md for the
// format. Loading reads files; nothing else
// does I/O, and every goroutine ends before the call that started it returns.
package workflow

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// Limits of a workflow and of what it returns.
const (
	// MaxFile is the largest workflow file, in bytes.
	MaxFile = 256 << 10
	// MaxFiles is how many files a folder may hold.
	MaxFiles = 256
	// MaxSteps is how many steps a workflow may have.
	MaxSteps = 64
	// MaxParallel is how many steps may run at once.
	MaxParallel = 16
	// MaxResult is how large all results of a run may be together, in bytes of
	// JSON.
	MaxResult = 1 << 20
)

// Workflow is a sequence of tool calls that has been read and found sound. It
// is immutable and safe for concurrent use.
type Workflow struct {
	// Name is the name of the tool.
	Name string
	// Title is its name for people; empty if the file gives none.
	Title       string
	Description string
	// File is the path it was read from.
	File string

	sum       [sha256.Size]byte // of what the file says
	nameLine  int               // where problems with the name are reported
	params    []param
	stages    []stage
	output    *template // nil if the result holds the steps' own
	keepGoing bool      // stop_on_error: false
	effect    tools.Effect
	timeout   time.Duration // 0: the sum of its steps'
}

// stage is one step, or several that run at once.
type stage []*step

// step is one call.
type step struct {
	id, tool string
	with     *template // nil: no arguments
	when     *expression
	line     int
}

// steps returns all steps in the order of the file.
func (w *Workflow) steps() []*step { return slices.Concat(w.stages...) }

// Needs returns the names of the tools it calls, sorted.
func (w *Workflow) Needs() []string {
	var names []string
	for _, s := range w.steps() {
		names = append(names, s.tool)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// UnknownTools reports the steps whose tool is not among known, with the one that
// was likely meant.
func (w *Workflow) UnknownTools(known []string) userfile.Problems {
	var found userfile.Problems
	for _, s := range w.steps() {
		if slices.Contains(known, s.tool) {
			continue
		}
		fix := userfile.Suggest(s.tool, known, "see \"glyphoxa tools\" for those there are")
		found.Add(w.File, s.line, fmt.Sprintf("tool: %q is no built-in tool and no workflow", s.tool), fix)
	}
	return found
}

// Missing returns the tools it calls that are not among known, sorted. That is
// no error: servers that offer them may come later.
func (w *Workflow) Missing(known []string) []string {
	return slices.DeleteFunc(w.Needs(), func(name string) bool { return slices.Contains(known, name) })
}
