package workflow

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// maxDepth is how deeply values in a file may be nested.
const maxDepth = 32

var (
	toolForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	slugForm = regexp.MustCompile(`^[a-z0-9]+([_-][a-z0-9]+)*$`)
)

// toolFix describes valid tool names.
const toolFix = "use 1 to 64 of the characters A-Z, a-z, 0-9, _ and -"

// options configure how workflow files are read.
var options = userfile.Options{
	MaxSize: MaxFile, MaxDepth: maxDepth, Literal: true, Empty: "start with description: and steps:",
	Formats: map[string]func(string) (what, fix string){"tool": checkTool, "step": checkStepID},
}

// fileDecl is the content of a workflow file.
type fileDecl struct {
	_           struct{}              `noun:"a workflow"`
	Name        string                `yaml:"name" doc:"Name of the tool; the file's if missing."`
	Title       string                `yaml:"title" doc:"Its name for people."`
	Description string                `yaml:"description" required:"true" doc:"What it does, for the model that chooses it."`
	Parameters  map[string]*paramDecl `yaml:"parameters" doc:"What it is called with, by name."`
	Steps       []stageDecl           `yaml:"steps" required:"true" nonempty:"add one with id: and tool:" doc:"The calls it makes, one after the other."`
	Output      userfile.Value        `yaml:"output" doc:"What it returns, with expressions in {{ }}; the steps' results if missing."`
	StopOnError bool                  `yaml:"stop_on_error" doc:"Whether a step that fails is the last."`
	Effect      string                `yaml:"effect" enum:"commit|now" doc:"When it acts: commit (once the answer was delivered) or now."`
	Timeout     userfile.Duration     `yaml:"timeout" min:"1ms" max:"10m" doc:"How long it may take; the sum of its steps if missing."`
}

// stageDecl is a single step, or a group of steps that run in parallel.
type stageDecl struct {
	step  stepDecl
	group groupDecl
}

// Shapes implements [userfile.Union].
func (d *stageDecl) Shapes() []any { return []any{&d.step, &d.group} }

// PickShape implements [userfile.Union].
func (d *stageDecl) PickShape(has func(string) bool) int {
	if has("parallel") {
		return 1
	}
	return 0
}

type groupDecl struct {
	_        struct{}   `noun:"a parallel group"`
	Parallel []stepDecl `yaml:"parallel" required:"true" nonempty:"give it 1 to 16 steps" doc:"Steps that run at once."`
}

type stepDecl struct {
	_    struct{}       `noun:"a step"`
	Line int            `line:"true"`
	ID   string         `yaml:"id" required:"true" format:"step" doc:"Name by which later steps refer to it."`
	Tool string         `yaml:"tool" required:"true" format:"tool" doc:"The tool it calls."`
	With userfile.Value `yaml:"with" doc:"The tool's arguments, with expressions in {{ }}."`
	If   userfile.Value `yaml:"if" doc:"Expression that says whether it runs."`
}

// Parse reads one workflow. file identifies it in problems, and names the workflow if the data contains no
// name. Problems are returned as a userfile.Problems.
func Parse(file string, data []byte) (*Workflow, error) {
	w, problems := parse(file, data)
	checkCycles([]*Workflow{w}, &problems)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return w, nil
}

// parse returns as much as it could read, never nil, together with the problems it found.
func parse(name string, data []byte) (*Workflow, userfile.Problems) {
	var problems userfile.Problems
	f := fileDecl{StopOnError: true}
	doc := userfile.ReadYAML(name, data, &f, &options, &problems)
	base := path.Base(filepath.ToSlash(name))
	w := &Workflow{
		sum: sha256.Sum256(data), File: name, Name: cmp.Or(f.Name, strings.TrimSuffix(base, path.Ext(base))), Title: f.Title, Description: f.Description,
		keepGoing: !f.StopOnError, effect: tools.EffectAtCommit, timeout: time.Duration(f.Timeout),
	}
	if f.Effect == "now" {
		w.effect = tools.EffectNow
	}
	if doc.HasValue("") && !doc.Cut() {
		c := &compiler{doc: doc, problems: &problems, w: w, placed: map[string]int{}}
		c.checkName()
		c.addParams(f.Parameters)
		c.addStages(f.Steps)
		if f.Output.Kind != userfile.Missing {
			w.output = c.template("output", &f.Output, &c.scope)
		}
	}
	return w, problems
}

// compiler compiles a workflow from its file. Expressions can refer only to parameters and to earlier steps.
type compiler struct {
	doc      *userfile.Document
	problems *userfile.Problems
	w        *Workflow
	scope    scope          // names that expressions may use so far
	placed   map[string]int // the line of each step id
}

func (c *compiler) checkName() {
	fix := "add name:, or rename the file"
	if c.doc.HasValue("name") {
		fix = toolFix
		c.w.nameLine = c.doc.Line("name")
	}
	switch {
	case c.doc.Broken("name"):
	case !toolForm.MatchString(c.w.Name):
		c.problems.Add(c.w.File, c.w.nameLine, fmt.Sprintf("%q cannot be the name of a tool", c.w.Name), fix)
	case c.w.Name == BatchName:
		c.problems.Add(c.w.File, c.w.nameLine, fmt.Sprintf("%q is the name of a built-in tool", c.w.Name), "give the workflow another")
	}
}

// checkTool checks the format of a tool name.
func checkTool(name string) (what, fix string) {
	if toolForm.MatchString(name) {
		return "", ""
	}
	return userfile.Quote(name) + " cannot be the name of a tool", toolFix
}

// checkStepID checks the format of a step id.
func checkStepID(id string) (what, fix string) {
	if len(id) <= 64 && slugForm.MatchString(id) {
		return "", ""
	}
	return userfile.Quote(id) + " cannot be a step's id", "use small letters, digits and single _ or -"
}

func (c *compiler) addStages(stages []stageDecl) {
	total := 0
	for i := range stages {
		path := userfile.Path("steps").Item(i)
		var st stage
		if group := stages[i].group.Parallel; group != nil {
			path := path.Key("parallel")
			for k := range group {
				st = append(st, c.step(path.Item(k), &group[k]))
			}
			if len(st) > MaxParallel {
				c.doc.AddSentence(path, 0, fmt.Sprintf("a parallel group has %d steps", len(st)), fmt.Sprintf("give it 1 to %d", MaxParallel))
			}
		} else if stages[i].step.Line > 0 {
			st = stage{c.step(path, &stages[i].step)}
		}
		if total += len(st); total > MaxSteps && total-len(st) <= MaxSteps {
			c.doc.AddSentence(path, 0, fmt.Sprintf("the workflow has more than %d steps", MaxSteps), "move some to a workflow of their own")
		}
		c.w.stages = append(c.w.stages, st)
		for _, s := range st {
			if s.id != "" {
				c.scope.steps = append(c.scope.steps, s.id)
			}
		}
	}
}

// step compiles a step. Fields with problems stay empty.
func (c *compiler) step(path userfile.Path, d *stepDecl) *step {
	s := &step{id: d.ID, tool: d.Tool, line: d.Line}
	if s.tool != "" {
		s.line = c.doc.Line(path.Key("tool"))
	}
	if first, ok := c.placed[s.id]; ok {
		c.doc.AddSentence(path.Key("id"), 0, fmt.Sprintf("there is already a step %q, on line %d", s.id, first), "give one another id")
		s.id = ""
	} else if s.id != "" {
		c.placed[s.id] = c.doc.Line(path.Key("id"))
	}
	switch d.With.Kind {
	case userfile.Missing:
	case userfile.Mapping:
		s.with = c.template(path.Key("with"), &d.With, &c.scope)
	default:
		c.doc.AddProblem(path.Key("with"), "expected keys and values", `write "key: value" lines below it`)
	}
	switch when := d.If.Single.(type) {
	case bool:
		s.when = c.expression(path.Key("if"), fmt.Sprint(when), d.If.Line, &c.scope)
	case string:
		s.when = c.expression(path.Key("if"), strings.TrimSpace(when), d.If.LineAt(0), &c.scope)
	default:
		if d.If.Kind != userfile.Missing {
			c.doc.AddProblem(path.Key("if"), "expected an expression", "write one such as steps.ID.ok")
		}
	}
	return s
}

// Schema returns the JSON Schema of workflow files, for use by editors.
func Schema() (*jsonschema.Schema, error) {
	return userfile.Schema("Glyphoxa workflow", &fileDecl{StopOnError: true}, &options)
}
