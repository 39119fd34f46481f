package worldtool_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/worldtool"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

func TestDefinitions(t *testing.T) {
	rows := []struct {
		name        string
		reads       bool
		destructive bool
		idempotent  bool
		required    []string
	}{
		{name: "place_entity", required: []string{"type", "name"}},
		{name: "move_entity", idempotent: true, required: []string{"id"}},
		{name: "update_entity", idempotent: true, destructive: true, required: []string{"id"}},
		{name: "remove_entity", destructive: true, required: []string{"id"}},
		{name: "relate_entities", idempotent: true, destructive: true, required: []string{"from", "type", "to"}},
		{name: "set_scene", idempotent: true, destructive: true, required: []string{"text"}},
		{name: "describe_scene", reads: true, idempotent: true},
	}
	all := worldtool.NewTools(nil, nil) // enough to list the tools
	if len(all) != len(rows) {
		t.Fatalf("%d tools, want %d", len(all), len(rows))
	}
	for i, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			x := all[i]
			d := x.Definition
			permission, effect := "world.write", tools.EffectAtCommit
			if row.reads {
				permission, effect = "world.read", tools.EffectNow
			}
			if d.Name != row.name || x.Permission != permission || x.Effect != effect || x.ReadOnly != row.reads ||
				x.Destructive != row.destructive || d.Idempotent != row.idempotent || x.OpenWorld || x.Inline {
				t.Errorf("tool = %+v, want it as in the row", x)
			}
			if x.Title == "" || d.Description == "" || x.OutputSchema == nil || x.DeclaredP50 <= 0 || x.DeclaredMax < x.DeclaredP50 ||
				d.EstimatedDurationMs != x.DeclaredP50 || d.MaxDurationMs != x.DeclaredMax {
				t.Errorf("tool = %+v, want it titled, described and timed", x)
			}
			required, _ := d.Parameters["required"].([]string)
			if diff := cmp.Diff(row.required, required); diff != "" {
				t.Errorf("required (-want +got):\n%s", diff)
			}
			for name, p := range d.Parameters["properties"].(map[string]any) {
				if p.(map[string]any)["description"] == nil {
					t.Errorf("parameter %s is not described", name)
				}
			}
			if row.reads {
				fits(t, d.Parameters, x.Probe)
			}
		})
	}
}

func TestPlaceEntity(t *testing.T) {
	rows := []struct {
		name  string
		who   mcp.Caller
		args  string
		id    string // a pattern
		known []string
		where string
	}{
		{name: "id_from_name", args: `{"type":"npc","name":"Müllers Kätzchen"}`, id: "muellers-kaetzchen"},
		{name: "id_given", args: `{"id":"cat","type":"npc","name":"Cat"}`, id: "cat"},
		{name: "name_taken", args: `{"type":"npc","name":"Bartok"}`, id: "bartok-2"},
		{name: "name_of_something_hidden_from_others", args: `{"type":"npc","name":"Cult"}`, id: "cult-2"},
		{name: "name_of_signs", args: `{"type":"npc","name":"龍"}`, id: "entity"},
		{name: "in_a_place_by_name", args: `{"type":"item","name":"Mug","location":"rusty flagon","position":[1,-2.5,0]}`, id: "mug", where: "flagon"},
		{name: "known_to_some", args: `{"type":"item","name":"Mug","known_by":["mayor"]}`, id: "mug", known: []string{"mayor"}},
		{name: "npc_makes_it_public", who: bartok, args: `{"type":"item","name":"Mug"}`, id: "mug-[a-z2-7]{6}"},
		{name: "npc_keeps_it_to_some", who: bartok, args: `{"type":"item","name":"Mug","known_by":["mayor"]}`, id: "mug-[a-z2-7]{6}", known: []string{"mayor", "bartok"}},
		{name: "npc_cannot_probe_for_ids", who: bartok, args: `{"id":"cult","type":"item","name":"Mug"}`, id: "cult-[a-z2-7]{6}"},
		{name: "client", who: client, args: `{"type":"item","name":"Mug","location":"flagon"}`, id: "mug-[a-z2-7]{6}", where: "flagon"},
		{name: "invisible_text", args: `{"type":"item","name":"M\u200bug\u202e","aliases":["\u0007 "],"attributes":{"\u200b":"x"}}`, id: "mug"},
		{name: "long_name", args: fmt.Sprintf(`{"type":"item","name":%q}`, strings.Repeat("mug ", 40)), id: "(mug-){15}mug"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			v := settled(t)
			answer, events, err := v.try(row.who, "place_entity", row.args)
			must(t, "place_entity", err)
			id, _ := at(answer, "entity", "id").(string)
			if !regexp.MustCompile("^"+row.id+"$").MatchString(id) || !slices.Equal(events, []string{"entity.placed"}) {
				t.Errorf("id %q, events %q; want %s and entity.placed", id, events, row.id)
			}
			e, err := v.store.Entity(t.Context(), id, "")
			must(t, "Entity", err)
			if live, _ := v.world.Entity(id, ""); !cmp.Equal(live, e) || !slices.Equal(e.Visible, row.known) {
				t.Errorf("stored %+v, live %+v; want them equal and known to %q", e, live, row.known)
			}
			if where, _ := at(answer, "entity", "location", "id").(string); where != row.where {
				t.Errorf("location = %q, want %q", where, row.where)
			}
		})
	}
}

func TestPlacedDescriptionsAreFound(t *testing.T) {
	v := settled(t)
	v.call(operator, "place_entity", `{"type":"item","name":"Zebra","description":"Striped.","known_by":["mayor"]}`)
	for viewer, want := range map[string]int{"mayor": 1, "bartok": 0} {
		hits, err := v.store.SearchFacts(t.Context(), "striped", viewer, 5)
		must(t, "SearchFacts", err)
		if len(hits) != want {
			t.Errorf("%s finds %d facts, want %d", viewer, len(hits), want)
		}
	}
}

func TestRefusals(t *testing.T) {
	rows := []struct {
		name       string
		who        mcp.Caller
		tool, args string
		says       string
	}{
		{name: "no_json", tool: "place_entity", args: `{`, says: "JSON"},
		{name: "no_name", tool: "place_entity", args: `{"type":"npc","name":" "}`, says: "name"},
		{name: "id_taken", tool: "place_entity", args: `{"id":"bartok","type":"npc","name":"B"}`, says: "update_entity"},
		{name: "id_taken_for_npc", who: bartok, tool: "place_entity", args: `{"id":"mill","type":"npc","name":"B"}`, says: "move_entity"},
		{name: "id_is_no_slug", tool: "place_entity", args: `{"id":"The Cat","type":"npc","name":"Cat"}`, says: `"the-cat"`},
		{name: "unknown_location", tool: "place_entity", args: `{"type":"npc","name":"Cat","location":"mil"}`, says: `"mill"`},
		{name: "hidden_location", who: bartok, tool: "place_entity", args: `{"type":"npc","name":"Cat","location":"lair"}`, says: "not found"},
		{name: "two_numbers", tool: "place_entity", args: `{"type":"npc","name":"Cat","position":[1,2]}`, says: "[x, y, z]"},
		{name: "secret_for_others", who: client, tool: "place_entity", args: `{"type":"npc","name":"Cat","known_by":["mayor"]}`, says: "leave known_by out"},
		{name: "nowhere_to_go", tool: "move_entity", args: `{"id":"bartok"}`, says: "position"},
		{name: "move_unknown", tool: "move_entity", args: `{"id":"bartog","position":[1,2,3]}`, says: `"bartok" (Bartok the Barkeep)`},
		{name: "move_ambiguous", tool: "move_entity", args: `{"id":"Twin","position":[1,2,3]}`, says: `"twin-1" (Twin), "twin-2" (Twin)`},
		{name: "move_hidden", who: bartok, tool: "move_entity", args: `{"id":"cult","position":[1,2,3]}`, says: "not found"},
		{name: "move_hidden_by_name", who: client, tool: "move_entity", args: `{"id":"xyzzy cult","position":[1,2,3]}`, says: "not found"},
		{name: "move_into_hidden", who: bartok, tool: "move_entity", args: `{"id":"mill","location":"lair"}`, says: "not found"},
		{name: "move_into_itself", tool: "move_entity", args: `{"id":"mill","location":"mill"}`, says: "inside itself"},
		{name: "move_into_its_content", tool: "move_entity", args: `{"id":"flagon","location":"Bart"}`, says: "move it out first"},
		{name: "update_nothing", tool: "update_entity", args: `{"id":"bartok"}`, says: "at least one"},
		{name: "update_hidden", who: bartok, tool: "update_entity", args: `{"id":"cult","name":"x"}`, says: "not found"},
		{name: "update_to_no_name", tool: "update_entity", args: `{"id":"bartok","name":" "}`, says: "name"},
		{name: "npc_reveals", who: mayor, tool: "update_entity", args: `{"id":"cult","known_by":null}`, says: "known_by"},
		{name: "npc_hides", who: bartok, tool: "update_entity", args: `{"id":"mill","known_by":["bartok"]}`, says: "known_by"},
		{name: "remove_unknown", tool: "remove_entity", args: `{"id":"x"}`, says: "query_entities"},
		{name: "remove_blank", tool: "remove_entity", args: `{"id":" "}`, says: "empty"},
		{name: "remove_hidden", who: client, tool: "remove_entity", args: `{"id":"lair"}`, says: "not found"},
		{name: "relate_hidden", who: bartok, tool: "relate_entities", args: `{"from":"bartok","type":"serves","to":"cult"}`, says: "not found"},
		{name: "unrelate_hidden_end", who: bartok, tool: "relate_entities", args: `{"from":"bartok","type":"serves","to":"cult","remove":true}`, says: "not found"},
		{name: "unrelate_hidden", who: bartok, tool: "relate_entities", args: `{"from":"bartok","type":"fears","to":"mayor","remove":true}`, says: "get_summary"},
		{name: "unrelate_unknown", tool: "relate_entities", args: `{"from":"bartok","type":"hates","to":"mayor","remove":true}`, says: "get_summary"},
		{name: "no_scene", tool: "set_scene", args: `{"text":" "}`, says: "going on"},
		{name: "half_an_area", tool: "describe_scene", args: `{"area":{"center":[1,2,3]}}`, says: "radius"},
		{name: "describe_hidden_place", who: bartok, tool: "describe_scene", args: `{"location":"lair"}`, says: "not found"},
		{name: "broken_limit", tool: "describe_scene", args: `{"limit":1.5}`, says: "whole number"},
	}
	v := settled(t)
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			v.t = t
			v.refused(row.who, row.tool, row.args, row.says)
		})
	}
}

func TestUnknownIsNotFound(t *testing.T) {
	v := settled(t)
	if _, _, err := v.try(bartok, "remove_entity", `{"id":"cult"}`); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("err = %v, want ErrNotFound", err)
	}
}
