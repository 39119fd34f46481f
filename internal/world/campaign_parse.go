package world

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// maxProblems bounds the counted problems of a file, because a file full of them would take gigabytes.
const maxProblems = 150_000

// maxID is the maximum length of ids and types, in bytes.
const maxID = 64

var (
	slugForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	wordForm = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
)

// options describe the syntax of a campaign file.
var options = userfile.Options{
	MaxSize: MaxCampaignSize, MaxProblems: maxProblems, Literal: true, Empty: "start with name: and entities:",
	Formats: map[string]func(string) (what, fix string){"slug": checkSlug, "word": checkWord},
}

// world is the content of a campaign file.
type world struct {
	_         struct{}           `noun:"the campaign"`
	Name      string             `yaml:"name" required:"true" doc:"Name of the campaign."`
	System    string             `yaml:"system" doc:"Rule system, such as dnd5e."`
	Scene     string             `yaml:"scene" doc:"What is going on when the first session starts."`
	Entities  []entity           `yaml:"entities" doc:"People, places, factions and items."`
	Relations []campaignRelation `yaml:"relations" doc:"How they are related."`
	Facts     []fact             `yaml:"facts" doc:"What else is known."`
	Groups    []group            `yaml:"groups" doc:"Groups of NPCs that know things together."`
	Calendar  *calendarKey       `yaml:"calendar" doc:"How the world counts its days."`
}

type group struct {
	_       struct{} `noun:"a group"`
	Line    int      `line:"true"`
	ID      string   `yaml:"id" required:"true" format:"slug" doc:"Unique id, such as watch; NPC files name it under knows."`
	Name    string   `yaml:"name" doc:"Its name."`
	Members []string `yaml:"members" doc:"Ids of NPCs that belong to it, besides those whose files say so."`
	Shares  bool     `yaml:"shares" doc:"Whether every member learns what one of them heard."`
}

// An empty visible_to would mean everyone, as in memory. It is rejected, because the author may mean the
// opposite.

type entity struct {
	_           struct{}          `noun:"an entity"`
	Line        int               `line:"true"`
	ID          string            `yaml:"id" required:"true" format:"slug" doc:"Unique id, such as rusty-flagon."`
	Type        string            `yaml:"type" required:"true" format:"word" doc:"What it is: npc, location, faction, item or another word."`
	Name        string            `yaml:"name" required:"true" doc:"Its name."`
	Aliases     []string          `yaml:"aliases" doc:"Other names."`
	Description string            `yaml:"description" doc:"What there is to know about it."`
	Attributes  map[string]asText `yaml:"attributes" doc:"Single values by name, such as age: 37."`
	Visible     []string          `yaml:"visible_to" nonempty:"leave it out if everyone knows, or list the NPCs that do" doc:"Ids of the NPCs and groups that know of it, or dm for the DM alone; everyone if missing."`
}

type campaignRelation struct {
	_       struct{} `noun:"a relation"`
	Line    int      `line:"true"`
	From    string   `yaml:"from" required:"true" doc:"Id of an entity."`
	Type    string   `yaml:"type" required:"true" format:"word" doc:"How it is related, such as lives_in."`
	To      string   `yaml:"to" required:"true" doc:"Id of another."`
	Note    string   `yaml:"note" doc:"Anything to add."`
	Visible []string `yaml:"visible_to" nonempty:"leave it out if everyone knows, or list the NPCs that do" doc:"Ids of the NPCs and groups that know of it, or dm for the DM alone; everyone if missing."`
}

type fact struct {
	_       struct{} `noun:"a fact"`
	Line    int      `line:"true"`
	Text    string   `yaml:"text" required:"true" doc:"What is known, in one or two sentences."`
	About   string   `yaml:"about" doc:"Id of the entity it is about."`
	Visible []string `yaml:"visible_to" nonempty:"leave it out if everyone knows, or list the NPCs that do" doc:"Ids of the NPCs and groups that know it, or dm for the DM alone; those that know of the entity if missing."`
}

// Paths of the lists.
const entitiesPath, relationsPath, factsPath, groupsPath, calendarPath userfile.Path = "entities", "relations", "facts", "groups", "calendar"

// asText is a value of any type as it is written in the file.
type asText string

// ParseCampaign parses a campaign. file is its name in problems, which are returned together as
// [userfile.Problems].
func ParseCampaign(file string, data []byte) (*Campaign, error) {
	return parse(file, data, partSize)
}

// parse is ParseCampaign with a given size of parts.
func parse(file string, data []byte, size int) (*Campaign, error) {
	if len(data) > size && len(data) <= MaxCampaignSize {
		if w, doc, ok := readParts(file, data, size); ok {
			return w.campaign(file, doc.Line("scene")), nil
		}
	}
	var problems userfile.Problems
	var w world
	p := checker{doc: userfile.ReadYAML(file, data, &w, &options, &problems)}
	if !p.doc.Cut() {
		p.check(&w)
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return w.campaign(file, p.doc.Line("scene")), nil
}

// checker validates a whole file.
type checker struct {
	// doc receives the problems. If nil, only faulty is set.
	doc    *userfile.Document
	faulty bool
	// ids are the entities, and npcs the NPCs among them.
	ids, npcs known
	// knowers are NPCs and groups.
	knowers known
	unknown int // unknown references so far
}

// known are ids in the order of the file.
type known struct {
	list []string
	has  map[string]bool
}

func (k *known) add(id string) {
	if k.has == nil {
		k.has = map[string]bool{}
	}
	k.list, k.has[id] = append(k.list, id), true
}

// check validates a whole file.
func (p *checker) check(w *world) {
	p.checkEntities(w.Entities)
	p.checkRelations(w.Relations)
	p.checkGroups(w.Groups)
	p.checkCalendar(w.Calendar)
	p.checkReferences(w)
}

func (p *checker) addSentence(path userfile.Path, what, fix string) {
	if p.faulty = true; p.doc != nil {
		p.doc.AddSentence(path, 0, what, fix)
	}
}

// checkEntities reports duplicate ids.
func (p *checker) checkEntities(entities []entity) {
	first := map[string]int{}
	for i, e := range entities {
		if line, ok := first[e.ID]; ok {
			p.addSentence(entitiesPath.Item(i), fmt.Sprintf("entity %q is already defined on line %d", e.ID, line), "give one of them another id")
		}
		if e.ID == "" || p.ids.has[e.ID] {
			continue
		}
		first[e.ID] = e.Line
		p.ids.add(e.ID)
		if e.Type == "npc" {
			p.npcs.add(e.ID)
			p.knowers.add(e.ID)
		}
		if e.ID == DMOnly {
			p.addSentence(entitiesPath.Item(i).Key("id"), `"dm" means the DM wherever something is visible to someone`, "give this one another id")
		}
	}
}

// checkRelations reports duplicate relations.
func (p *checker) checkRelations(relations []campaignRelation) {
	type relationKey struct{ from, kind, to string }
	first := map[relationKey]int{}
	for i, r := range relations {
		path := relationsPath.Item(i)
		key := relationKey{r.From, r.Type, r.To}
		if line, ok := first[key]; ok {
			p.addSentence(path, fmt.Sprintf("relation %s %s %s is already on line %d", r.From, r.Type, r.To, line), "remove one, or give it another type")
		} else if r.From != "" && r.Type != "" && r.To != "" {
			first[key] = r.Line
		}
	}
}

// checkGroups reports group ids that are already used, and unknown members.
func (p *checker) checkGroups(groups []group) {
	for i, g := range groups {
		path := groupsPath.Item(i)
		switch {
		case g.ID == "":
		case g.ID == DMOnly || p.knowers.has[g.ID]:
			p.addSentence(path.Key("id"), fmt.Sprintf("%q is an NPC, another group or the DM", g.ID), "give this group an id of its own")
		default:
			p.knowers.add(g.ID)
		}
		for j, id := range g.Members {
			p.checkReference(path.Key("members").Item(j), "members", "NPC", id, &p.npcs, "define it under \"entities\" with type: npc")
		}
	}
}

// checkReferences reports references to unknown entities.
func (p *checker) checkReferences(w *world) {
	const define = "define it under \"entities\""
	viewers := func(path userfile.Path, ids []string) {
		for i, id := range ids {
			if id == DMOnly {
				continue
			}
			p.checkReference(path.Key("visible_to").Item(i), "visible_to", "NPC", id, &p.knowers, define+" with type: npc, or under \"groups\"")
		}
	}
	for i, e := range w.Entities {
		viewers(entitiesPath.Item(i), e.Visible)
	}
	for i, r := range w.Relations {
		path := relationsPath.Item(i)
		p.checkReference(path.Key("from"), "from", "entity", r.From, &p.ids, define)
		p.checkReference(path.Key("to"), "to", "entity", r.To, &p.ids, define)
		viewers(path, r.Visible)
	}
	for i, f := range w.Facts {
		path := factsPath.Item(i)
		p.checkReference(path.Key("about"), "about", "entity", f.About, &p.ids, define)
		viewers(path, f.Visible)
	}
}

// suggestions bounds the unknown ids for which a similar one is suggested, because the comparison is slow in
// large files.
const suggestions = 100

func (p *checker) checkReference(path userfile.Path, key, kind, id string, there *known, fix string) {
	if id == "" || there.has[id] {
		return
	}
	if p.unknown++; p.doc != nil && p.unknown <= suggestions {
		if near := userfile.Nearest(id, there.list); near != "" {
			fix = fmt.Sprintf("did you mean %q?", near)
		}
	}
	p.addSentence(path, fmt.Sprintf("%q names the %s %q, which is not defined", key, kind, id), fix)
}

// campaign returns the campaign of the file. A fact without viewers is visible to those who know the entity
// it is about.
func (w *world) campaign(file string, scene int) *Campaign {
	c := &Campaign{Name: w.Name, System: w.System, Scene: w.Scene, File: file, Lines: CampaignLines{Scene: scene}}
	if w.Calendar != nil {
		c.Calendar, c.Today = w.Calendar.calendar(), w.Calendar.Today
	}
	for _, g := range w.Groups {
		c.Groups = append(c.Groups, CampaignGroup{ID: g.ID, Name: g.Name, Members: g.Members, Shares: g.Shares})
	}
	visible := map[string][]string{}
	for _, e := range w.Entities {
		c.Entities = append(c.Entities, memory.Entity{
			ID: e.ID, Type: e.Type, Name: e.Name, Aliases: e.Aliases, Description: e.Description,
			Attributes: e.attributes(), Visible: e.Visible,
		})
		visible[e.ID] = e.Visible
		c.Lines.Entities = append(c.Lines.Entities, e.Line)
	}
	for _, r := range w.Relations {
		c.Relations = append(c.Relations, memory.Relation{From: r.From, Type: r.Type, To: r.To, Note: r.Note, Visible: r.Visible})
		c.Lines.Relations = append(c.Lines.Relations, r.Line)
	}
	for _, f := range w.Facts {
		out := memory.Fact{Source: entitySource(f.About), Text: f.Text, Visible: f.Visible}
		if f.About == "" {
			out.Source = "campaign:" + Slug(w.Name)
		} else if f.Visible == nil {
			out.Visible = visible[f.About]
		}
		c.Facts = append(c.Facts, out)
		c.Lines.Facts = append(c.Lines.Facts, f.Line)
	}
	return c
}

func (e *entity) attributes() map[string]string {
	if e.Attributes == nil {
		return nil
	}
	out := make(map[string]string, len(e.Attributes))
	for name, value := range e.Attributes {
		out[name] = string(value)
	}
	return out
}

// checkSlug validates an id such as "rusty-flagon".
func checkSlug(s string) (what, fix string) {
	return checkForm(s, slugForm, "an id", "dashes", Slug(s))
}

// checkWord validates a type such as "lives_in".
func checkWord(s string) (what, fix string) {
	return checkForm(s, wordForm, "a type", "underscores", strings.ReplaceAll(Slug(s), "-", "_"))
}

func checkForm(s string, form *regexp.Regexp, what, joints, better string) (string, string) {
	if len(s) <= maxID && form.MatchString(s) {
		return "", ""
	}
	fix := fmt.Sprintf("use at most %d small letters, digits and single %s", maxID, joints)
	if form.MatchString(better) {
		fix += fmt.Sprintf(", such as %q", better)
	}
	return userfile.Quote(s) + " cannot be " + what, fix
}

// Slug converts s to an id: "The Rusty Flagon" becomes "the-rusty-flagon".
func Slug(s string) string {
	var b strings.Builder
	s = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss").Replace(strings.ToLower(s))
	for _, c := range s {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			b.WriteRune(c)
		case c == '\'' || c == '’' || unicode.IsMark(c):
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() == maxID {
			break
		}
	}
	return strings.Trim(b.String(), "-")
}

// CampaignSchema returns the JSON Schema of a campaign file, for editors.
func CampaignSchema() (*jsonschema.Schema, error) {
	return userfile.Schema("Glyphoxa campaign", &world{}, &options)
}
