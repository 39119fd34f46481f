package world

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Entries as they are written, with the keys that ParseCampaign reads.
type (
	entityText struct {
		ID          string            `yaml:"id"`
		Type        string            `yaml:"type"`
		Name        string            `yaml:"name"`
		Aliases     []string          `yaml:"aliases,omitempty,flow"`
		Description string            `yaml:"description,omitempty"`
		Attributes  map[string]string `yaml:"attributes,omitempty"`
		Visible     []string          `yaml:"visible_to,omitempty,flow"`
	}
	relationText struct {
		From    string   `yaml:"from"`
		Type    string   `yaml:"type"`
		To      string   `yaml:"to"`
		Note    string   `yaml:"note,omitempty"`
		Visible []string `yaml:"visible_to,omitempty,flow"`
	}
	factText struct {
		Text    string   `yaml:"text"`
		About   string   `yaml:"about,omitempty"`
		Visible []string `yaml:"visible_to,omitempty,flow"`
	}
)

// Write writes a campaign in a form that ParseCampaign reads as the same campaign. Content that a file
// cannot express, such as invalid ids, viewers that are neither NPCs nor groups of the campaign, and
// positions, is omitted or approximated without revealing more to anyone. A fact that more viewers may know
// than know its entity is written without the entity.
func (c *Campaign) Write(w io.Writer) error {
	p := printer{w: w, ids: map[string]string{}, npcs: map[string]bool{}, groups: map[string]bool{}, visible: map[string][]string{}}
	for _, g := range c.Groups {
		p.groups[g.ID] = true
	}
	p.nameEntities(c.Entities)
	p.print("", map[string]string{"name": cmp.Or(clean(c.Name), "Campaign")})
	for _, top := range [][2]string{{"system", c.System}, {"scene", c.Scene}} {
		if text := clean(top[1]); text != "" {
			p.print("", map[string]string{top[0]: text})
		}
	}
	p.printCalendar(c)
	p.begin("entities", len(c.Entities))
	for _, e := range c.Entities {
		p.printEntity(e)
	}
	p.begin("relations", len(c.Relations))
	p.printRelations(c.Relations)
	p.printGroups(c.Groups)
	p.begin("facts", len(c.Facts))
	for _, f := range c.Facts {
		p.printFact(f)
	}
	return p.err
}

// printer writes entries, and keeps the first error.
type printer struct {
	w   io.Writer
	err error
	// ids maps entities' ids to ids in the file.
	ids  map[string]string
	npcs map[string]bool
	// groups are the groups in the file.
	groups map[string]bool
	// visible has the viewers of an entity, by its id in the file.
	visible map[string][]string
}

// print writes a value as YAML with indent before each line. A list entry begins with a dash.
func (p *printer) print(indent string, v any) {
	if p.err != nil {
		return
	}
	text, err := yaml.Marshal(v)
	if err != nil {
		p.err = fmt.Errorf("writing the campaign: %w", err)
		return
	}
	out := string(text)
	if indent != "" {
		out = indent[:len(indent)-2] + "- " + innerLine.ReplaceAllString(out, "\n"+indent+"$1")
	}
	_, p.err = io.WriteString(p.w, out)
}

// innerLine matches the beginning of a line that is neither the first nor empty.
var innerLine = regexp.MustCompile(`\n([^\n])`)

func (p *printer) begin(list string, n int) {
	if p.err == nil && n > 0 {
		_, p.err = fmt.Fprintf(p.w, "\n%s:\n", list)
	}
}

// nameEntities assigns each entity a valid id.
func (p *printer) nameEntities(all []memory.Entity) {
	used := map[string]bool{DMOnly: true}
	for id := range p.groups {
		used[id] = true
	}
	fits := func(id string) bool { what, _ := checkSlug(id); return what == "" && !used[id] }
	for _, e := range all { // valid ids are kept first
		if fits(e.ID) {
			p.ids[e.ID], used[e.ID] = e.ID, true
		}
	}
	for _, e := range all {
		if p.ids[e.ID] != "" {
			continue
		}
		base := cmp.Or(Slug(e.ID), Slug(e.Name), "entity")
		id := base
		for n := 2; !fits(id); n++ {
			id = fmt.Sprintf("%s-%d", strings.Trim(base[:min(len(base), maxID-8)], "-"), n)
		}
		p.ids[e.ID], used[id] = id, true
	}
	for _, e := range all {
		if e.Type == "npc" {
			p.npcs[p.ids[e.ID]] = true
		}
	}
	for _, e := range all {
		p.visible[p.ids[e.ID]] = p.viewers(e.Visible)
	}
}

// viewers returns the viewers that a file can name, or only the DM if there are none.
func (p *printer) viewers(all []string) []string {
	if len(all) == 0 {
		return nil
	}
	var out []string
	for _, id := range all {
		if in := p.ids[id]; id == DMOnly || p.groups[id] || p.npcs[in] && in != "" {
			out = append(out, cmp.Or(in, id))
		}
	}
	if len(out) == 0 {
		return []string{DMOnly}
	}
	return out
}

func (p *printer) printEntity(e memory.Entity) {
	id := p.ids[e.ID]
	t := entityText{ID: id, Type: word(e.Type), Name: cmp.Or(clean(e.Name), id), Description: clean(e.Description), Visible: p.visible[id]}
	for _, a := range e.Aliases {
		if a = clean(a); a != "" {
			t.Aliases = append(t.Aliases, a)
		}
	}
	for k, v := range e.Attributes {
		if k = clean(k); k != "" && len(k) <= 100 && clean(v) != "" {
			if t.Attributes == nil {
				t.Attributes = map[string]string{}
			}
			t.Attributes[k] = clean(v)
		}
	}
	p.print("    ", t)
}

func (p *printer) printRelations(all []memory.Relation) {
	seen := map[[3]string]bool{}
	for _, r := range all {
		t := relationText{From: p.ids[r.From], Type: word(r.Type), To: p.ids[r.To], Note: clean(r.Note), Visible: p.viewers(r.Visible)}
		key := [3]string{t.From, t.Type, t.To}
		if t.From == "" || t.To == "" || seen[key] {
			continue
		}
		seen[key] = true
		p.print("    ", t)
	}
}

func (p *printer) printFact(f memory.Fact) {
	t := factText{Text: clean(f.Text), Visible: p.viewers(f.Visible)}
	if t.Text == "" {
		return
	}
	if id, about := strings.CutPrefix(f.Source, "entity:"); about && p.ids[id] != "" {
		t.About = p.ids[id]
		switch {
		case slices.Equal(t.Visible, p.visible[t.About]):
			t.Visible = nil
		case t.Visible == nil:
			t.About = ""
		}
	}
	p.print("    ", t)
}

// groupText and calendarText are a group and a calendar as they are written.
type (
	groupText struct {
		ID      string   `yaml:"id"`
		Name    string   `yaml:"name,omitempty"`
		Members []string `yaml:"members,omitempty,flow"`
		Shares  bool     `yaml:"shares,omitempty"`
	}
	calendarText struct {
		Kind     string      `yaml:"kind,omitempty"`
		Months   []monthText `yaml:"months,omitempty"`
		Weekdays []string    `yaml:"weekdays,omitempty,flow"`
		Era      string      `yaml:"era,omitempty"`
		Today    string      `yaml:"today,omitempty"`
	}
	monthText struct {
		Name string `yaml:"name"`
		Days int    `yaml:"days"`
	}
)

func (p *printer) printGroups(all []CampaignGroup) {
	p.begin("groups", len(all))
	for _, g := range all {
		t := groupText{ID: g.ID, Name: clean(g.Name), Shares: g.Shares}
		for _, id := range g.Members {
			if in := p.ids[id]; p.npcs[in] {
				t.Members = append(t.Members, in)
			}
		}
		p.print("    ", t)
	}
}

func (p *printer) printCalendar(c *Campaign) {
	t := calendarText{Weekdays: c.Calendar.Weekdays, Era: c.Calendar.Era, Today: c.Today}
	for _, m := range c.Calendar.Months {
		t.Months = append(t.Months, monthText(m))
	}
	switch {
	case c.Calendar.Gregorian:
		t.Kind, t.Months, t.Weekdays = kindGregorian, nil, nil
	case len(t.Months) == 0 && t.Today == "":
		return
	case len(t.Months) == 0:
		t.Kind = kindCommon
	}
	p.print("", map[string]calendarText{"calendar": t})
}

// word returns a valid type.
func word(s string) string {
	if what, _ := checkWord(s); what == "" {
		return s
	}
	return cmp.Or(strings.TrimLeft(strings.ReplaceAll(Slug(s), "-", "_"), "0123456789_"), "thing")
}

// clean removes characters that a file may not contain.
func clean(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.Map(func(c rune) rune {
		switch {
		case c == '\n' || c == '\t':
			return c
		case c == '\r', c == '\u0085', c == '\u2028', c == '\u2029':
			return '\n'
		case c == utf8.RuneError, c == 0xfeff, c == 0xfffe, c == 0xffff, unicode.IsControl(c):
			return -1
		}
		return c
	}, strings.ToValidUTF8(s, ""))
	return strings.TrimSpace(s)
}
