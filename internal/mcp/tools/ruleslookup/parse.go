package ruleslookup

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// maxSpellLevel is the highest spell level of the game. Level 0 is a cantrip.
const maxSpellLevel = 9

// rule is one entry of the data set. Its JSON form is what get_rule returns.
type rule struct {
	ID       string   `json:"id"`
	Category string   `json:"category"`
	Name     string   `json:"name"`
	System   string   `json:"system"`
	Summary  string   `json:"summary"`
	Text     string   `json:"text"`
	Spell    *spell   `json:"spell,omitempty"`
	Aliases  []string `json:"-"`
	Tags     []string `json:"-"`
	// Asked holds phrases in players' words for what the rule does or is about. Only the index keeps it.
	Asked phraseList `json:"-"`
	// Block is the category's block of figures as JSON, or empty if it has none. get_rule returns it under
	// the name of the category.
	Block []byte `json:"-"`
	// Figures are the figures of the block, for use in searches.
	Figures []figure `json:"-"`
	// blockOf is the category that the block belongs to. It is set only during parsing.
	blockOf string
}

// spell holds the facts that only spells have.
type spell struct {
	Level         int      `json:"level" jsonschema:"0 is a cantrip."`
	School        string   `json:"school"`
	CastingTime   string   `json:"casting_time"`
	Range         string   `json:"range"`
	Components    string   `json:"components"`
	Duration      string   `json:"duration"`
	Concentration bool     `json:"concentration"`
	Ritual        bool     `json:"ritual"`
	Classes       []string `json:"classes"`
}

// categories returns the categories of rules.
func categories() []string {
	return []string{
		"condition", "combat", "spell", "general", "monster", "equipment", "item",
		"class", "subclass", "feature", "race", "subrace", "background", "feat", "skill",
		"trap", "disease", "madness", "poison", "plane", "deity",
	}
}

// Size limits for rules that people write, in bytes: one file, and all files of a system.
const (
	maxFile  = 4 << 20
	maxFiles = 64 << 20
)

// validID matches lower-case words joined by single hyphens.
var validID = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// place is the place where a rule is defined.
type place struct {
	file string
	line int
}

// parseAll reads every *.yaml file of a system. It continues after a problem, so that the error lists all of
// them.
func parseAll(s System, kept texts) ([]rule, error) {
	fsys := s.Rules
	var (
		rules    []rule
		asked    []filedPhrases
		problems userfile.Problems
		files    int
		left     = int64(maxFiles)
	)
	seen, shapes := map[string]place{}, blocks()
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() || path.Ext(name) != ".yaml" {
			return nil
		}
		data, err := userfile.ReadFS(fsys, name, min(maxFile, left))
		if errors.Is(err, userfile.ErrTooLarge) {
			return fmt.Errorf("%s: a rules file has %d MB at most, and all of a system have %d MB; split it, or leave some out", path.Join(s.Dir, name), maxFile>>20, maxFiles>>20)
		}
		if err != nil {
			return err
		}
		left -= int64(len(data))
		files++
		p := parser{file: path.Join(s.Dir, name), system: s.Name, problems: &problems, seen: seen, shapes: shapes, interned: kept}
		r, a := p.parseFile(data)
		rules, asked = append(rules, r...), append(asked, a...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	addAsked(rules, asked, func(where place, id string) {
		problems.Add(where.file, where.line, fmt.Sprintf("there is no rule %q to be asked for", id), "write the id of one")
	})
	if files == 0 {
		problems.Add(s.Dir, 0, "there are no rules files", "add a *.yaml file")
	}
	return rules, problems.Err()
}

// parser reads one file and collects its problems.
type parser struct {
	file     string
	system   string
	problems *userfile.Problems
	seen     map[string]place // rule ids in all files so far
	shapes   map[string]shape // shapes of the blocks of figures, by category
	interned texts
	set      map[string]func(*yaml.Node)
	now      rule // the rule being read
}

func (p *parser) addProblem(line int, fix, format string, args ...any) {
	p.problems.Add(p.file, line, fmt.Sprintf(format, args...), fix)
}

// parseFile reads one file. It is either a list of rules, or a mapping of rule ids to the phrases with which
// players ask for them.
func (p *parser) parseFile(data []byte) ([]rule, []filedPhrases) {
	if line := userfile.TooManyValues(data); line > 0 {
		p.addProblem(line, "split it", "the file holds too many values")
		return nil, nil
	}
	doc := &yaml.Node{}
	if err := yaml.Unmarshal(data, doc); err != nil {
		p.syntax(err)
		return nil, nil
	}
	if len(doc.Content) == 1 && isAskedFile(doc.Content[0]) {
		return nil, p.readAskedFile(doc.Content[0])
	}
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.SequenceNode {
		p.addProblem(max(doc.Line, 1), "start each rule with \"- id: …\"", "the file is not a list of rules")
		return nil, nil
	}
	items := doc.Content[0].Content
	rules := make([]rule, 0, len(items))
	for _, n := range items {
		if r, ok := p.rule(n); ok {
			rules = append(rules, r)
		}
	}
	return rules, nil
}

// syntax reports the error of the YAML parser, with the line that it names.
func (p *parser) syntax(err error) {
	var typed *yaml.TypeError
	if errors.As(err, &typed) {
		for _, e := range typed.Errors {
			p.addProblem(0, "", "%s", e)
		}
		return
	}
	what := strings.TrimPrefix(err.Error(), "yaml: ")
	var line int
	if n, _ := fmt.Sscanf(what, "line %d:", &line); n == 1 {
		_, what, _ = strings.Cut(what, ": ")
	}
	p.addProblem(line, "", "not valid YAML: %s", what)
}

// setters returns functions that fill the fields of p.now, one for each key. They are created once per file.
func (p *parser) setters() map[string]func(*yaml.Node) {
	set := map[string]func(*yaml.Node){
		"id":       p.readText(&p.now.ID),
		"category": p.readText(&p.now.Category),
		"name":     p.readText(&p.now.Name),
		"aliases":  p.readTexts(&p.now.Aliases),
		"tags":     p.readTexts(&p.now.Tags),
		"asked":    func(n *yaml.Node) { p.now.Asked = p.readAsked(n) },
		"summary":  p.readText(&p.now.Summary),
		"text":     p.readText(&p.now.Text),
		"spell":    func(n *yaml.Node) { p.now.Spell = p.spell(n) },
	}
	for category, s := range p.shapes {
		set[category] = func(n *yaml.Node) {
			if p.now.blockOf != "" {
				p.addProblem(n.Line, "remove one of them", "blocks %q and %q are given both", p.now.blockOf, category)
			}
			p.now.Block, p.now.blockOf = p.block(n, s), category
			p.now.collect(n, p.interned)
		}
	}
	return set
}

// rule reads one entry. ok reports whether it is a rule with a usable id.
func (p *parser) rule(n *yaml.Node) (r rule, ok bool) {
	if p.set == nil {
		p.set = p.setters()
	}
	p.now = rule{System: p.system}
	whole := p.mapping(n, p.set, "id", "category", "name", "summary", "text")
	r = p.now
	if !whole {
		return r, false
	}
	p.checkRule(n, &r)
	if !validID.MatchString(r.ID) {
		return r, false
	}
	if first, twice := p.seen[r.ID]; twice {
		p.addProblem(n.Line, "give each rule an id of its own", "id %q is taken by %s:%d", r.ID, first.file, first.line)
		return r, false
	}
	p.seen[r.ID] = place{p.file, n.Line}
	return r, true
}

// checkRule reports values that are present but invalid.
func (p *parser) checkRule(n *yaml.Node, r *rule) {
	if r.ID != "" && !validID.MatchString(r.ID) {
		p.addProblem(n.Line, "use lower-case words joined by hyphens", "id %q is malformed", r.ID)
	}
	known := false
	for _, c := range categories() {
		known = known || c == r.Category
	}
	if r.Category != "" && !known {
		p.addProblem(n.Line, "use "+strings.Join(categories(), ", "), "there is no category %q", r.Category)
	}
	_, needsBlock := p.shapes[r.Category]
	switch {
	case r.Category == "spell" && r.Spell == nil:
		p.addProblem(n.Line, "add a spell block", "spell %q has no level, school and so on", r.Name)
	case r.blockOf != "" && r.blockOf != r.Category:
		p.addProblem(n.Line, "remove the block or set category: "+r.blockOf, "%q is no %s", r.Name, r.blockOf)
	case r.blockOf == "" && needsBlock:
		p.addProblem(n.Line, "add a "+r.Category+" block", "%s %q has no block of figures", r.Category, r.Name)
	case r.Category != "spell" && r.Spell != nil:
		p.addProblem(n.Line, "remove the spell block or set category: spell", "%q is no spell", r.Name)
	}
}

func (p *parser) spell(n *yaml.Node) *spell {
	s := &spell{Classes: []string{}}
	p.mapping(n, map[string]func(*yaml.Node){
		"level":         p.level(&s.Level),
		"school":        p.readText(&s.School),
		"casting_time":  p.readText(&s.CastingTime),
		"range":         p.readText(&s.Range),
		"components":    p.readText(&s.Components),
		"duration":      p.readText(&s.Duration),
		"concentration": p.flag(&s.Concentration),
		"ritual":        p.flag(&s.Ritual),
		"classes":       p.readTexts(&s.Classes),
	}, "level", "school", "casting_time", "range", "components", "duration")
	return s
}
