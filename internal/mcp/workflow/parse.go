package workflow

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/problem"
)

var (
	toolForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	slugForm = regexp.MustCompile(`^[a-z0-9]+([_-][a-z0-9]+)*$`)
)

// Parse reads one workflow. file names it in problems, and names the workflow
// if it does not itself. What is wrong comes back as a problem.List.
func Parse(file string, data []byte) (*Workflow, error) {
	w, problems := parse(file, data)
	checkCycles([]*Workflow{w}, &problems)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return w, nil
}

// parse returns what could be read, never nil, and what is wrong with it.
func parse(file string, data []byte) (*Workflow, problem.List) {
	r := &reader{file: file}
	base := path.Base(filepath.ToSlash(file))
	w := &Workflow{File: file, Name: strings.TrimSuffix(base, path.Ext(base)), nameLine: 0}
	if root := r.document(data); root != nil {
		(&grammar{reader: r, w: w}).workflow(root)
	}
	return w, r.problems
}

// grammar reads one workflow file.
type grammar struct {
	*reader
	w      *Workflow
	scope  scope          // what expressions may name so far
	placed map[string]int // the line of each step id
}

func (g *grammar) workflow(root *yaml.Node) {
	g.placed = map[string]int{}
	stop, effect := true, "commit"
	var params, steps, output *yaml.Node
	keep := func(dst **yaml.Node) func(*yaml.Node) { return func(n *yaml.Node) { *dst = n } }
	g.object(root, "a workflow",
		field{"name", false, g.name},
		field{"title", false, g.textInto(&g.w.Title, "title")},
		field{"description", true, g.textInto(&g.w.Description, "description")},
		field{"parameters", false, keep(&params)},
		field{"steps", true, keep(&steps)},
		field{"output", false, keep(&output)},
		field{"stop_on_error", false, g.boolInto(&stop, "stop_on_error")},
		field{"effect", false, func(n *yaml.Node) { g.effect(n, &effect) }},
		field{"timeout", false, g.durationInto(&g.w.timeout, "timeout")},
	)
	g.w.keepGoing = !stop
	g.w.effect = tools.EffectAtCommit
	if effect == "now" {
		g.w.effect = tools.EffectNow
	}
	g.checkName()
	// In this order, whatever the file's: each names what came before.
	if params != nil {
		g.parameters(params)
	}
	if steps != nil {
		g.steps(steps)
	}
	if output != nil {
		g.w.output = g.template(output, "output", &g.scope, 0)
	}
}

func (g *grammar) name(n *yaml.Node) {
	if s, ok := g.text(n, "name"); ok {
		g.w.Name, g.w.nameLine = s, n.Line
	}
}

func (g *grammar) checkName() {
	fix := "use 1 to 64 of the characters A-Z, a-z, 0-9, _ and -"
	if g.w.nameLine == 0 {
		fix = "add name:, or rename the file"
	}
	switch {
	case !toolForm.MatchString(g.w.Name):
		g.problems.Add(g.file, g.w.nameLine, fmt.Sprintf("%q cannot be the name of a tool", g.w.Name), fix)
	case g.w.Name == BatchName:
		g.problems.Add(g.file, g.w.nameLine, fmt.Sprintf("%q is the name of a built-in tool", g.w.Name), "give the workflow another")
	}
}

func (g *grammar) effect(n *yaml.Node, dst *string) {
	s, ok := g.text(n, "effect")
	if ok && s != "now" && s != "commit" {
		g.add(n, fmt.Sprintf("there is no effect %q", s), "use commit or now")
	} else if ok {
		*dst = s
	}
}

func (g *grammar) steps(n *yaml.Node) {
	total := 0
	g.list(n, "steps", func(c *yaml.Node) {
		line := c.Line
		st := g.stage(c)
		if len(st) == 0 {
			return // there is a problem already
		}
		if total += len(st); total > MaxSteps && total-len(st) <= MaxSteps {
			g.problems.Add(g.file, line, fmt.Sprintf("the workflow has more than %d steps", MaxSteps), "move some to a workflow of their own")
		}
		g.w.stages = append(g.w.stages, st)
		for _, s := range st {
			if s.id != "" {
				g.scope.steps = append(g.scope.steps, s.id)
			}
		}
	})
	if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		g.add(n, "the workflow has no steps", "add one with id: and tool:")
	}
}

// stage reads a step or a parallel group.
func (g *grammar) stage(n *yaml.Node) stage {
	if !isGroup(n) {
		return stage{g.step(n)}
	}
	var st stage
	g.object(n, "a parallel group", field{"parallel", true, func(n *yaml.Node) {
		g.list(n, "parallel", func(c *yaml.Node) { st = append(st, g.step(c)) })
		if n.Kind == yaml.SequenceNode && (len(st) == 0 || len(st) > MaxParallel) {
			g.add(n, fmt.Sprintf("a parallel group has %d steps", len(st)), fmt.Sprintf("give it 1 to %d", MaxParallel))
		}
	}})
	return st
}

func isGroup(n *yaml.Node) bool {
	if n.Kind != yaml.MappingNode {
		return false
	}
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value == "parallel" {
			return true
		}
	}
	return false
}

// step reads a step; what is wrong with it leaves its fields empty.
func (g *grammar) step(n *yaml.Node) *step {
	s := &step{line: n.Line}
	g.object(n, "a step",
		field{"id", true, func(n *yaml.Node) { g.stepID(n, s) }},
		field{"tool", true, func(n *yaml.Node) {
			if name, ok := g.text(n, "tool"); ok && !toolForm.MatchString(name) {
				g.add(n, fmt.Sprintf("%q cannot be the name of a tool", name), "use 1 to 64 of the characters A-Z, a-z, 0-9, _ and -")
			} else {
				s.tool, s.line = name, n.Line
			}
		}},
		field{"with", false, func(n *yaml.Node) {
			if g.kind(n, yaml.MappingNode, "with") {
				s.with = g.template(n, "with", &g.scope, 0)
			}
		}},
		field{"if", false, func(n *yaml.Node) {
			if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool" {
				s.when = g.expression(n.Value, n.Line, &g.scope)
			} else if text, ok := g.text(n, "if"); ok {
				s.when = g.expression(text, firstLine(n), &g.scope)
			}
		}},
	)
	return s
}

func (g *grammar) stepID(n *yaml.Node, s *step) {
	id, ok := g.text(n, "id")
	if !ok {
		return
	}
	if len(id) > 64 || !slugForm.MatchString(id) {
		g.add(n, fmt.Sprintf("%q cannot be a step's id", id), "use small letters, digits and single _ or -")
		return
	}
	if line, ok := g.placed[id]; ok {
		g.add(n, fmt.Sprintf("there is already a step %q, on line %d", id, line), "give one another id")
		return
	}
	g.placed[id] = n.Line
	s.id = id
}

// firstLine is the line a text begins on.
func firstLine(n *yaml.Node) int {
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return n.Line + 1
	}
	return n.Line
}
