// Package diceroller provides the tools roll and roll_table. The tool roll evaluates dice expressions such as
// "4d6kh3+2", and roll_table rolls on random tables such as wild_magic.
//
//	for _, t := range diceroller.Tools(diceroller.WithTables(tables)) {
//		// Register t with the host.
//	}
//
// The package only computes: it does no I/O, starts no goroutine and takes no lock. See [Parse] for the
// grammar of dice expressions and its limits.
package diceroller

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// Latencies that both tools declare, in milliseconds.
const (
	declaredP50 = 5
	declaredMax = 20
)

// Option configures [Tools].
type Option func(*options)

type options struct {
	src    Source
	tables map[string]config.RandomTable
}

// WithTables adds random tables to roll_table. A table replaces a built-in table of the same name. A table
// without a name or entries is ignored, and braces that contain no valid dice expression are returned as
// plain text. [CheckTable] reports both mistakes.
func WithTables(tables map[string]config.RandomTable) Option {
	return func(o *options) { maps.Copy(o.tables, tables) }
}

// Tools returns roll and roll_table, ready for registration with the host.
//
// Both are marked idempotent, because a roll has no lasting effect and calibration may therefore probe the
// tools freely. Results must not be cached: each call rolls anew.
func Tools(opts ...Option) []tools.Tool {
	o := options{src: fair{}, tables: map[string]config.RandomTable{}}
	for _, opt := range opts {
		opt(&o)
	}
	return []tools.Tool{rollTool(o.src), tableTool(newTables(o.tables), o.src)}
}

func rollTool(src Source) tools.Tool {
	return tools.Tool{
		Definition: llm.ToolDefinition{
			Name: "roll",
			Description: "Roll dice and get every die and the total. " +
				"Examples: 2d6+3, 1d20, 4d8-1, d%, 4d6kh3 (keep the highest three), " +
				"4d6dl1 (drop the lowest), d20adv (advantage), d20dis (disadvantage).",
			Parameters: map[string]any{
				"type": "object",
				"properties": map[string]any{
					"expression": map[string]any{
						"type":        "string",
						"description": "Dice and numbers joined by + and -, such as 2d6+3.",
						"minLength":   1,
						"maxLength":   MaxLength,
					},
				},
				"required":             []string{"expression"},
				"additionalProperties": false,
			},
			EstimatedDurationMs: declaredP50,
			MaxDurationMs:       declaredMax,
			Idempotent:          true,
		},
		Handler:      rollHandler(src),
		DeclaredP50:  declaredP50,
		DeclaredMax:  declaredMax,
		Title:        "Roll dice",
		Permission:   "dice.roll",
		OutputSchema: rollOutput(),
		ReadOnly:     true,
		Floor:        mcp.BudgetFast,
		Probe:        `{"expression":"1d20"}`,
		Inline:       true,
	}
}

func rollOutput() map[string]any {
	dice := func(description string) map[string]any {
		return map[string]any{
			"type":        "array",
			"items":       map[string]any{"type": "integer"},
			"description": description,
		}
	}
	return map[string]any{
		"type": "object",
		"properties": map[string]any{
			"expression": map[string]any{"type": "string", "description": "The expression as asked for."},
			"rolls":      dice("Every die in the order thrown."),
			"total":      map[string]any{"type": "integer"},
			"kept":       dice("The dice that count; present when some do not."),
			"detail": map[string]any{
				"type":        "string",
				"description": "How the total came about; dropped dice stand in parentheses. Present where rolls alone leave it open.",
			},
		},
		"required":             []string{"expression", "rolls", "total"},
		"additionalProperties": false,
	}
}

func rollHandler(src Source) tools.Handler {
	return func(ctx context.Context, args string) (string, error) {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		text, err := argument(args, "expression")
		if err != nil {
			return "", err
		}
		expr, err := Parse(text)
		if err != nil {
			return "", err
		}
		var dice [24]Die
		var buf [256]byte
		return string(appendRoll(buf[:0], text, expr.rollOnto(dice[:0], src))), nil
	}
}

// Result is the output of roll.
type Result struct {
	Expression string `json:"expression"`
	Rolls      []int  `json:"rolls"`
	Total      int    `json:"total"`
	// Kept are the dice that count. Detail shows how they add up, if that is not obvious from Rolls.
	Kept   []int   `json:"kept"`
	Detail *string `json:"detail"`
}

// appendRoll appends a [Result] as JSON.
func appendRoll(b []byte, text string, o Outcome) []byte {
	b = append(b, `{"expression":`...)
	b = appendString(b, text)
	b = append(b, `,"rolls":`...)
	b = appendDice(b, o.Dice, true)
	b = append(b, `,"total":`...)
	b = strconv.AppendInt(b, int64(o.Total), 10)
	if o.dropped() {
		b = append(b, `,"kept":`...)
		b = appendDice(b, o.Dice, false)
	}
	if o.dropped() || o.Expr.diceTerms() > 1 {
		b = append(b, `,"detail":"`...)
		b = o.appendDetail(b)
		b = append(b, '"')
	}
	return append(b, '}')
}

func appendDice(b []byte, dice []Die, all bool) []byte {
	b = append(b, '[')
	first := true
	for _, d := range dice {
		if d.Dropped && !all {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = strconv.AppendInt(b, int64(d.Value), 10)
	}
	return append(b, ']')
}

// appendString appends s as a JSON string.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			quoted, _ := json.Marshal(s) // marshalling a string cannot fail
			return append(b, quoted...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// fair draws from the runtime's per-thread ChaCha8 generators, which are seeded from the operating system's
// random source.
type fair struct{}

// IntN is unbiased, because rand.IntN draws again where a modulo would favour low numbers.
func (fair) IntN(n int) int { return rand.IntN(n) }

// argument returns the string field called name of the JSON object args, or "" if there is none. It does not
// allocate if name is the only field of the object.
func argument(args, name string) (string, error) {
	if v, ok := plainArgument(args, name); ok {
		return v, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(args), &fields); err != nil {
		return "", fmt.Errorf("%w: reading arguments as a JSON object: %v", mcp.ErrInvalidArguments, err)
	}
	raw, ok := fields[name]
	if !ok {
		return "", nil
	}
	var v *string
	if err := json.Unmarshal(raw, &v); err != nil || v == nil {
		return "", fmt.Errorf("%w: %q must be a string", mcp.ErrInvalidArguments, name)
	}
	return *v, nil
}
