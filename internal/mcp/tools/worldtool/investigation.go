package worldtool

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// Investigate is the name of the tool investigate.
const Investigate = "investigate"

// permission is the permission that an outside client needs, in addition to those of the sources.
const permission = "memory.read"

// sources are the tools that investigate calls.
var sources = []string{toolLines, toolFacts, toolEntities, toolSummary, toolRules}

const (
	toolLines    = "search_sessions"
	toolFacts    = "search_facts"
	toolEntities = "query_entities"
	toolSummary  = "get_summary"
	toolRules    = "search_rules"
)

const (
	maxQuestion = 1000 // runes
	maxFindings = 12
	maxText     = 400 // runes of a finding
	defaultHops = 2
	maxHops     = 3

	investigateP50 = time.Second
	investigateMax = 3 * time.Second
	// spare is the time reserved for reporting the findings.
	spare = 150 * time.Millisecond
)

type arguments struct {
	Question string `json:"question" jsonschema:"What to find out, as a full question."`
	// Hops is nil for the default. It is a float because models like to write whole numbers as 2.0.
	Hops *float64 `json:"hops,omitempty" jsonschema:"How many times a name that turns up is followed."`
}

// Report is the output of investigate.
type Report struct {
	Question string `json:"question"`
	Count    int    `json:"count"`
	// Findings are in order, best first.
	Findings []Finding `json:"findings"`
	// Followed names the people and things that were followed, in that order.
	Followed []string `json:"followed"`
	// Asked lists the tools that answered.
	Asked []string `json:"asked"`
	// Complete is false if the time ran out or a source failed.
	Complete bool   `json:"complete"`
	Hint     string `json:"hint,omitempty"`
}

// Kinds of findings.
const (
	kindLine     = "line"
	kindFact     = "fact"
	kindEntity   = "entity"
	kindRelation = "relation"
	kindRule     = "rule"
)

// Finding is something that was found, with its source.
type Finding struct {
	Kind string `json:"kind" jsonschema:"What it is."`
	Text string `json:"text"`
	// Source says where the finding comes from: "session:ID turn 12", "entity:ID", "rule:ID".
	Source  string     `json:"source"`
	Speaker string     `json:"speaker,omitempty" jsonschema:"Who said it."`
	At      *time.Time `json:"at,omitempty" jsonschema:"When it was said."`
	Hop     int        `json:"hop" jsonschema:"After how many hops it was found; 1 is the question itself."`
	Via     string     `json:"via,omitempty" jsonschema:"The name that led to it."`
	Score   float64    `json:"score" jsonschema:"How well it fits beside the best one."`
}

// NewInvestigation returns investigate, ready for registration with the host.
func NewInvestigation() []tools.Tool {
	return []tools.Tool{tools.Reading(tools.Tool{
		Definition: llm.ToolDefinition{
			Name: Investigate,
			Description: "Look into a question that one search does not answer: follows the names that turn up through what was said, " +
				"what is known, the people and places of the world and the rules. Returns findings with their sources, best first. " +
				"Finds only what you may look up yourself. Takes a second or more.",
			Parameters: tools.SchemaOf[arguments](tools.Bounds{
				"question": {"minLength": 1, "maxLength": maxQuestion},
				"hops":     {"type": "integer", "minimum": 1, "maximum": maxHops, "default": defaultHops},
			}),
			EstimatedDurationMs: int(investigateP50.Milliseconds()), MaxDurationMs: int(investigateMax.Milliseconds()),
		},
		Title: "Investigate", Permission: permission, Composite: true, Floor: mcp.BudgetDeep, Probe: `{"question":"hello"}`,
		OutputSchema: tools.SchemaOf[Report](tools.Bounds{
			"findings.kind":  {"enum": []string{kindLine, kindFact, kindEntity, kindRelation, kindRule}},
			"findings.score": {"minimum": 0, "maximum": 1},
		}),
		Handler: tools.JSON(investigate),
	})}
}

func investigate(ctx context.Context, a arguments) (Report, error) {
	question := untrusted.Clip(strings.TrimSpace(a.Question), maxQuestion)
	if question == "" {
		return Report{}, fmt.Errorf("%w: question is empty; say what to find out", mcp.ErrInvalidArguments)
	}
	hops, err := hopsOf(a.Hops)
	if err != nil {
		return Report{}, err
	}
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(ctx, deadline.Add(-spare), errTimeUp)
		defer cancel()
	}
	i := newInquiry(question)
	for hop := 1; hop <= hops && ctx.Err() == nil; hop++ {
		if !i.runHop(ctx, hop) {
			break
		}
	}
	if err := context.Cause(ctx); err != nil && !errors.Is(err, errTimeUp) {
		return Report{}, err
	}
	return i.report(ctx)
}

// errTimeUp stops further queries shortly before the call's deadline.
var errTimeUp = errors.New("no time left to ask further")

func hopsOf(asked *float64) (int, error) {
	if asked == nil {
		return defaultHops, nil
	}
	if n := int(*asked); float64(n) == *asked && 1 <= n && n <= maxHops {
		return n, nil
	}
	return 0, fmt.Errorf("%w: hops is %v; use a whole number from 1 to %d", mcp.ErrInvalidArguments, *asked, maxHops)
}
