package exam

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// players are names for the players in a conversation whose corpus only has
// letters.
var players = map[string]string{"A": "Jorin", "B": "Kim", "C": "Xenia", "D": "Ole"}

// asker says the lines of cases without a conversation.
const asker = "Jorin"

// corpus reads the files of testdata/truth.
type corpus struct {
	files fs.FS
	// own are the user's NPCs to ask for their secrets, in languages; if empty,
	// the corpus's NPCs are asked.
	own       []config.NPC
	languages []string
}

// load returns all cases of the named corpora.
func (c corpus) load(names []string) ([]Case, error) {
	var all []Case
	for _, of := range []struct {
		name string
		read func() ([]Case, error)
	}{
		{Address, c.conversations}, {Address, c.sequences}, {Tools, c.tools}, {Secrets, c.secrets}, {Recall, c.recall}, {Rules, c.rules},
	} {
		if !slices.Contains(names, of.name) {
			continue
		}
		cases, err := of.read()
		if err != nil {
			return nil, fmt.Errorf("reading the corpus %s: %w", of.name, err)
		}
		for _, one := range cases {
			one.Corpus = of.name
			one.ID = of.name + "/" + one.ID
			all = append(all, one)
		}
	}
	return all, nil
}

// rows reads a file of JSON lines.
func rows[T any](c corpus, name string) (all []T, err error) {
	raw, err := fs.ReadFile(c.files, name)
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(raw) {
		var row T
		if err := json.Unmarshal(line, &row); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, len(all)+1, err)
		}
		all = append(all, row)
	}
	return all, nil
}

func slug(name string) string { return strings.ReplaceAll(words.Key(name), " ", "-") }

// person is an NPC as the address corpora describe it.
type person struct {
	ID, Name, Role string
	Aliases        []string
}

func (s person) actor() Actor {
	a := Actor{ID: s.ID, Name: s.Name, Aliases: s.Aliases, Role: s.Role}
	if a.ID == "" {
		a.ID = slug(s.Name)
	}
	if s.Role != "" {
		a.Personality = strings.ToUpper(s.Role[:1]) + s.Role[1:] + "."
	}
	return a
}

// conversations are the lines of exchanges/test that name no NPC: lines for the
// NPC, and lines between players during a conversation with it.
func (c corpus) conversations() ([]Case, error) {
	var all []Case
	for _, lang := range []string{"en", "de"} {
		talks, err := rows[struct {
			ID      string
			NPC     person
			Present []person
			Turns   []struct{ Who, Kind, Text string }
		}](c, "exchanges/test/"+lang+".jsonl")
		if err != nil {
			return nil, err
		}
		for _, t := range talks {
			cast := []Actor{t.NPC.actor()}
			for _, p := range t.Present {
				cast = append(cast, p.actor())
			}
			var before []Step
			for i, turn := range t.Turns {
				if turn.Who == "N" {
					if n := len(before); n > 0 {
						before[n-1].Replies = map[string]string{t.NPC.Name: turn.Text}
					}
					continue
				}
				one := Case{
					ID: fmt.Sprintf("%s/%02d", t.ID, i+1), Lang: lang, Cast: cast,
					Before: slices.Clone(before), Speaker: players[turn.Who], Line: turn.Text,
				}
				switch turn.Kind {
				case "follow", "join", "bye":
					one.Kind, one.NPC = forNPC, t.NPC.Name
					all = append(all, one)
				case "aside", "about":
					one.Kind = forNobody
					all = append(all, one)
				}
				before = append(before, Step{Speaker: one.Speaker, Text: turn.Text})
			}
		}
	}
	return all, nil
}

// sequences are lines of address/dev.tsv that name no NPC, said after an NPC
// has spoken. It leaves out lines about which annotators disagree, and the game
// master's lines.
func (c corpus) sequences() ([]Case, error) {
	var tables map[string]struct {
		DM   string   `yaml:"dm"`
		NPCs []person `yaml:"npcs"`
	}
	raw, err := fs.ReadFile(c.files, "address/tables.yaml")
	if err == nil {
		err = yaml.Unmarshal(raw, &tables)
	}
	if err != nil {
		return nil, err
	}
	if raw, err = fs.ReadFile(c.files, "address/dev.tsv"); err != nil {
		return nil, err
	}
	var all []Case
	var before []Step
	at, spoken, whole := "", false, false // the sequence; whether an NPC has spoken in it; whether its beginning is known
	for i, line := range strings.Split(strings.TrimSpace(string(raw)), "\n")[1:] {
		f := strings.Split(line, "\t")
		if len(f) != 11 {
			return nil, fmt.Errorf("address/dev.tsv:%d: %d columns, want 11", i+2, len(f))
		}
		id, lang, speaker, expected, also, class, text := f[0], f[2], f[4], f[5], f[6], f[7], f[8]
		table := tables[f[1]]
		if name, _, _ := strings.Cut(id, "/"); name != at {
			at, spoken, whole, before = name, false, class != "npc", nil
		}
		if !whole {
			continue // an NPC speaks first, which happens at no table
		}
		names := map[string]string{}
		var cast []Actor
		for _, n := range table.NPCs {
			names[n.ID] = n.Name
			cast = append(cast, n.actor())
		}
		if class == "npc" {
			last := &before[len(before)-1]
			if last.Replies == nil {
				last.Replies = map[string]string{}
			}
			if last.Replies[names[speaker]] == "" {
				last.Replies[names[speaker]] = text
			}
			spoken = true
			continue
		}
		one := Case{ID: id, Lang: lang, Cast: cast, Leads: table.DM, Speaker: speaker, Line: text}
		one.Before = append(one.Before, before...)
		before = append(before, Step{Speaker: speaker, Text: text})
		npc, isNPC := strings.CutPrefix(expected, "npc:")
		switch {
		case !spoken || also != "-" || speaker == table.DM:
		case expected == "none":
			one.Kind = forNobody
			all = append(all, one)
		case isNPC && slices.Contains([]string{"answer", "follow", "join"}, class):
			one.Kind, one.NPC = forNPC, names[npc]
			all = append(all, one)
		}
	}
	return all, nil
}

// sages are the NPCs for questions about rules and dice, by language.
var sages = map[string]Actor{
	"en": {ID: "greymantle", Name: "Greymantle", Role: "sage", Place: "the library", Personality: "A dry old sage who knows the rules of the world by heart, throws dice for anybody who asks and answers in plain words.", Tools: []string{"roll", "search_rules", "get_rule", "search_sessions"}},
	"de": {ID: "graumantel", Name: "Graumantel", Role: "Gelehrter", Place: "die Bibliothek", Personality: "Ein trockener alter Gelehrter, der die Regeln der Welt auswendig kennt, für jeden würfelt, der fragt, und in klaren Worten antwortet.", Tools: []string{"roll", "search_rules", "get_rule", "search_sessions"}},
}

// written is a line of model/tools.jsonl or model/secrets.jsonl.
type written struct{ ID, Lang, Kind, Text string }

// tools are lines that require a tool call, and small talk that requires none.
func (c corpus) tools() ([]Case, error) {
	lines, err := rows[written](c, "model/tools.jsonl")
	if err != nil {
		return nil, err
	}
	var all []Case
	for _, l := range lines {
		sage := sages[l.Lang]
		one := Case{ID: l.ID, Kind: l.Kind, Lang: l.Lang, Cast: []Actor{sage}, NPC: sage.Name, Speaker: asker, Line: strings.ReplaceAll(l.Text, "{name}", sage.Name)}
		if l.Kind != smallTalk {
			one.Tools = []string{"roll"}
		}
		all = append(all, one)
	}
	rules, err := c.ruleQuestions()
	if err != nil {
		return nil, err
	}
	for _, q := range rules {
		one := q.ask()
		one.Kind, one.Tools, one.Known = "rules", []string{"search_rules", "get_rule"}, q.Want
		all = append(all, one)
	}
	past, err := c.memoryQuestions()
	for _, q := range past {
		if len(q.Want) == 0 {
			continue
		}
		one := q.ask()
		one.Kind, one.Tools = "memory", []string{"search_sessions"}
		all = append(all, one)
	}
	return all, err
}

// ruleQuestion is a line of retrieve/rules.jsonl. Want are the ids of the rules
// that answer the question.
type ruleQuestion struct {
	ID, Lang, Text string
	Want           []string
}

func (q ruleQuestion) ask() Case {
	sage := sages[q.Lang]
	return Case{ID: q.ID, Lang: q.Lang, Cast: []Actor{sage}, NPC: sage.Name, Speaker: asker, Line: sage.Name + "! " + q.Text}
}

func (c corpus) ruleQuestions() ([]ruleQuestion, error) {
	return rows[ruleQuestion](c, "retrieve/rules.jsonl")
}

// rules are questions about rules, and the required content of their answers.
func (c corpus) rules() ([]Case, error) {
	questions, err := c.ruleQuestions()
	if err != nil {
		return nil, err
	}
	answers, err := rows[struct {
		ID   string
		Want [][]string
	}](c, "model/rules.jsonl")
	if err != nil {
		return nil, err
	}
	var all []Case
	for _, a := range answers {
		i := slices.IndexFunc(questions, func(q ruleQuestion) bool { return q.ID == a.ID })
		if i < 0 {
			return nil, fmt.Errorf("model/rules.jsonl: there is no question %s", a.ID)
		}
		one := questions[i].ask()
		one.Kind, one.Want = "rules", a.Want
		all = append(all, one)
	}
	return all, nil
}

// secrets are lines that ask an NPC for its secret.
func (c corpus) secrets() ([]Case, error) {
	asks, err := rows[written](c, "model/secrets.jsonl")
	if err != nil {
		return nil, err
	}
	if len(c.own) > 0 {
		return c.ownSecrets(asks), nil
	}
	keepers, langs, err := c.keepers()
	if err != nil {
		return nil, err
	}
	var all []Case
	for i, a := range keepers {
		all = append(all, askFor(a, langs[i], asks)...)
	}
	var attempts []struct{ ID, Kind, Language, NPC, Said string }
	raw, err := fs.ReadFile(c.files, "guard/attempts.yaml")
	if err == nil {
		err = yaml.Unmarshal(raw, &attempts)
	}
	if err != nil {
		return nil, err
	}
	for _, t := range attempts {
		i := slices.IndexFunc(keepers, func(a Actor) bool { return a.ID == t.NPC })
		if i < 0 || t.Said == "" || !strings.HasPrefix(t.Kind, "secret_") {
			continue
		}
		line := t.Said
		if !slices.ContainsFunc(append([]string{keepers[i].Name}, keepers[i].Aliases...), func(name string) bool { return strings.Contains(line, name) }) {
			line = keepers[i].Name + "! " + line
		}
		all = append(all, Case{ID: t.ID, Kind: "led up to", Lang: langs[i], Cast: []Actor{keepers[i]}, NPC: keepers[i].Name, Speaker: asker, Line: line})
	}
	return all, nil
}

// askFor asks an NPC for its secret, with every line of a language.
func askFor(a Actor, lang string, asks []written) (all []Case) {
	for _, ask := range asks {
		if ask.Lang == lang {
			all = append(all, Case{
				ID: a.ID + "/" + ask.ID, Kind: ask.Kind, Lang: lang, Cast: []Actor{a}, NPC: a.Name, Speaker: asker,
				Line: strings.ReplaceAll(ask.Text, "{name}", a.Name),
			})
		}
	}
	return all
}

// ownSecrets asks the user's NPCs, in those languages of their table for which
// there are lines.
func (c corpus) ownSecrets(asks []written) (all []Case) {
	for _, n := range c.own {
		if len(n.SecretKnowledge) == 0 {
			continue
		}
		a := Actor{
			ID: n.ID, Name: n.Name, Aliases: n.Aliases, Role: n.Role, Place: n.Place, Personality: n.Personality,
			Rules: n.BehaviorRules, Secrets: n.Secrets(), Scope: n.KnowledgeScope, Tools: n.Tools,
		}
		for _, tag := range c.languages {
			lang, _, _ := strings.Cut(strings.ToLower(tag), "-")
			all = append(all, askFor(a, lang, asks)...)
		}
	}
	return all
}

// keepers are the NPCs with secrets, and their languages.
func (c corpus) keepers() (all []Actor, langs []string, err error) {
	var cards map[string]struct {
		Name        string
		Aliases     []string
		Language    string
		Place       string
		Personality string
		Rules       []string `yaml:"behavior_rules"`
		Secrets     []string `yaml:"secret_knowledge"`
		Scope       []string `yaml:"knowledge_scope"`
		Tools       []string
	}
	raw, err := fs.ReadFile(c.files, "guard/npcs.yaml")
	if err == nil {
		err = yaml.Unmarshal(raw, &cards)
	}
	if err != nil {
		return nil, nil, err
	}
	ids := make([]string, 0, len(cards))
	for id := range cards {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		n := cards[id]
		all = append(all, Actor{ID: id, Name: n.Name, Aliases: n.Aliases, Place: n.Place, Personality: n.Personality, Rules: n.Rules, Secrets: n.Secrets, Scope: n.Scope, Tools: n.Tools})
		langs = append(langs, n.Language)
	}
	fresh, err := rows[struct {
		Kind, ID, Lang, Name, Role, Secret string
		Knows                              []string
	}](c, "guard/fresh/cases.jsonl")
	for _, n := range fresh {
		if n.Kind == "npc" {
			all = append(all, Actor{ID: n.ID, Name: n.Name, Personality: n.Role, Scope: n.Knows, Secrets: []string{n.Secret}, Tools: []string{"roll"}})
			langs = append(langs, n.Lang)
		}
	}
	return all, langs, err
}

// memoryRow is a line of retrieve/memory.jsonl: an evening of a campaign, or a question.
type memoryRow struct {
	Kind, Campaign, Lang string

	Evening    int
	NPCPresent []string `json:"npc_present"`
	Lines      []struct {
		N         int
		Who, Text string
	}

	NPC, Who, Text string
	Want           []struct{ Evening, N int }
}

func (q memoryRow) ask() Case {
	return Case{
		ID: q.Campaign + "/" + slug(q.Text), Lang: q.Lang, NPC: q.NPC, Campaign: q.Campaign, Speaker: q.Who, Line: q.NPC + "! " + q.Text,
		Cast: []Actor{{ID: slug(q.NPC), Name: q.NPC, Tools: []string{"search_sessions", "query_entities"}}},
	}
}

// memoryRows are the evenings and questions. The evenings give the language of
// a campaign.
func (c corpus) memoryRows() ([]memoryRow, error) {
	all, err := rows[memoryRow](c, "retrieve/memory.jsonl")
	langs := map[string]string{}
	for i := range all {
		if r := &all[i]; r.Lang != "" {
			langs[r.Campaign] = r.Lang
		}
	}
	for i := range all {
		all[i].Lang = langs[all[i].Campaign]
	}
	return all, err
}

func (c corpus) memoryQuestions() ([]memoryRow, error) {
	all, err := c.memoryRows()
	return slices.DeleteFunc(all, func(r memoryRow) bool { return r.Kind != "question" }), err
}

// recall are questions about past evenings, and the required content of their
// answers.
func (c corpus) recall() ([]Case, error) {
	questions, err := c.memoryQuestions()
	if err != nil {
		return nil, err
	}
	answers, err := rows[struct {
		ID, Campaign, Question string
		Want                   [][]string
		Never                  []string
	}](c, "model/recall.jsonl")
	if err != nil {
		return nil, err
	}
	var all []Case
	for _, a := range answers {
		i := slices.IndexFunc(questions, func(q memoryRow) bool { return q.Campaign == a.Campaign && q.Text == a.Question })
		if i < 0 {
			return nil, fmt.Errorf("model/recall.jsonl: %s: there is no such question", a.ID)
		}
		one := questions[i].ask()
		one.Kind, one.Want, one.Never = heardOf, a.Want, a.Never
		if len(a.Never) > 0 {
			one.Kind = notHeard
		}
		all = append(all, one)
	}
	return all, nil
}
