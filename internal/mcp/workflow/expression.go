package workflow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

const (
	maxExpression = 2000 // bytes
	maxNodes      = 200
)

// functions lists the functions that an expression may call. All are pure, and none costs more than the size
// of its arguments.
var functions = []string{
	"all", "any", "none", "one", "filter", "map", "find", "findIndex", "findLast", "findLastIndex", "count", "sum", "sortBy",
	"len", "abs", "ceil", "floor", "round", "int", "float", "string", "upper", "lower", "trim", "split", "join",
	"hasPrefix", "hasSuffix", "indexOf", "max", "min", "first", "last", "take", "keys", "values", "reverse", "sort",
}

// stepKeys are the fields of a finished step that an expression can read.
var stepKeys = []string{"ok", "result", "error", "skipped", "ms"}

// scope holds the names that an expression may use.
type scope struct {
	params, steps []string
}

// expression is a compiled expression. It is safe for concurrent use.
type expression struct {
	source  string
	program *vm.Program
}

// expression compiles the expression text, which starts on the given line.
func (c *compiler) expression(path userfile.Path, text string, line int, in *scope) *expression {
	e, err := compile(text, in)
	if err == nil {
		return e
	}
	var wrong *mistake
	if !errors.As(err, &wrong) {
		wrong = &mistake{what: err.Error()}
	}
	c.doc.AddSentence(path, line+wrong.line, fmt.Sprintf("in %q: %s", untrusted.Clean(text, 80), wrong.what), wrong.fix)
	return nil
}

// mistake describes an error in an expression. lines is the offset from the expression's first line.
type mistake struct {
	line      int
	what, fix string
}

func (m *mistake) Error() string { return m.what }

// compile checks and compiles an expression.
func compile(text string, in *scope) (*expression, error) {
	if len(text) > maxExpression {
		return nil, &mistake{what: fmt.Sprintf("the expression is longer than %d bytes", maxExpression), fix: "split it over steps"}
	}
	tree, err := parser.Parse(text)
	if err != nil {
		return nil, syntaxMistake(err)
	}
	check := &checker{source: []rune(text), scope: in, called: map[ast.Node]bool{}}
	if err := check.tree(tree.Node); err != nil {
		return nil, err
	}
	options := append(guards(), expr.Env(environment(context.Background(), values{})),
		expr.MaxNodes(maxNodes), expr.Optimize(false), expr.Patch(guard{}))
	program, err := expr.Compile(text, options...)
	if err != nil {
		return nil, syntaxMistake(err)
	}
	return &expression{source: text, program: program}, nil
}

func syntaxMistake(err error) *mistake {
	m := &mistake{what: untrusted.Clean(err.Error(), 300), fix: "correct the expression"}
	var at *file.Error
	if errors.As(err, &at) {
		m.what, m.line = untrusted.Clean(at.Message, 300), max(at.Line-1, 0)
	}
	return m
}

// values are the values that an expression can read.
type values struct {
	params, steps map[string]any
}

// eval evaluates the expression. The value is nil, a bool, int, float64 or string, or slices and maps of
// these. Evaluation stops when ctx is done or the expression exceeds its budget.
func (e *expression) eval(ctx context.Context, v values) (any, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	out, err := expr.Run(e.program, environment(ctx, v))
	if err == nil {
		return out, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return nil, fmt.Errorf("computing %q: %s", untrusted.Clean(e.source, 80), syntaxMistake(err).what)
}

// truth evaluates the expression as a condition.
func (e *expression) truth(ctx context.Context, v values) (bool, error) {
	out, err := e.eval(ctx, v)
	if err != nil {
		return false, err
	}
	yes, err := truth(out)
	if err != nil {
		return false, fmt.Errorf("computing %q: %w", untrusted.Clean(e.source, 80), err)
	}
	return yes, nil
}

// checker finds constructs that expressions may not contain, and unknown names.
type checker struct {
	source []rune
	*scope
	called  map[ast.Node]bool // names in call position
	collect bool
	first   *mistake
}

func (c *checker) tree(n ast.Node) error {
	c.collect = true
	ast.Walk(&n, c)
	c.collect = false
	ast.Walk(&n, c)
	if c.first != nil {
		return c.first
	}
	return nil
}

// Visit implements [ast.Visitor].
func (c *checker) Visit(node *ast.Node) {
	if call, ok := (*node).(*ast.CallNode); ok && c.collect {
		c.called[call.Callee] = true
	}
	if c.collect || c.first != nil {
		return
	}
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		if n.Value != "params" && n.Value != "steps" && !c.called[n] {
			c.wrong(n, fmt.Sprintf("there is no %q", n.Value), "use params.NAME or steps.ID, or put text in quotes")
		}
	case *ast.CallNode:
		id, ok := n.Callee.(*ast.IdentifierNode)
		if !ok {
			c.wrong(n, "values cannot be called", "remove the brackets")
			return
		}
		c.wrong(n, fmt.Sprintf("there is no function %q", id.Value), suggest(id.Value, functions))
	case *ast.BuiltinNode:
		if !slices.Contains(functions, n.Name) {
			c.wrong(n, fmt.Sprintf("there is no function %q", n.Name), suggest(n.Name, functions))
		}
	case *ast.BinaryNode:
		if n.Operator == ".." || n.Operator == "matches" {
			c.wrong(n, fmt.Sprintf("there is no operator %q", n.Operator), "")
		}
	case *ast.VariableDeclaratorNode, *ast.SequenceNode, *ast.BytesNode:
		c.wrong(n, "let, ; and bytes are not available", "write one plain expression")
	case *ast.MemberNode:
		c.member(n)
	}
}

// member checks params.NAME, steps.ID and steps.ID.KEY.
func (c *checker) member(n *ast.MemberNode) {
	property, ok := n.Property.(*ast.StringNode)
	if !ok {
		return // computed key: a missing one yields nil
	}
	switch {
	case isName(n.Node, "params") && !slices.Contains(c.params, property.Value):
		c.wrong(n, fmt.Sprintf("there is no parameter %q", property.Value), suggest(property.Value, c.params))
	case isName(n.Node, "steps") && !slices.Contains(c.steps, property.Value):
		fix := "name a step that ended before"
		if len(c.steps) > 0 {
			fix = suggest(property.Value, c.steps)
		}
		c.wrong(n, fmt.Sprintf("no step %q comes before", property.Value), fix)
	}
	if base, ok := n.Node.(*ast.MemberNode); ok && isName(base.Node, "steps") && !slices.Contains(stepKeys, property.Value) {
		c.wrong(n, fmt.Sprintf("a step has no %q", property.Value), suggest(property.Value, stepKeys))
	}
}

// suggest returns a hint with the known name closest to name, or with all known names.
func suggest(name string, known []string) string {
	if len(known) == 0 {
		return ""
	}
	return userfile.Suggest(name, known, "use "+strings.Join(known, ", "))
}

func isName(n ast.Node, name string) bool {
	id, ok := n.(*ast.IdentifierNode)
	return ok && id.Value == name
}

func (c *checker) wrong(n ast.Node, what, fix string) {
	line := 0
	for _, r := range c.source[:min(max(n.Location().From, 0), len(c.source))] {
		if r == '\n' {
			line++
		}
	}
	c.first = &mistake{line: line, what: what, fix: fix}
}
