// Package workflow reads workflows and makes tools of them. A workflow is a named series of tool calls; some
// may run in parallel. The package also provides the batch tool, which makes many calls in one.
//
//	all, err := workflow.Load("workflows")
//	// ...
//	var runs workflow.Runs
//	tool := all[0].Tool(registry, &runs)
//
// Every call that a workflow or a batch makes goes through its caller's door ([mcp.Through]), so neither can
// do anything that its caller may not do. Expressions in workflow files can only compute, and the amount of
// work is limited. See docs/workflows.md for the format. Apart from reading files in Load, the package does
// no I/O, and every goroutine ends before the call that started it returns.
package workflow

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// Limits of a workflow and of its result.
const (
	// MaxFile is the largest workflow file, in bytes.
	MaxFile = 256 << 10
	// MaxFiles is how many files a folder may hold.
	MaxFiles = 256
	// MaxSteps is how many steps a workflow may have.
	MaxSteps = 64
	// MaxParallel is how many steps may run at once.
	MaxParallel = 16
	// MaxResult is the maximum total size of all results of a run, in bytes of JSON.
	MaxResult = 1 << 20
)

// Workflow is a validated series of tool calls. It is immutable and safe for concurrent use.
type Workflow struct {
	// Name is the name of the tool.
	Name string
	// Title is the display name, or empty if the file gives none.
	Title       string
	Description string
	// File is the path of the file that defines the workflow.
	File string

	sum       [sha256.Size]byte // hash of the file's content
	nameLine  int               // line to report for problems with the name
	params    []param
	stages    []stage
	output    *template // nil: return the steps' own results
	keepGoing bool      // stop_on_error: false
	effect    tools.Effect
	timeout   time.Duration // 0: the sum of the steps' timeouts
}

// stage is a single step, or several that run in parallel.
type stage []*step

// step is one tool call.
type step struct {
	id, tool string
	with     *template // nil: no arguments
	when     *expression
	line     int
}

// steps returns all steps in the order of the file.
func (w *Workflow) steps() []*step { return slices.Concat(w.stages...) }

// Needs returns the names of the tools that the workflow calls, sorted.
func (w *Workflow) Needs() []string {
	var names []string
	for _, s := range w.steps() {
		names = append(names, s.tool)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// UnknownTools reports the steps whose tool is not in known, each with the most similar known name.
func (w *Workflow) UnknownTools(known []string) userfile.Problems {
	var found userfile.Problems
	for _, s := range w.steps() {
		if slices.Contains(known, s.tool) {
			continue
		}
		fix := userfile.Suggest(s.tool, known, "see \"glyphoxa tools\" for those there are")
		found.Add(w.File, s.line, fmt.Sprintf("tool: %q is neither a built-in tool nor a workflow", s.tool), fix)
	}
	return found
}

// Missing returns the tools that the workflow calls but that are not in known, sorted. This is not an error,
// because servers that offer them may connect later.
func (w *Workflow) Missing(known []string) []string {
	return slices.DeleteFunc(w.Needs(), func(name string) bool { return slices.Contains(known, name) })
}
