package worldtool_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

func TestMoveEntity(t *testing.T) {
	rows := []struct {
		name, args string
		who        mcp.Caller
		at         *memory.Position
		in         string
	}{
		{name: "on_the_map", args: `{"id":"Bart","position":[7,8,9]}`, at: &memory.Position{7, 8, 9}, in: "flagon"},
		{name: "into_a_place", args: `{"id":"bartok","location":"Mill"}`, at: &memory.Position{1, 2, 3}, in: "mill"},
		{name: "both", args: `{"id":"bartok","location":"mill","position":[0,0,0]}`, at: &memory.Position{}, in: "mill"},
		{name: "off_the_map", args: `{"id":"bartok","position":null}`, in: "flagon"},
		{name: "out_of_the_place", args: `{"id":"bartok","location":null}`, at: &memory.Position{1, 2, 3}},
		{name: "where_it_is", args: `{"id":"bartok","location":"flagon"}`, at: &memory.Position{1, 2, 3}, in: "flagon"},
		{name: "by_itself", who: bartok, args: `{"id":"bartok","location":"mill"}`, at: &memory.Position{1, 2, 3}, in: "mill"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			v := settled(t)
			answer, events, err := v.try(row.who, "move_entity", row.args)
			must(t, "move_entity", err)
			if !slices.Equal(events, []string{"entity.moved"}) {
				t.Errorf("events = %q, want entity.moved", events)
			}
			if in, _ := at(answer, "entity", "location", "id").(string); in != row.in {
				t.Errorf("answer tells of %q, want %q", in, row.in)
			}
			e, err := v.store.Entity(t.Context(), "bartok", "")
			must(t, "Entity", err)
			places, err := v.store.Places(t.Context(), "", "bartok")
			must(t, "Places", err)
			if diff := cmp.Diff(row.at, e.Position); diff != "" || places["bartok"].ID != row.in {
				t.Errorf("in %q, want %q; position (-want +got):\n%s", places["bartok"].ID, row.in, diff)
			}
		})
	}
}

// TestMovingEndsAStayNobodyMentioned moves the mayor, whose lair is unknown to Bartok:
// the mayor has left the lair, and Bartok has learned nothing about it.
func TestMovingEndsAStayNobodyMentioned(t *testing.T) {
	v := settled(t)
	v.call(bartok, "move_entity", `{"id":"mayor","location":"mill"}`)
	places, err := v.store.Places(t.Context(), "mayor", "mayor")
	must(t, "Places", err)
	if places["mayor"].ID != "mill" {
		t.Errorf("the mayor is in %q, want the mill alone", places["mayor"].ID)
	}
}

func TestUpdateEntity(t *testing.T) {
	base := memory.Entity{ID: "bartok", Type: "npc", Name: "Bartok the Barkeep", Aliases: []string{"Bart"}, Description: "A halfling.",
		Attributes: map[string]string{"mood": "good", "race": "halfling"}, Position: &memory.Position{1, 2, 3}}
	rows := []struct {
		name, args string
		who        mcp.Caller
		want       func(*memory.Entity)
	}{
		{name: "name_and_type", args: `{"id":"bartok","name":" Bartholomew ","type":"ghost"}`,
			want: func(e *memory.Entity) { e.Name, e.Type = "Bartholomew", "ghost" }},
		{name: "description", who: client, args: `{"id":"bartok","description":"Drunk."}`, want: func(e *memory.Entity) { e.Description = "Drunk." }},
		{name: "no_description", args: `{"id":"bartok","description":null}`, want: func(e *memory.Entity) { e.Description = "" }},
		{name: "aliases", args: `{"id":"bartok","aliases":["B"]}`, want: func(e *memory.Entity) { e.Aliases = []string{"B"} }},
		{name: "no_aliases", args: `{"id":"bartok","aliases":null}`, want: func(e *memory.Entity) { e.Aliases = nil }},
		{name: "attributes", who: bartok, args: `{"id":"bartok","attributes":{"mood":null,"hp":"4"}}`,
			want: func(e *memory.Entity) { e.Attributes = map[string]string{"race": "halfling", "hp": "4"} }},
		{name: "no_attributes", args: `{"id":"bartok","attributes":null}`, want: func(e *memory.Entity) { e.Attributes = nil }},
		{name: "known_by", args: `{"id":"bartok","known_by":["mayor"]}`, want: func(e *memory.Entity) { e.Visible = []string{"mayor"} }},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			v := settled(t)
			_, events, err := v.try(row.who, "update_entity", row.args)
			must(t, "update_entity", err)
			fits(t, v.tools["update_entity"].Definition.Parameters, row.args)
			want := base
			row.want(&want)
			got, err := v.store.Entity(t.Context(), "bartok", "")
			must(t, "Entity", err)
			if diff := cmp.Diff(want, got); diff != "" || !slices.Equal(events, []string{"entity.updated"}) {
				t.Errorf("events %q, entity (-want +got):\n%s", events, diff)
			}
		})
	}
}

// TestUpdateLeavesTheRestAlone renames an entity that the campaign file made larger than
// a tool could.
func TestUpdateLeavesTheRestAlone(t *testing.T) {
	v := settled(t)
	long := strings.Repeat("word ", 3000)
	want := memory.Entity{ID: "tome", Name: "Tome", Description: long, Aliases: []string{long}, Attributes: map[string]string{"text": long}}
	_, err := v.world.Put(t.Context(), want, "")
	must(t, "Put", err)
	v.call(operator, "update_entity", `{"id":"tome","name":"Book","attributes":{"lost":null}}`)
	want.Name = "Book"
	if got, _ := v.world.Entity("tome", ""); !cmp.Equal(got, want) {
		t.Errorf("the tome lost %d characters, want its name changed alone", len(long)-len(got.Description))
	}
}

func TestRevealing(t *testing.T) {
	v := settled(t)
	v.call(operator, "update_entity", `{"id":"cult","known_by":null}`)
	if _, ok := v.world.Entity("cult", memory.Anyone); !ok {
		t.Error("the cult is still hidden")
	}
	hits, err := v.store.SearchFacts(t.Context(), secret, memory.Anyone, 5)
	must(t, "SearchFacts", err)
	if len(hits) != 1 {
		t.Errorf("%d facts, want the cult's description", len(hits))
	}
}

func TestRemoveEntity(t *testing.T) {
	v := settled(t)
	answer, events, err := v.try(bartok, "remove_entity", `{"id":"Bart"}`)
	must(t, "remove_entity", err)
	if at(answer, "id") != "bartok" || at(answer, "removed") != true || !slices.Equal(events, []string{"entity.removed"}) {
		t.Errorf("answer %v, events %q; want bartok removed", answer, events)
	}
	if _, err := v.store.Entity(t.Context(), "bartok", ""); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("Entity = %v, want ErrNotFound", err)
	}
	_, relations, err := v.store.World(t.Context())
	must(t, "World", err)
	if len(relations) != 1 {
		t.Errorf("relations = %v, want the mayor's stay alone", relations)
	}
}

func TestRelateEntities(t *testing.T) {
	rows := []struct {
		name, args string
		who        mcp.Caller
		event      string
		want       *memory.Relation // from bartok, of the row's type
	}{
		{name: "new", args: `{"from":"bart","type":"hates","to":"Mill","note":"Noise."}`, event: "entity.related",
			want: &memory.Relation{From: "bartok", Type: "hates", To: "mill", Note: "Noise."}},
		{name: "note_stays", args: `{"from":"bartok","type":"knows","to":"mayor"}`, event: "entity.related",
			want: &memory.Relation{From: "bartok", Type: "knows", To: "mayor", Note: "from childhood"}},
		{name: "note_is_replaced", args: `{"from":"bartok","type":"knows","to":"mayor","note":""}`, event: "entity.related",
			want: &memory.Relation{From: "bartok", Type: "knows", To: "mayor"}},
		{name: "secret_stays_secret", who: mayor, args: `{"from":"bartok","type":"fears","to":"mayor","note":"more"}`, event: "entity.related",
			want: &memory.Relation{From: "bartok", Type: "fears", To: "mayor", Note: "more", Visible: []string{"mayor"}}},
		{name: "said_anew_by_who_does_not_know", who: bartok, args: `{"from":"bartok","type":"fears","to":"mayor"}`, event: "entity.related",
			want: &memory.Relation{From: "bartok", Type: "fears", To: "mayor"}},
		{name: "removed", args: `{"from":"bartok","type":"knows","to":"mayor","remove":true}`, event: "entity.unrelated"},
		{name: "whereabouts_are_one", args: `{"from":"bartok","type":"located_in","to":"mill"}`, event: "entity.related",
			want: &memory.Relation{From: "bartok", Type: "located_in", To: "mill"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			v := settled(t)
			answer, events, err := v.try(row.who, "relate_entities", row.args)
			must(t, "relate_entities", err)
			if !slices.Equal(events, []string{row.event}) || at(answer, "removed") != (row.want == nil) {
				t.Errorf("answer %v, events %q; want %s", answer, events, row.event)
			}
			var got []memory.Relation
			for _, r := range v.world.Relations("bartok", "") {
				if r.Type == at(answer, "type") {
					got = append(got, r)
				}
			}
			var want []memory.Relation
			if row.want != nil {
				want = append(want, *row.want)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("relations (-want +got):\n%s", diff)
			}
		})
	}
}

func TestScene(t *testing.T) {
	v := settled(t)
	answer, events, err := v.try(client, "set_scene", `{"text":" Dawn. "}`)
	must(t, "set_scene", err)
	if at(answer, "scene") != "Dawn." || v.world.Scene() != "Dawn." || !slices.Equal(events, []string{"scene.changed"}) {
		t.Errorf("answer %v, scene %q, events %q; want Dawn.", answer, v.world.Scene(), events)
	}
	rows := []struct {
		name, args string
		who        mcp.Caller
		want       []string
		total      float64
	}{
		{name: "all", args: `{}`, want: []string{"bartok", "cult", "mayor", "mill"}, total: 4},
		{name: "all_for_npc", who: bartok, args: ``, want: []string{"bartok", "mill"}, total: 2},
		{name: "all_for_mayor", who: mayor, args: `{"limit":1}`, want: []string{"bartok"}, total: 4},
		{name: "area", args: `{"area":{"center":[1,1,1],"radius":0}}`, want: []string{"cult"}, total: 1},
		{name: "area_for_npc", who: client, args: `{"area":{"center":[1,2,2],"radius":1}}`, want: []string{"bartok"}, total: 1},
		{name: "place", args: `{"location":"Rusty Flagon"}`, want: []string{"bartok"}, total: 1},
		{name: "place_and_area", args: `{"location":"flagon","area":{"center":[50,0,0],"radius":1}}`, want: []string{}, total: 0},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			v.t = t
			answer, events, err := v.try(row.who, "describe_scene", row.args)
			must(t, "describe_scene", err)
			got := []string{}
			for _, e := range at(answer, "entities").([]any) {
				got = append(got, e.(map[string]any)["id"].(string))
			}
			if diff := cmp.Diff(row.want, got); diff != "" || at(answer, "total") != row.total || at(answer, "scene") != "Dawn." || len(events) != 0 {
				t.Errorf("total %v, scene %v, events %q, entities (-want +got):\n%s", at(answer, "total"), at(answer, "scene"), events, diff)
			}
		})
	}
}

// TestWhoIsBlindIsShownNothing has a blind character ask for visible things.
func TestWhoIsBlindIsShownNothing(t *testing.T) {
	v := settled(t)
	for _, args := range []string{`{}`, `{"location":"flagon"}`, `{"area":{"center":[1,2,2],"radius":9}}`} {
		answer, _, err := v.try(mcp.Caller{NPC: "bartok", Blind: true}, "describe_scene", args)
		must(t, "describe_scene", err)
		if scene := at(answer, "scene").(string); len(at(answer, "entities").([]any)) > 0 || !strings.HasPrefix(scene, "You see nothing") {
			t.Errorf("describe_scene %s shows %v", args, answer)
		}
	}
}

// FuzzHandlers calls every tool with any arguments as a client with public knowledge:
// secrets stay hidden and unchanged.
func FuzzHandlers(f *testing.F) {
	for _, s := range []string{
		`{}`, `[]`, `null`, ``, `{"id":"bartok","position":[1,2,3],"location":"mill"}`, `{"id":"cult","location":null,"attributes":null}`,
		`{"type":"npc","name":"Cat","id":"cult","known_by":["mayor"]}`, `{"id":"bartok","attributes":{"a":null,"b":"\u0000"}}`,
		`{"from":"bartok","type":"located_in","to":"flagon","remove":true}`, `{"text":"Dawn.","area":{"center":[0,0,0],"radius":1e308}}`,
		`{"id":"lair","name":"\ud800","aliases":null,"known_by":null}`, `{"location":"xyzzy lair","limit":1e300}`,
	} {
		f.Add(s)
	}
	v := settled(f)
	hidden := func(t testing.TB) string {
		t.Helper()
		var all []memory.Entity
		for _, id := range []string{"cult", "lair"} {
			e, ok := v.world.Entity(id, "")
			if !ok || !slices.Equal(e.Visible, []string{"mayor"}) {
				t.Fatalf("%s is %+v, want it there and hidden", id, e)
			}
			all = append(all, e)
		}
		raw, err := json.Marshal(all)
		must(t, "Marshal", err)
		return string(raw)
	}
	before := hidden(f)
	f.Fuzz(func(t *testing.T, args string) {
		if strings.Contains(args, secret) {
			return // an NPC that knows the secret may say it
		}
		v.t = t
		for name := range v.tools {
			if _, _, err := v.try(client, name, args); err != nil && !errors.Is(err, mcp.ErrInvalidArguments) {
				t.Errorf("%s %q: %v, want an answer or ErrInvalidArguments", name, args, err)
			}
		}
		if after := hidden(t); after != before {
			t.Errorf("%q made %s of what is hidden, which was %s", args, after, before)
		}
	})
}
