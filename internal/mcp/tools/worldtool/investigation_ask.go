package worldtool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// maxAtOnce is the maximum number of concurrent calls of one inquiry.
const maxAtOnce = 4

// ruleFits is the minimum score of a rule that is reported. It is high because most questions are not about
// rules.
const ruleFits = 0.7

// query is a call of a source that follows a lead.
type query struct {
	tool string
	args map[string]any
	lead lead
}

// answer is the result of a source, or empty if it returned none.
type answer struct {
	tool string
	raw  []byte
	err  error
}

// runQueries makes the calls, several at a time, and returns the answers in the order of the queries. Every call
// ends with ctx.
func (i *inquiry) runQueries(ctx context.Context, queries []query) []answer {
	answers := make([]answer, len(queries))
	var g errgroup.Group
	g.SetLimit(maxAtOnce)
	for n, q := range queries {
		if slices.Contains(i.lacks, q.tool) {
			continue
		}
		g.Go(func() error {
			answers[n] = runQuery(ctx, q)
			return nil
		})
	}
	g.Wait()
	for _, a := range answers {
		switch {
		case a.tool == "":
		case a.err == nil:
			if !slices.Contains(i.answeredTools, a.tool) {
				i.answeredTools = append(i.answeredTools, a.tool)
			}
		case errors.Is(a.err, mcp.ErrNotAllowed) || errors.Is(a.err, mcp.ErrUnknownTool):
			if !slices.Contains(i.lacks, a.tool) {
				i.lacks = append(i.lacks, a.tool)
			}
		default:
			i.failed = true
		}
	}
	return answers
}

func runQuery(ctx context.Context, q query) answer {
	args, err := tools.Encode(q.args)
	if err != nil {
		return answer{tool: q.tool, err: err}
	}
	res, err := mcp.Through(mcp.WithProgress(ctx, nil), q.tool, args)
	a := answer{tool: q.tool, raw: res.Structured, err: err}
	if len(a.raw) == 0 {
		a.raw = []byte(res.Text)
	}
	if err == nil && res.IsError {
		a.err = errors.New("the tool reports an error")
	}
	return a
}

// noAnswerError returns an error that explains why no source answered.
func (i *inquiry) noAnswerError() error {
	if len(i.lacks) > 0 {
		return fmt.Errorf("%w: it looks into %s, and the caller may use none of them that answers; list some of them beside it",
			mcp.ErrNotAllowed, strings.Join(sources, ", "))
	}
	return fmt.Errorf("asking %s: %w", strings.Join(sources, ", "), mcp.ErrTimeout)
}

// entity is an entity as query_entities returns it.
type entity struct {
	ID          string `json:"id"`
	Type        string `json:"type"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

func (a answer) entities() []entity {
	var found struct {
		Entities []entity `json:"entities"`
	}
	a.decode(&found)
	return found.Entities
}

// decode decodes the result of the source. A result of another shape is ignored.
func (a answer) decode(into any) {
	if a.err == nil && len(a.raw) > 0 {
		_ = json.Unmarshal(a.raw, into)
	}
}

// recordAnswer records a source's findings at a hop.
func (i *inquiry) recordAnswer(a answer, hop int, l lead) {
	switch a.tool {
	case toolLines:
		i.recordLines(a, hop, l)
	case toolFacts:
		i.recordFacts(a, hop, l)
	case toolRules:
		i.recordRules(a, hop, l)
	case toolSummary:
		i.recordSummary(a, hop, l)
	}
}

// recordClaim records that a source considers text an answer. In later hops the source was asked about more
// than the question, so the text must also contain some of the question's words.
func (i *inquiry) recordClaim(text string, hop int) {
	if hop == 1 || i.share(text) > 0 {
		i.claimed = true
	}
}

// sureFrom is the score from which search_sessions considers a line an answer.
const sureFrom = 0.5

func (i *inquiry) recordLines(a answer, hop int, l lead) {
	type said struct {
		SessionID string    `json:"session_id"`
		Speaker   string    `json:"speaker"`
		Text      string    `json:"text"`
		At        time.Time `json:"at"`
		Turn      int64     `json:"turn"`
		Score     float64   `json:"score"`
	}
	var found struct {
		Lines []said `json:"lines"`
	}
	a.decode(&found)
	for rank, line := range found.Lines {
		if line.Score >= sureFrom {
			i.recordClaim(line.Text, hop)
		}
		i.addFinding(Finding{
			Kind: kindLine, Text: untrusted.Clip(line.Text, maxText), Speaker: line.Speaker, At: timeOf(line.At), Hop: hop,
			Source: fmt.Sprintf("session:%s turn %d", line.SessionID, line.Turn),
		}, rank, l)
	}
}

func timeOf(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func (i *inquiry) recordFacts(a answer, hop int, l lead) {
	var found struct {
		Facts []struct {
			Text   string `json:"text"`
			Source string `json:"source"`
		} `json:"facts"`
		Note string `json:"note"`
	}
	a.decode(&found)
	rank := 0
	for _, f := range found.Facts {
		if found.Note == "" {
			i.recordClaim(f.Text, hop)
		}
		// A line that is also indexed as a fact is reported only once, as the line.
		if _, said, ok := strings.Cut(f.Text, ": "); ok && i.byText[words.Key(untrusted.Clip(said, maxText))] != nil {
			continue
		}
		i.addFinding(Finding{Kind: kindFact, Text: untrusted.Clip(f.Text, maxText), Source: f.Source, Hop: hop}, rank, l)
		rank++
	}
}

func (i *inquiry) recordRules(a answer, hop int, l lead) {
	var found struct {
		Results []struct {
			ID      string  `json:"id"`
			Name    string  `json:"name"`
			Summary string  `json:"summary"`
			Score   float64 `json:"score"`
		} `json:"results"`
	}
	a.decode(&found)
	rank := 0
	for _, r := range found.Results {
		if r.Score < ruleFits {
			continue
		}
		if i.isAsked(r.Name) {
			i.claimed = true
		}
		i.addFinding(Finding{Kind: kindRule, Text: untrusted.Clip(r.Name+": "+r.Summary, maxText), Source: "rule:" + r.ID, Hop: hop}, rank, l)
		rank++
	}
}

// recordSummary records an entity's description, and those of its relations that the question is about or that
// lead to something already found.
func (i *inquiry) recordSummary(a answer, hop int, l lead) {
	var e struct {
		entity
		Relationships []struct {
			Type       string `json:"type"`
			Direction  string `json:"direction"`
			EntityID   string `json:"entity_id"`
			EntityName string `json:"entity_name"`
			Note       string `json:"note"`
		} `json:"relationships"`
	}
	a.decode(&e)
	if e.Name == "" {
		return
	}
	source := "entity:" + e.ID
	i.addFinding(Finding{Kind: kindEntity, Text: untrusted.Clip(e.Name+": "+e.Description, maxText), Source: source, Hop: hop}, 0, l)
	rank := 0
	for _, r := range e.Relationships {
		from, to := e.Name, r.EntityName
		if r.Direction == "in" {
			from, to = to, from
		}
		text := strings.TrimSpace(fmt.Sprintf("%s %s %s. %s", from, strings.ReplaceAll(r.Type, "_", " "), to, r.Note))
		if i.share(text) == 0 && !i.isMentioned(r.EntityName) {
			continue
		}
		i.recordClaim(text, hop)
		i.addFinding(Finding{Kind: kindRelation, Text: untrusted.Clip(text, maxText), Source: source, Hop: hop}, rank, l)
		rank++
	}
}
