package play

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/guard"
	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/internal/world"
)

// maxStatements bounds how many statements of a campaign are compared with secrets, over all NPCs that may
// know them. That takes some seconds.
const maxStatements = 200_000

// FindRevealedSecrets returns a warning for each entry of the campaign that gives an NPC, as common knowledge,
// something that the same NPC keeps secret. The campaign may be nil.
func FindRevealedSecrets(cfg *config.Config, c *world.Campaign) []userfile.Problem {
	return findRevealedSecrets(cfg, c, maxStatements)
}

// findRevealedSecrets compares at most left statements.
func findRevealedSecrets(cfg *config.Config, c *world.Campaign, left int) []userfile.Problem {
	if c == nil {
		return nil
	}
	statements := statementsOf(c)
	var found []userfile.Problem
	for _, npc := range cfg.NPCs {
		if len(npc.SecretKnowledge) == 0 {
			continue
		}
		all := newSecretReader(npc)
		for _, s := range statements {
			if !s.visibleTo(npc.ID) {
				continue
			}
			if left -= len(s.sentences); left < 0 {
				return append(found, userfile.Problem{
					File: c.File, Line: s.line, What: "the campaign is too large to compare with everything that NPCs keep secret; from here on, " + npc.Name + " and the NPCs after it were not checked",
				})
			}
			if !all.reveals(s.sentences) {
				continue
			}
			found = append(found, s.warn(cfg, c.File, npc, revealedSecret(npc, s.sentences)))
		}
	}
	return found
}

// revealedSecret returns the index of the first of an NPC's secrets that the sentences tell, or -1 if only
// several together do.
func revealedSecret(npc config.NPC, sentences []string) int {
	for i := range npc.SecretKnowledge {
		one := npc
		one.SecretKnowledge = npc.SecretKnowledge[i : i+1]
		if newSecretReader(one).reveals(sentences) {
			return i
		}
	}
	return -1
}

// secretReader finds an NPC's secrets in sentences.
type secretReader struct{ card *guard.Card }

func newSecretReader(npc config.NPC) secretReader {
	return secretReader{guard.NewCard(guard.CardOptions{NPC: npc})}
}

// reveals reports whether sentences tell a secret.
func (r secretReader) reveals(sentences []string) bool {
	turn := r.card.NewTurn(guard.TurnOptions{})
	return slices.ContainsFunc(sentences, func(s string) bool {
		return slices.Contains(turn.Judge(s).Reasons, guard.Secret)
	})
}

// statement is an entry of a campaign as sentences.
type statement struct {
	label     string // its name in a warning
	line      int
	visible   []string // NPCs that know it; all if empty
	sentences []string
}

func (s *statement) visibleTo(npc string) bool {
	return len(s.visible) == 0 || slices.Contains(s.visible, npc)
}

// warn returns the warning that a statement tells an NPC's secret. secret is -1 if it is not a single one.
func (s *statement) warn(cfg *config.Config, file string, npc config.NPC, secret int) userfile.Problem {
	lines := cfg.SecretLines[npc.ID]
	where := npc.Line
	if secret < 0 {
		secret = 0
	}
	if secret < len(lines) {
		where = lines[secret]
	}
	fix := "say less here, or show it to the DM only, with visible_to: [" + world.DMOnly + "]"
	if len(s.visible) == 0 {
		fix = "everyone knows this: say less here, or word the secret without it"
	}
	return userfile.Problem{
		File: file, Line: s.line, Fix: fix,
		What: fmt.Sprintf("%s gives away to %s, as something it may talk about, its own secret (%s:%d)", s.label, npc.Name, npc.File, where),
	}
}

// statementsOf returns the entries of a campaign as sentences.
func statementsOf(c *world.Campaign) []statement {
	var all []statement
	names := map[string]string{}
	for i, e := range c.Entities {
		names[e.ID] = e.Name
		s := statement{label: fmt.Sprintf("entity %q", e.ID), line: c.Lines.Entities[i], visible: e.Visible}
		for _, d := range append([]string{""}, sentencesOf(e.Description)...) {
			s.add(e.Name, d)
		}
		for _, key := range slices.Sorted(maps.Keys(e.Attributes)) {
			s.add(e.Name, wordsOf(key)+" "+e.Attributes[key])
		}
		all = append(all, s)
	}
	for i, r := range c.Relations {
		s := statement{label: fmt.Sprintf("relation %s %s %s", r.From, r.Type, r.To), line: c.Lines.Relations[i], visible: r.Visible}
		said := fmt.Sprintf("%s %s %s", cmp.Or(names[r.From], r.From), wordsOf(r.Type), cmp.Or(names[r.To], r.To))
		for _, d := range append([]string{""}, sentencesOf(r.Note)...) {
			s.add(said, d)
		}
		all = append(all, s)
	}
	for i, f := range c.Facts {
		all = append(all, statement{label: "a fact", line: c.Lines.Facts[i], visible: f.Visible, sentences: sentencesOf(f.Text)})
	}
	return all
}

// add adds a sentence about a subject.
func (s *statement) add(of, said string) {
	s.sentences = append(s.sentences, strings.TrimSuffix(strings.TrimSpace(of+", "+said), ","))
}

// wordsOf returns the words of a type such as "lives_in".
func wordsOf(slug string) string { return strings.ReplaceAll(slug, "_", " ") }

func sentencesOf(text string) []string {
	var split speech.Splitter
	return append(split.Push(text), split.Flush()...)
}
