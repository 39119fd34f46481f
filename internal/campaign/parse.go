package campaign

import (
	"fmt"

	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa/internal/problem"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Parse reads a campaign from data. file names it in problems, which come back
// all at once as a [problem.List].
func Parse(file string, data []byte) (*Campaign, error) {
	p := parser{
		reader:    reader{file: file},
		out:       Campaign{File: file},
		lines:     map[string]int{},
		relations: map[relationKey]int{},
	}
	if root := p.document(data); root != nil {
		p.campaign(root)
		p.resolve()
	}
	if err := p.problems.Err(); err != nil {
		return nil, err
	}
	p.inherit()
	return &p.out, nil
}

type parser struct {
	reader
	out Campaign
	// lines holds the line each entity is defined on, by id.
	lines map[string]int
	// refs are the mentions of entities, to be looked up when all are known.
	refs []reference
	// relations holds the line of each relation.
	relations map[relationKey]int
	// about holds the entity each fact is about, if any.
	about []string
}

// reference is a mention of an entity.
type reference struct {
	id   string
	line int
	// key is where it stands: from, to, about or visible_to.
	key string
}

type relationKey struct{ from, kind, to string }

func (p *parser) campaign(n *yaml.Node) {
	c := &p.out
	p.object(n, "the campaign",
		field{"name", true, p.text(&c.Name)},
		field{"system", false, p.text(&c.System)},
		field{"scene", false, p.text(&c.Scene)},
		field{"entities", false, p.each(p.entity)},
		field{"relations", false, p.each(p.relation)},
		field{"facts", false, p.each(p.fact)},
	)
}

func (p *parser) entity(n *yaml.Node) {
	var e memory.Entity
	p.object(n, "an entity",
		field{"id", true, p.slug(&e.ID)},
		field{"type", true, p.word(&e.Type)},
		field{"name", true, p.text(&e.Name)},
		field{"aliases", false, p.texts(&e.Aliases)},
		field{"description", false, p.text(&e.Description)},
		field{"attributes", false, p.attributes(&e.Attributes)},
		field{"visible_to", false, p.viewers(&e.Visible)},
	)
	if e.ID != "" {
		if first, ok := p.lines[e.ID]; ok {
			p.add(n, fmt.Sprintf("entity %q is already defined on line %d", e.ID, first), "give one of them another id")
			return
		}
		p.lines[e.ID] = n.Line
	}
	p.out.Entities = append(p.out.Entities, e)
}

func (p *parser) relation(n *yaml.Node) {
	var r memory.Relation
	p.object(n, "a relation",
		field{"from", true, p.entityID(&r.From, "from")},
		field{"type", true, p.word(&r.Type)},
		field{"to", true, p.entityID(&r.To, "to")},
		field{"note", false, p.text(&r.Note)},
		field{"visible_to", false, p.viewers(&r.Visible)},
	)
	key := relationKey{r.From, r.Type, r.To}
	if key.from != "" && key.kind != "" && key.to != "" {
		if first, ok := p.relations[key]; ok {
			p.add(n, fmt.Sprintf("relation %s %s %s is already on line %d", key.from, key.kind, key.to, first),
				"remove one, or give it another type")
			return
		}
		p.relations[key] = n.Line
	}
	p.out.Relations = append(p.out.Relations, r)
}

func (p *parser) fact(n *yaml.Node) {
	var f memory.Fact
	var about string
	p.object(n, "a fact",
		field{"text", true, p.text(&f.Text)},
		field{"about", false, p.entityID(&about, "about")},
		field{"visible_to", false, p.viewers(&f.Visible)},
	)
	p.out.Facts = append(p.out.Facts, f)
	p.about = append(p.about, about)
}

// entityID reads the id of an entity that may be defined further down.
func (p *parser) entityID(dst *string, key string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if p.scalar(n, dst) {
			p.refs = append(p.refs, reference{*dst, n.Line, key})
		}
	}
}

// viewers reads the NPCs that know of something. In memory nobody listed means
// everyone, so an empty list is refused: it may be meant as the opposite.
func (p *parser) viewers(dst *[]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if len(n.Content) == 0 && (n.Kind == yaml.SequenceNode || n.ShortTag() == "!!null") {
			p.add(n, `"visible_to" is empty`, "leave it out if everyone knows, or list the NPCs that do")
			return
		}
		p.each(func(item *yaml.Node) {
			var id string
			if p.scalar(item, &id) {
				*dst = append(*dst, id)
				p.refs = append(p.refs, reference{id, item.Line, "visible_to"})
			}
		})(n)
	}
}

// suggestions is how many problems may be found before unknown names stop
// being compared with all known ones, which takes long in large files.
const suggestions = 100

// resolve reports mentions of entities that do not exist.
func (p *parser) resolve() {
	var all, npcs []string
	isNPC := map[string]bool{}
	for _, e := range p.out.Entities {
		all = append(all, e.ID)
		if e.Type == "npc" {
			npcs = append(npcs, e.ID)
			isNPC[e.ID] = true
		}
	}
	for _, ref := range p.refs {
		_, defined := p.lines[ref.id]
		kind, known, fix := "entity", all, "define it under \"entities\""
		if ref.key == "visible_to" {
			defined = isNPC[ref.id]
			kind, known, fix = "NPC", npcs, "define it under \"entities\" with type: npc"
		}
		if defined {
			continue
		}
		if len(p.problems) < suggestions {
			if near := problem.Nearest(ref.id, known); near != "" {
				fix = fmt.Sprintf("did you mean %q?", near)
			}
		}
		what := fmt.Sprintf("%q names the %s %q, which is not defined", ref.key, kind, ref.id)
		p.problems.Add(p.file, ref.line, what, fix)
	}
}

// inherit gives facts their source, and those that do not say who knows them
// the visibility of the entity they are about.
func (p *parser) inherit() {
	visible := map[string][]string{}
	for _, e := range p.out.Entities {
		visible[e.ID] = e.Visible
	}
	for i := range p.out.Facts {
		f := &p.out.Facts[i]
		if p.about[i] == "" {
			f.Source = "campaign:" + slugify(p.out.Name)
			continue
		}
		f.Source = entitySource(p.about[i])
		if f.Visible == nil {
			f.Visible = visible[p.about[i]]
		}
	}
}
