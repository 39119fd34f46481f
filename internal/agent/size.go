package agent

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// Bounds of the parts of a prompt, in tokens as estimated by [cost.EstimateTokens]. The description of an NPC
// does not depend on the tier, because otherwise a change of the tier would invalidate the provider's cache.
const (
	maxPersonality = 600
	maxKnowledge   = 150
	maxTopics      = 700
	maxSecrets     = 400
	maxRules       = 400
	maxSamples     = 150
	// maxHistory bounds the conversation. The latest exchange is always included.
	maxHistory = 1500
	// These bound parts of what an NPC knows right now; maxNames applies to each kind of names.
	maxScene     = 300
	maxNames     = 60
	maxReaction  = 100
	maxDirection = 300
	maxUnwanted  = 100 // of each answer
	maxTold      = maxSecrets
	maxDiary     = 250
	maxRecalled  = 350
	maxRuled     = 250
)

// bytesPerToken is the ratio that [cost.EstimateTokens] uses.
const bytesPerToken = 4

// Bounds limit what a prompt of one tier contains in addition to the parts that are the same in all tiers.
type Bounds struct {
	// Lines is the number of the table's last lines, and Entities that of described entities.
	Lines, Entities int
	// Facts bounds everything that an NPC knows right now, in tokens. The least important parts are left out
	// first, and among the table's lines the oldest.
	Facts int
}

// BoundsOf returns the bounds of a tier.
func BoundsOf(t mcp.BudgetTier) Bounds {
	switch t {
	case mcp.BudgetFast:
		return Bounds{Lines: 6, Entities: 2, Facts: 1400}
	case mcp.BudgetStandard:
		return Bounds{Lines: 12, Entities: 4, Facts: 1800}
	}
	return Bounds{Lines: 1000, Entities: 5, Facts: 2800}
}

// FindFaults returns the parts of an NPC's description that are too long to be given to models as a whole.
func FindFaults(npc config.NPC) []config.Fault {
	var found []config.Fault
	for _, part := range []struct {
		key   string
		items []string
		max   int
	}{
		{"personality", []string{npc.Personality}, maxPersonality},
		{"knowledge_scope", npc.KnowledgeScope, maxKnowledge},
		{"topics", topicLines(npc), maxTopics},
		{"secret_knowledge", npc.Secrets(), maxSecrets},
		{"behavior_rules", npc.BehaviorRules, maxRules},
	} {
		size := 0
		for _, item := range part.items {
			size += len(strings.TrimSpace(item))
		}
		found = append(found, overlong(part.key, size, part.max)...)
	}
	return found
}

// FindSceneFaults returns a fault if a scene is too long to be given to models as a
// whole.
func FindSceneFaults(scene string) []config.Fault {
	return overlong("scene", len(strings.TrimSpace(scene)), maxScene)
}

// overlong returns a fault if a part with that size in bytes exceeds a number of tokens.
func overlong(path string, size, tokens int) []config.Fault {
	if size <= tokens*bytesPerToken {
		return nil
	}
	return []config.Fault{{
		Path: path,
		What: fmt.Sprintf("is about %d tokens long, and a model is given %d of them", cost.EstimateTokens(size), tokens),
		Fix:  "shorten it, or its last sentences are left out",
	}}
}

// cutText returns the sentences of a text that fit into a number of tokens. If the first one does not fit, it
// returns as many of its words as do.
func cutText(text string, tokens int) string {
	text = strings.TrimSpace(text)
	most := max(tokens, 0) * bytesPerToken
	if len(text) <= most {
		return text
	}
	if end := lastStop(text, most); end > 0 {
		return text[:end]
	}
	const ellipsis = "…"
	most -= len(ellipsis)
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	if most <= 0 {
		return ""
	}
	if i := strings.LastIndexFunc(text[:most], unicode.IsSpace); i > 0 {
		most = i
	}
	return strings.TrimRightFunc(text[:most], unicode.IsSpace) + ellipsis
}

// cutLine applies cutText to a text from the table, and joins its lines.
func cutLine(text string, tokens int) string { return cutText(untrusted.Line(text, 0), tokens) }

// lastStop returns the end of the last sentence that ends within the first most bytes of a text, 0 if there
// is none. A full stop after one or two letters counts as part of an abbreviation.
func lastStop(text string, most int) int {
	end, word := 0, 0
	for i, after := 0, 0; i < len(text); i = after {
		r, width := utf8.DecodeRuneInString(text[i:])
		if after = i + width; after > most {
			break
		}
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			word++
			continue
		case strings.ContainsRune(`"'”“»«)’`, r) && i == end && end > 0:
			end = after // a closing quotation mark belongs to its sentence
		case r == '\n' && i > 0, r == '!', r == '?', r == '…', r == '.' && word > 2:
			if next, _ := utf8.DecodeRuneInString(text[after:]); r == '\n' || !unicode.IsLetter(next) && !unicode.IsDigit(next) {
				end = after
			}
		}
		word = 0
	}
	return len(strings.TrimRightFunc(text[:end], unicode.IsSpace))
}

// cutList returns the items of a list that fit into a number of tokens. The last of them may be cut at the
// end of a sentence.
func cutList(items []string, tokens int) []string {
	left := tokens * bytesPerToken
	for i, item := range items {
		item = strings.TrimSpace(item)
		if len(item) <= left {
			left -= len(item)
			continue
		}
		kept := append([]string(nil), items[:i]...)
		if end := lastStop(item, left); end > 0 {
			kept = append(kept, item[:end])
		}
		return kept
	}
	return items
}

// allowance is the remaining space, in bytes.
type allowance struct{ remaining int }

// scene adds the scene as the players were told it.
func (a *allowance) scene(text string) string {
	const intro = "What the players were told of the scene, in which \"you\" are they:\n\"%s\"\n"
	text = cutLine(text, min(maxScene, (a.remaining-len(intro))/bytesPerToken))
	if text == "" {
		return ""
	}
	text = fmt.Sprintf(intro, text)
	a.remaining -= len(text)
	return text
}

// latest adds the last items of a list that fit into a number of tokens.
func (a *allowance) latest(title string, items []string, tokens int) string {
	share := allowance{min(a.remaining, tokens*bytesPerToken)}
	before := share.remaining
	out := share.list(title, items, true)
	a.remaining -= before - share.remaining
	return out
}

// first adds the first items of a list that fit into a number of tokens.
func (a *allowance) first(title string, items []string, tokens int) string {
	share := allowance{min(a.remaining, tokens*bytesPerToken)}
	before := share.remaining
	out := share.list(title, items, false)
	a.remaining -= before - share.remaining
	return out
}

// list adds the first items of a list that fit; with latest, the last ones.
func (a *allowance) list(title string, items []string, latest bool) string {
	from, to, size := 0, 0, len(title)+2
	if latest {
		from, to = len(items), len(items)
	}
	for from > 0 || to < len(items) {
		i := to
		if latest {
			i = from - 1
		}
		if size+len(items[i])+3 > a.remaining {
			break
		}
		size += len(items[i]) + 3
		if latest {
			from--
		} else {
			to++
		}
	}
	var b strings.Builder
	writeList(&b, title, items[from:to])
	a.remaining -= b.Len()
	return b.String()
}
