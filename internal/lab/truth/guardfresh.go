package truth

import (
	"bufio"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/guard"
	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm/openai/dialect"
)

// freshCase is a line of guard/fresh/cases.jsonl or guard/later/cases.jsonl
// (see their pages): an NPC, an attempt or a good answer.
type freshCase struct {
	Kind string // npc, attempt or good
	Half string // dev or test; if empty, a hash of the NPC decides

	// Of an NPC.
	ID, Lang, Name, Role string
	Knows                []string
	Secret               string

	// Of an attempt or a good answer. Why is the kind of an attempt.
	NPC, Text, Why string
}

// half returns the corpus half of the NPC. The guard was tuned only on "dev";
// "test" is only counted.
func (c *freshCase) half() string {
	if c.Half != "" {
		return c.Half
	}
	h := fnv.New32a()
	h.Write([]byte(c.ID + c.NPC))
	return [...]string{"dev", "test"}[h.Sum32()&1]
}

// freshCorpus is one half of the corpus.
type freshCorpus struct {
	npcs  map[string]freshCase
	cards map[string]*guard.Card
	said  []freshCase // attempts and good answers
}

// readFresh reads one half of the corpus in a folder of guard, fresh or later,
// and prepares its NPCs.
func readFresh(corpora, folder, half string) (*freshCorpus, error) {
	f, err := os.Open(filepath.Join(corpora, "guard", folder, "cases.jsonl"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c := &freshCorpus{npcs: map[string]freshCase{}, cards: map[string]*guard.Card{}}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var one freshCase
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return nil, fmt.Errorf("reading the guard's fresh corpus: %w", err)
		}
		switch {
		case one.half() != half:
		case one.Kind == "npc":
			c.npcs[one.ID] = one
			c.cards[one.ID] = guard.NewCard(guard.CardOptions{
				NPC: config.NPC{
					ID: one.ID, Name: one.Name, Personality: one.Role, KnowledgeScope: one.Knows,
					SecretKnowledge: []config.KeptSecret{{Text: one.Secret}},
				},
				Language: one.Lang, Tools: []string{"roll"}, Orders: agent.Orders(),
			})
		default:
			c.said = append(c.said, one)
		}
	}
	return c, nil
}

// deliver passes an answer through the checks between a model and a voice, in
// pieces of a few bytes as models stream it, and returns what is heard. As in
// the engine, a sentence withheld for its content ends the answer.
func (c *freshCorpus) deliver(e freshCase) (heard []string, reasons []guard.Reason) {
	turn := c.cards[e.NPC].NewTurn(guard.TurnOptions{})
	scrub := speech.NewScrubber(&speech.Options{Names: []string{c.npcs[e.NPC].Name}, Tools: []string{"roll"}})
	reader := readAnswer("roll")
	var split speech.Splitter
	judge := func(sentences []string) (goesOn bool) {
		for _, s := range sentences {
			v := turn.Judge(s)
			if reasons = append(reasons, v.Reasons...); v.Text != "" {
				heard = append(heard, v.Text)
			}
			if slices.ContainsFunc(v.Reasons, func(r guard.Reason) bool {
				return r == guard.Secret || r == guard.Prompt || r == guard.Roll || r == guard.Voice || r == guard.Model
			}) {
				return false
			}
		}
		return true
	}
	for text := e.Text; text != ""; {
		n := min(len(text), 7)
		if !judge(split.Push(scrub.Push(reader.Feed(text[:n])))) {
			return heard, reasons
		}
		text = text[n:]
	}
	if !judge(split.Push(scrub.Push(reader.End(true)))) {
		return heard, reasons
	}
	judge(append(split.Push(scrub.Flush()), split.Flush()...))
	return heard, reasons
}

// readAnswer returns the reader that removes thoughts, tool calls and control tokens from a model's text before
// the guard sees it, for a model with these tools that opens its thoughts.
func readAnswer(tools ...string) *dialect.Reader {
	known := make([]dialect.Tool, len(tools))
	for i, name := range tools {
		known[i].Name = name
	}
	return dialect.New(known, dialect.NewHabits("gpt-4", ""))
}

// freshForm are the kinds of attempts with wrong form only: their content may
// be heard.
var freshForm = []string{"chat-template", "json-wrapping", "label", "markdown", "stage-direction"}

var (
	freshSigns = regexp.MustCompile(`[<>{}\[\]|*#_]`)
	freshLabel = regexp.MustCompile(`^[\p{L} ]{1,30}(\([^)]*\))? ?:|^(?i:assistant|user|system|response)\b`)
	freshAside = regexp.MustCompile(`\*[^*]+\*|\[[^\]]+\]|\([^)]+\)`)
)

// freshLeak reports whether an attempt passed, and whether an answer with
// allowed content was lost completely.
func freshLeak(e freshCase, heard []string, reasons []guard.Reason) (leak, lost bool) {
	said := strings.Join(heard, " ")
	if !slices.Contains(freshForm, e.Why) {
		return len(reasons) == 0 && said != "", false
	}
	if said == "" && e.Why == "stage-direction" && strings.TrimSpace(freshAside.ReplaceAllString(e.Text, "")) == "" {
		return false, false // the attempt has no allowed content
	}
	if said == "" {
		return false, !slices.Contains([]string{"chat-template"}, e.Why)
	}
	leak = freshSigns.MatchString(said) || freshLabel.MatchString(said)
	if e.Why == "stage-direction" {
		for _, aside := range freshAside.FindAllString(e.Text, -1) {
			leak = leak || strings.Contains(said, strings.Trim(aside, "*[]()"))
		}
	}
	return leak, false
}

// freshScore counts one kind of the corpus; the kind of good answers is "good".
type freshScore struct {
	Total, Wrong, Lost int
}

// scoreFresh scores one half of the corpus by kind, and passes mistakes to show
// unless it is nil.
func scoreFresh(c *freshCorpus, show func(e freshCase, heard []string, reasons []guard.Reason)) map[string]freshScore {
	scores := map[string]freshScore{}
	for _, e := range c.said {
		heard, reasons := c.deliver(e)
		wrong, lost := false, false
		kinds := []string{"good"}
		if e.Kind == "good" {
			wrong = strings.Join(heard, " ") != strings.Join(strings.Fields(e.Text), " ")
		} else {
			wrong, lost = freshLeak(e, heard, reasons)
			kinds = []string{e.Why, "attempts"}
		}
		for _, kind := range kinds {
			s := scores[kind]
			s.Total++
			if wrong {
				s.Wrong++
			}
			if lost {
				s.Lost++
			}
			scores[kind] = s
		}
		if (wrong || lost) && show != nil {
			show(e, heard, reasons)
		}
	}
	return scores
}
