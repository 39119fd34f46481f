package world_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// anyCampaign draws a campaign that a file can express. Some parts are visible only to the
// first NPC.
func anyCampaign(t *rapid.T) *world.Campaign {
	texts := rapid.StringMatching(`[A-Za-z0-9äß漢:#'"&*!|>%@\-\[\]{}, .\n]{0,30}[a-z]`)
	text := func(label string) string { return strings.TrimSpace(texts.Draw(t, label)) }
	c := &world.Campaign{Name: text("name"), System: rapid.SampledFrom([]string{"", "dnd5e", "123", "null", "yes"}).Draw(t, "system"), Scene: text("scene")}
	switch rapid.IntRange(0, 2).Draw(t, "calendar") {
	case 1:
		c.Calendar, c.Today = world.GregorianCalendar(), "3 March 1024"
	case 2:
		c.Calendar, c.Today = world.Calendar{Months: []world.Month{{Name: "Frost", Days: 30}, {Name: "Fair", Days: 1}}, Weekdays: []string{"Bootstag", "Markttag"}, Era: "AF"}, "3 Frost 218"
	}
	viewable := [][]string{nil, {"dm"}, {"entity-0"}, {"entity-0", "dm"}}
	if rapid.Bool().Draw(t, "groups") {
		c.Groups = []world.CampaignGroup{{ID: "watch", Name: text("group"), Members: []string{"entity-0"}}, {ID: "bakery", Shares: true}}
		viewable = append(viewable, []string{"watch"}, []string{"bakery", "entity-0"})
	}
	n := rapid.IntRange(1, 5).Draw(t, "entities")
	id := func(i int) string { return fmt.Sprintf("entity-%d", i) }
	viewers := rapid.SampledFrom(viewable)
	for i := range n {
		e := memory.Entity{ID: id(i), Type: "npc", Name: text("name"), Description: text("description"), Visible: viewers.Draw(t, "visible")}
		if rapid.Bool().Draw(t, "more") {
			e.Aliases = []string{text("alias"), "42", "true"}
			e.Attributes = map[string]string{"age": "37", "mood": text("mood"), "on": "~"}
		}
		c.Entities = append(c.Entities, e)
		c.Relations = append(c.Relations, memory.Relation{From: id(i), Type: "knows_of", To: id((i + 1) % n), Note: text("note"), Visible: viewers.Draw(t, "visible")})
		f := memory.Fact{Source: "entity:" + id(i), Text: text("fact"), Visible: viewers.Draw(t, "visible")}
		if f.Visible == nil { // a fact about a hidden entity is visible to the same viewers
			f.Visible = e.Visible
		}
		c.Facts = append(c.Facts, f)
	}
	return c
}

func TestWhatIsWrittenIsReadAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyCampaign(t)
		var b bytes.Buffer
		if err := c.Write(&b); err != nil {
			t.Fatal(err)
		}
		again, err := world.ParseCampaign("again.yaml", b.Bytes())
		if err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		if diff := cmp.Diff(c, again, cmpopts.IgnoreFields(world.Campaign{}, "File", "Lines"), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("written (-) and read (+):\n%s\n%s", diff, b.String())
		}
	})
}

func TestWhatNoFileCanSayTellsNobodyMore(t *testing.T) {
	c := &world.Campaign{
		Entities: []memory.Entity{
			{ID: "Odd Id!", Type: "Magic Item", Name: "Ring\x00 of \u2028 Ash", Visible: []string{"nobody-here"}},
			{ID: "dm", Type: "npc", Name: " ", Attributes: map[string]string{"": "x", "k": " "}},
		},
		Relations: []memory.Relation{{From: "dm", Type: "Is Near", To: "Odd Id!"}, {From: "gone", Type: "x", To: "dm"}},
		Facts:     []memory.Fact{{Source: "entity:Odd Id!", Text: "It glows."}, {Source: "notes", Text: "Secret.", Visible: []string{"gone"}}},
	}
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	got, err := world.ParseCampaign("odd.yaml", b.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	dm := []string{world.DMOnly}
	want := &world.Campaign{
		Name:      "Campaign",
		Entities:  []memory.Entity{{ID: "odd-id", Type: "magic_item", Name: "Ring of \n Ash", Visible: dm}, {ID: "dm-2", Type: "npc", Name: "dm-2"}},
		Relations: []memory.Relation{{From: "dm-2", Type: "is_near", To: "odd-id"}},
		Facts:     []memory.Fact{{Source: "campaign:campaign", Text: "It glows."}, {Source: "campaign:campaign", Text: "Secret.", Visible: dm}},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(world.Campaign{}, "File", "Lines"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, b.String())
	}
}
