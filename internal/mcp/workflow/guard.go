package workflow

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
)

const (
	// maxWork limits the cost of one expression. One unit is a byte of text or an item that an operation
	// looks at.
	maxWork = 4 << 20
	// turnWork is the cost of one loop iteration, in addition to the data it looks at.
	turnWork = 4
)

var errTooMuchWork = errors.New("the expression costs too much; give it less to go through")

// The names of the guard functions, and of the variables passed to them, contain a space so that no
// expression can use them.
const (
	guardGet    = " get"
	guardCharge = " charge"
	guardTick   = " tick"
	guardTruth  = " truth"
	guardJoin   = " join"
	nameBudget  = " budget"
	nameContext = " context"
)

// guard rewrites an expression so that operations charge their operands to a [budget] before they run, loops
// charge each iteration, missing values are nil, and nil counts as false.
type guard struct{}

// Visit implements [ast.Visitor].
func (guard) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.MemberNode:
		ast.Patch(node, guarded(guardGet, n.Node, n.Property))
	case *ast.BinaryNode:
		wrap := guardCharge
		switch n.Operator {
		case "??":
			return
		case "and", "or", "&&", "||":
			wrap = guardTruth
		}
		n.Left, n.Right = paid(wrap, n.Left), paid(wrap, n.Right)
	case *ast.UnaryNode:
		if n.Operator == "!" || n.Operator == "not" {
			n.Node = paid(guardTruth, n.Node)
		}
	case *ast.ConditionalNode:
		n.Cond = paid(guardTruth, n.Cond)
	case *ast.PredicateNode:
		n.Node = guarded(guardTick, name(nameBudget), name(nameContext), n.Node)
	case *ast.BuiltinNode:
		for i, a := range n.Arguments {
			if _, ok := a.(*ast.PredicateNode); !ok {
				n.Arguments[i] = paid(guardCharge, a)
			}
		}
		if n.Name == "join" {
			ast.Patch(node, guarded(guardJoin, append([]ast.Node{name(nameBudget)}, n.Arguments...)...))
		}
	}
}

func guarded(guard string, args ...ast.Node) ast.Node {
	return &ast.CallNode{Callee: name(guard), Arguments: args}
}

func name(s string) ast.Node { return &ast.IdentifierNode{Value: s} }

// paid wraps an expression that is not constant.
func paid(guard string, n ast.Node) ast.Node {
	switch n.(type) {
	case *ast.NilNode, *ast.IntegerNode, *ast.FloatNode, *ast.StringNode, *ast.BoolNode:
		return n
	}
	if guard == guardCharge {
		return guarded(guard, name(nameBudget), n)
	}
	return guarded(guard, n)
}

// guards returns the functions that guarded expressions call. They take their arguments in the order in which
// guard passes them.
func guards() []expr.Option {
	return []expr.Option{
		expr.Function(guardGet, func(args ...any) (any, error) { return get(args[0], args[1]), nil }),
		expr.Function(guardTruth, func(args ...any) (any, error) { return truth(args[0]) }),
		expr.Function(guardCharge, func(args ...any) (any, error) { return args[0].(*budget).charge(args[1]) }),
		expr.Function(guardTick, func(args ...any) (any, error) {
			return args[0].(*budget).tick(args[1].(context.Context), args[2])
		}),
		expr.Function(guardJoin, func(args ...any) (any, error) { return args[0].(*budget).joinLists(args[1:]) }),
	}
}

// budget is the cost that one run of an expression may still incur.
type budget struct{ left int }

// environment returns the variables of an expression, with a full budget. Loops stop when ctx is done.
func environment(ctx context.Context, v values) map[string]any {
	return map[string]any{
		"params": v.params, "steps": v.steps, nameBudget: &budget{left: maxWork}, nameContext: ctx,
	}
}

// charge subtracts the cost of traversing v.
func (b *budget) charge(v any) (any, error) {
	if !chargeSize(v, &b.left) {
		return nil, errTooMuchWork
	}
	return v, nil
}

// tick subtracts the cost of one loop iteration.
func (b *budget) tick(ctx context.Context, v any) (any, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if b.left -= turnWork; b.left < 0 {
		return nil, errTooMuchWork
	}
	return v, nil
}

// joinLists is like strings.Join, but accepts lists of any values.
func (b *budget) joinLists(args []any) (any, error) {
	if len(args) == 0 || len(args) > 2 {
		return nil, errors.New("join takes a list and a separator")
	}
	separator := ""
	if len(args) == 2 {
		s, ok := args[1].(string)
		if !ok {
			return nil, errors.New("the separator of join is no text")
		}
		separator = s
	}
	var words []string
	switch list := args[0].(type) {
	case nil:
	case []string:
		words = list
	case []any:
		for _, v := range list {
			word, err := asText(v)
			if err != nil {
				return nil, err
			}
			words = append(words, word)
		}
	default:
		return nil, errors.New("join takes a list")
	}
	if b.left -= len(separator) * len(words); b.left < 0 {
		return nil, errTooMuchWork
	}
	return strings.Join(words, separator), nil
}

// get returns from[key], or nil if there is no such element.
func get(from, key any) any {
	switch x := from.(type) {
	case map[string]any:
		if name, ok := key.(string); ok {
			return x[name]
		}
	case []any:
		if i, ok := index(key, len(x)); ok {
			return x[i]
		}
	case []string:
		if i, ok := index(key, len(x)); ok {
			return x[i]
		}
	}
	return nil
}

// index converts key to an index into a list of n elements. -1 means the last element.
func index(key any, n int) (int, bool) {
	i, ok := key.(int)
	if i < 0 {
		i += n
	}
	return i, ok && 0 <= i && i < n
}

// truth converts v to a bool. nil is false; any other non-bool is an error.
func truth(v any) (bool, error) {
	switch x := v.(type) {
	case nil:
		return false, nil
	case bool:
		return x, nil
	}
	return false, fmt.Errorf("want true or false, not %s", kindOf(v))
}

func kindOf(v any) string {
	switch v.(type) {
	case string:
		return "text"
	case int, float64:
		return "a number"
	case []any, []string:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return fmt.Sprintf("%T", v)
}
