package world_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const small = `name: Mill End
system: dnd5e
scene: |
  Rain.
entities:
  - id: aldo
    type: npc
    name: Aldo
    aliases: [the miller]
    description: He grinds.
    attributes: {age: 37, mood: "gloomy", tall: true}
  - {id: mill, type: location, name: The Mill, visible_to: [aldo]}
relations:
  - {from: aldo, type: lives_in, to: mill, note: Upstairs.}
facts:
  - {text: The mill creaks., about: mill}
  - {text: Aldo snores., about: aldo, visible_to: [aldo]}
  - {text: It rains a lot.}
`

func TestParse(t *testing.T) {
	got, err := world.ParseCampaign("mill.yaml", []byte(small))
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	want := &world.Campaign{
		Name: "Mill End", System: "dnd5e", Scene: "Rain.", File: "mill.yaml",
		Entities: []memory.Entity{
			{
				ID: "aldo", Type: "npc", Name: "Aldo", Aliases: []string{"the miller"}, Description: "He grinds.",
				Attributes: map[string]string{"age": "37", "mood": "gloomy", "tall": "true"},
			},
			{ID: "mill", Type: "location", Name: "The Mill", Visible: []string{"aldo"}},
		},
		Relations: []memory.Relation{{From: "aldo", Type: "lives_in", To: "mill", Note: "Upstairs."}},
		Facts: []memory.Fact{
			{Source: "entity:mill", Text: "The mill creaks.", Visible: []string{"aldo"}},
			{Source: "entity:aldo", Text: "Aldo snores.", Visible: []string{"aldo"}},
			{Source: "campaign:mill-end", Text: "It rains a lot."},
		},
		Lines: world.CampaignLines{Entities: []int{6, 12}, Relations: []int{14}, Facts: []int{16, 17, 18}, Scene: 3},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("campaign (-want +got):\n%s", diff)
	}
}

// people is the start of most bad campaigns. Their own text begins on line 5.
const people = `name: N
entities:
  - {id: aldo, type: npc, name: Aldo}
  - {id: mill, type: location, name: The Mill}
`

var bad = []struct{ name, in, want string }{
	{"empty", "", `c.yaml:1: the file is empty; start with name: and entities:`},
	{"only_comment", "# later\n", `c.yaml:1: the file is empty; start with name: and entities:`},
	{"null", "~\n", `c.yaml:1: the campaign has no "name"; add name:`},
	{"list", "- name\n", `c.yaml:1: expected keys and values, got a list; write "key: value" lines below it`},
	{"no_yaml", "name: \"N\nscene: [", `this is not valid YAML`},
	{"tab", "name: N\nentities:\n\t- x\n", `c.yaml:3: this is not valid YAML`},
	{"two_documents", "name: N\n---\nname: M\n", `c.yaml:2: a second document begins here`},
	{"broken_second_document", "name: N\n---\n[", `this is not valid YAML`},
	{"no_name", "scene: S\n", `c.yaml:1: the campaign has no "name"; add name:`},
	{"unknown_key", "name: N\nentites: []\n", `c.yaml:2: the campaign has no key "entites"; did you mean "entities"?`},
	{"unlike_any_key", "name: N\nweather: fog\n", `c.yaml:2: the campaign has no key "weather"; use one of name, system, scene, entities, relations, facts`},
	{"duplicate_key", "name: N\nname: M\n", `c.yaml:2: the key "name" is here twice, first on line 1; keep one of them`},
	{"name_is_number", "name: 12\n", `c.yaml:1: name: expected a text, got a number; put it in quotes: "12"`},
	{"name_is_bool", "name: true\n", `c.yaml:1: name: expected a text, got true or false; put it in quotes: "true"`},
	{"name_is_list", "name: [N]\n", `c.yaml:1: name: expected a text, got a list`},
	{"name_is_missing", "name:\n", `c.yaml:1: name: is empty; give it a value`},
	{"name_is_blank", "name: ' '\n", `c.yaml:1: name: is blank; give it a value`},
	{"entities_are_mapping", "name: N\nentities: {a: b}\n", `c.yaml:2: entities: expected a list, got keys and values; put each entry on a line of its own after a dash`},
	{"entity_is_text", "name: N\nentities: [aldo]\n", `c.yaml:2: entities[0]: expected keys and values, got a text; write "key: value" lines below it`},
	{"entity_lacks_all", "name: N\nentities:\n  - {}\n", `c.yaml:3: an entity has no "id"; add id:` + "\n" +
		`c.yaml:3: an entity has no "type"; add type:` + "\n" + `c.yaml:3: an entity has no "name"; add name:`},
	{"entity_key", people + "  - {id: a, type: npc, name: A, attribute: {}}\n", `c.yaml:5: an entity has no key "attribute"; did you mean "attributes"?`},
	{"bad_id", people + "  - {id: The Rusty Flagon, type: npc, name: A}\n", `c.yaml:5: id: "The Rusty Flagon" cannot be an id; use at most 64 small letters, digits and single dashes, such as "the-rusty-flagon"`},
	{"umlaut_id", people + "  - {id: Bäcker, type: npc, name: A}\n", `such as "baecker"`},
	{"hopeless_id", people + "  - {id: '!', type: npc, name: A}\n", `c.yaml:5: id: "!" cannot be an id; use at most 64 small letters, digits and single dashes`},
	{"long_id", people + "  - {id: " + strings.Repeat("a", 65) + ", type: npc, name: A}\n", `cannot be an id`},
	{"bad_type", people + "  - {id: a, type: Magic Item, name: A}\n", `c.yaml:5: type: "Magic Item" cannot be a type; use at most 64 small letters, digits and single underscores, such as "magic_item"`},
	{"duplicate_id", people + "  - {id: aldo, type: npc, name: B}\n", `c.yaml:5: entity "aldo" is already defined on line 3; give one of them another id`},
	{"alias_of_number", people + "  - {id: a, type: npc, name: A, aliases: [x, 7]}\n", `c.yaml:5: aliases[1]: expected a text, got a number; put it in quotes: "7"`},
	{"nested_attribute", people + "  - {id: a, type: npc, name: A, attributes: {x: [1]}}\n", `c.yaml:5: x: expected a text, got a list`},
	{"empty_attribute", people + "  - {id: a, type: npc, name: A, attributes: {x: }}\n", `c.yaml:5: x: is empty; write something, or leave it out`},
	{"nameless_attribute", people + "  - {id: a, type: npc, name: A, attributes: {'': 1}}\n", `c.yaml:5: attributes: a key is blank; write name: value`},
	{"duplicate_attribute", people + "  - {id: a, type: npc, name: A, attributes: {x: 1, x: 2}}\n", `c.yaml:5: attributes: the key "x" is here twice, first on line 5; keep one of them`},
	{"attributes_are_list", people + "  - {id: a, type: npc, name: A, attributes: [x]}\n", `c.yaml:5: attributes: expected keys and values, got a list; write "key: value" lines below it`},
	{"yaml_alias", people + "  - {id: a, type: npc, name: &n A}\n  - {id: b, type: npc, name: *n}\n", `c.yaml:6: name: is a YAML alias (*n); write it out`},
	{"from_unknown", people + "relations:\n  - {from: alda, type: runs, to: mill}\n", `c.yaml:6: "from" names the entity "alda", which is not defined; did you mean "aldo"?`},
	{"to_unknown", people + "relations:\n  - {from: aldo, type: runs, to: castle}\n", `c.yaml:6: "to" names the entity "castle", which is not defined; define it under "entities"`},
	{"bad_relation_type", people + "relations:\n  - {from: aldo, type: lives in, to: mill}\n", `such as "lives_in"`},
	{"relation_without_type", people + "relations:\n  - {from: aldo, to: mill}\n", `c.yaml:6: a relation has no "type"; add type:`},
	{"duplicate_relation", people + "relations:\n  - {from: aldo, type: runs, to: mill}\n  - {from: aldo, type: runs, to: mill, note: again}\n", `c.yaml:7: relation aldo runs mill is already on line 6; remove one, or give it another type`},
	{"visible_to_unknown", people + "facts:\n  - {text: T, visible_to: [adlo]}\n", `c.yaml:6: "visible_to" names the NPC "adlo", which is not defined; did you mean "aldo"?`},
	{"visible_to_place", people + "facts:\n  - {text: T, visible_to: [mill]}\n", `c.yaml:6: "visible_to" names the NPC "mill", which is not defined; define it under "entities" with type: npc`},
	{"id_of_the_dm", people + "  - {id: dm, type: npc, name: A}\n", `c.yaml:5: "dm" means the DM wherever something is visible to someone; give this one another id`},
	{"visible_to_nobody", people + "facts:\n  - {text: T, visible_to: []}\n", `c.yaml:6: visible_to: is empty; leave it out if everyone knows, or list the NPCs that do`},
	{"visible_to_left_open", people + "facts:\n  - text: T\n    visible_to:\n", `c.yaml:7: visible_to: is empty; leave it out if everyone knows, or list the NPCs that do`},
	{"fact_about_unknown", people + "facts:\n  - {text: T, about: mil}\n", `c.yaml:6: "about" names the entity "mil", which is not defined; did you mean "mill"?`},
	{"fact_without_text", people + "facts:\n  - {about: mill}\n", `c.yaml:6: a fact has no "text"; add text:`},
	{"all_at_once", "nam: N\nentities:\n  - {id: A, type: npc, name: 1}\nrelations:\n  - {from: x, type: y, to: z}\n", strings.Join([]string{
		`c.yaml:1: the campaign has no key "nam"; did you mean "name"?`,
		`c.yaml:1: the campaign has no "name"; add name:`,
		`c.yaml:3: id: "A" cannot be an id; use at most 64 small letters, digits and single dashes, such as "a"`,
		`c.yaml:3: name: expected a text, got a number; put it in quotes: "1"`,
		`c.yaml:5: "from" names the entity "x", which is not defined; define it under "entities"`,
		`c.yaml:5: "to" names the entity "z", which is not defined; define it under "entities"`,
	}, "\n")},
}

func TestParseProblems(t *testing.T) {
	for _, tt := range bad {
		t.Run(tt.name, func(t *testing.T) {
			c, err := world.ParseCampaign("c.yaml", []byte(tt.in))
			var list userfile.Problems
			if !errors.As(err, &list) || c != nil {
				t.Fatalf("Parse = %v, %v; want userfile.Problems", c, err)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("problems:\n%v\nwant them to contain\n%s", err, tt.want)
			}
		})
	}
}

func TestEmptySectionsAreFine(t *testing.T) {
	c, err := world.ParseCampaign("c.yaml", []byte("name: N\nentities:\nrelations: []\nfacts: ~\n"))
	if err != nil || c.Name != "N" || len(c.Entities)+len(c.Relations)+len(c.Facts) != 0 {
		t.Errorf("Parse = %+v, %v; want a campaign of nothing but its name", c, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(small)
	f.Add(people)
	for _, tt := range bad {
		f.Add(tt.in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		c, err := world.ParseCampaign("c.yaml", []byte(in))
		var list userfile.Problems
		if err != nil {
			if c != nil || !errors.As(err, &list) || len(list) == 0 {
				t.Fatalf("Parse = %v, %v; want a campaign or problems", c, err)
			}
			for _, p := range list {
				if p.File != "c.yaml" || p.Line < 0 || p.Line > lines(in)+1 || p.What == "" {
					t.Fatalf("problem %+v does not fit the file", p)
				}
			}
			return
		}
		checkSound(t, c)
	})
}

// lines counts lines as YAML does. UTF-16 input may hold more of them.
func lines(in string) int {
	if strings.HasPrefix(in, "\xff\xfe") || strings.HasPrefix(in, "\xfe\xff") {
		return len(in)
	}
	n := 1
	for _, end := range []string{"\n", "\r", "\u0085", "\u2028", "\u2029"} {
		n += strings.Count(in, end)
	}
	return n
}

// checkSound checks a campaign against the promises of Load.
func checkSound(t *testing.T, c *world.Campaign) {
	t.Helper()
	kinds := map[string]string{}
	for _, e := range c.Entities {
		if _, ok := kinds[e.ID]; ok || e.ID == "" || e.Name == "" || e.Type == "" {
			t.Errorf("entity %+v is incomplete or not the only one of its id", e)
		}
		kinds[e.ID] = e.Type
	}
	seen := map[[3]string]bool{}
	viewers := func(of string, ids []string) {
		for _, id := range ids {
			if kinds[id] != "npc" && id != world.DMOnly {
				t.Errorf("%s is visible to %q, which is no NPC", of, id)
			}
		}
	}
	for _, e := range c.Entities {
		viewers(e.ID, e.Visible)
	}
	for _, r := range c.Relations {
		key := [3]string{r.From, r.Type, r.To}
		if kinds[r.From] == "" || kinds[r.To] == "" || r.Type == "" || seen[key] {
			t.Errorf("relation %v is loose or there twice", key)
		}
		seen[key] = true
		viewers(r.From+" "+r.Type, r.Visible)
	}
	for _, f := range c.Facts {
		if f.Text == "" || f.Source == "" {
			t.Errorf("fact %+v lacks a text or a source", f)
		}
		viewers(f.Text, f.Visible)
	}
}
