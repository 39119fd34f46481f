package resource_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/mcp/resource"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

func TestComplete(t *testing.T) {
	table := newTable(t)
	lib, v := resource.New(table.Sources), view(memory.Anyone, everything...)
	for _, tc := range []struct {
		name, template, argument, prefix string
		want                             []string
		more                             bool
	}{
		{"npc_by_id", resource.NPCTemplate, "id", "jun", []string{"juniper"}, false},
		{"npc_by_alias", resource.NPCTemplate, "id", "Frau", []string{"wilhelmina-drossel"}, false},
		{"npc_by_second_word", resource.NPCTemplate, "id", "QUILL", []string{"ysolde-quill"}, false},
		{"npc_spaces", resource.NPCTemplate, "id", "  juni ", []string{"juniper"}, false},
		{"npc_none", resource.NPCTemplate, "id", "zzz", nil, false},
		{"entity_by_alias", resource.EntityTemplate, "id", "old wel", []string{"well"}, false},
		{"entity_hidden", resource.EntityTemplate, "id", "vault", nil, false},
		{"session", resource.SessionTemplate, "id", table.session[:4], []string{table.session}, false},
		{"transcript", resource.SessionTemplate + "/transcript", "id", "", []string{table.session}, false},
		{"rule", resource.RuleTemplate, "id", "condition-bl", []string{"condition-blinded"}, false},
		{"rule_by_name", resource.RuleTemplate, "id", "fireb", []string{"item-necklace-of-fireballs", "item-wand-of-fireballs", "spell-delayed-blast-fireball", "spell-fireball"}, false},
		{"other_argument", resource.NPCTemplate, "name", "jun", nil, false},
		{"huge", resource.NPCTemplate, "id", strings.Repeat("j", 1<<20), nil, false},
		{"not_utf8", resource.NPCTemplate, "id", "\xff", nil, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, more, err := lib.Complete(t.Context(), v, tc.template, tc.argument, tc.prefix)
			must(t, "Complete", err)
			if diff := cmp.Diff(tc.want, got); diff != "" || more != tc.more {
				t.Errorf("more %t, want %t; ids (-want +got):\n%s", more, tc.more, diff)
			}
		})
	}
	for _, tmpl := range []string{"", "glyphoxa://scene", "file:///{id}", resource.RuleTemplate + "x"} {
		if _, _, err := lib.Complete(t.Context(), v, tmpl, "id", ""); !errors.Is(err, resource.ErrUnknown) {
			t.Errorf("Complete(%q) = %v, want ErrUnknown", tmpl, err)
		}
	}
	if _, _, err := lib.Complete(t.Context(), view("", "world.read"), resource.NPCTemplate, "id", ""); !errors.Is(err, resource.ErrUnknown) {
		t.Errorf("Complete without the right = %v, want ErrUnknown", err)
	}
}

// TestAddressesGoRound checks that every id has one address, which leads back
// to it.
func TestAddressesGoRound(t *testing.T) {
	table := newTable(t)
	lib, v := resource.New(table.Sources), view("", "world.read")
	rapid.Check(t, func(t *rapid.T) {
		id := "x" + rapid.StringN(0, 60, 600).Draw(t, "id")
		if err := table.store.PutEntities(t.Context(), memory.Entity{ID: id, Type: "item", Name: "A Thing"}); err != nil {
			t.Fatalf("PutEntities: %v", err)
		}
		uri := resource.EntityURI(id)
		if got, ok := resource.Canonical(uri); !ok || got != uri {
			t.Fatalf("Canonical(%q) = %q, %t; want it unchanged", uri, got, ok)
		}
		res, err := lib.Read(t.Context(), v, uri)
		if err != nil || res.Contents[0].URI != uri {
			t.Fatalf("Read(%q) = %v, %v", uri, res, err)
		}
		if err := table.store.RemoveEntity(t.Context(), id); err != nil {
			t.Fatalf("RemoveEntity: %v", err)
		}
		if _, err := lib.Read(t.Context(), v, uri); !errors.Is(err, resource.ErrUnknown) {
			t.Fatalf("Read of a removed entity = %v, want ErrUnknown", err)
		}
	})
}

// snapshot reads everything there is to read.
func snapshot(t *testing.T, lib *resource.Library, v resource.View) map[string]string {
	t.Helper()
	listed, err := lib.List(t.Context(), v)
	must(t, "List", err)
	out := map[string]string{}
	for _, uri := range uris(listed) {
		res, err := lib.Read(t.Context(), v, uri)
		must(t, uri, err)
		out[uri] = res.Contents[0].Text
	}
	return out
}

func TestTouchedNamesWhatChanges(t *testing.T) {
	thing := memory.Entity{ID: "the-keeper", Type: "npc", Name: "The Keeper"}
	for _, tc := range []struct {
		name   string
		change func(*table) error
		ids    []string // entities said to have changed
		want   string   // an address that changed indeed
	}{
		{"placed", func(tb *table) error {
			e := thing
			e.Position = &memory.Position{1, 1, 1}
			return tb.store.PutEntities(t.Context(), e)
		}, []string{"the-keeper"}, "glyphoxa://scene"},
		{"described", func(tb *table) error {
			e := thing
			e.Description = "Older still."
			return tb.store.PutEntities(t.Context(), e)
		}, []string{"the-keeper"}, "glyphoxa://entities/the-keeper"},
		{"hidden", func(tb *table) error {
			e := thing
			e.Visible = []string{"juniper"}
			return tb.store.PutEntities(t.Context(), e)
		}, []string{"the-keeper"}, "glyphoxa://npcs/the-keeper"},
		{"moved_with_neighbours", func(tb *table) error {
			return tb.store.PutEntities(t.Context(), memory.Entity{ID: "well", Type: "location", Name: "The Well", Position: &memory.Position{5, 5, 5}})
		}, []string{"well"}, "glyphoxa://entities"},
		{"removed", func(tb *table) error { return tb.store.RemoveEntity(t.Context(), "the-keeper") }, []string{"the-keeper"}, "glyphoxa://campaign"},
		{"related", func(tb *table) error {
			return tb.store.PutRelations(t.Context(), memory.Relation{From: "the-keeper", Type: "keeps", To: "well"})
		}, []string{"the-keeper", "well"}, "glyphoxa://entities/well"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tb := newTable(t)
			must(t, "PutEntities", tb.store.PutEntities(t.Context(), thing))
			lib, v := resource.New(tb.Sources), view(memory.Anyone, everything...)
			before := snapshot(t, lib, v)
			must(t, "change", tc.change(tb))
			after := snapshot(t, lib, v)
			touched := map[string]bool{}
			for _, id := range tc.ids {
				for _, uri := range resource.Touched(id) {
					touched[uri] = true
				}
			}
			changed := map[string]bool{}
			for uri, text := range before {
				changed[uri] = after[uri] != text
			}
			for uri, text := range after {
				changed[uri] = before[uri] != text
			}
			for uri, ok := range changed {
				if ok && !touched[uri] {
					t.Errorf("%s changed and is not among the touched", uri)
				}
			}
			if !changed[tc.want] {
				t.Errorf("%s did not change", tc.want)
			}
		})
	}
}

func TestTouchedSessionNamesWhatChanges(t *testing.T) {
	tb := newTable(t)
	lib, v := resource.New(tb.Sources), view(memory.Anyone, everything...)
	before := snapshot(t, lib, v)
	_, err := tb.store.Append(t.Context(), memory.Line{Session: tb.session, Speaker: "Mia", Text: "One more thing."})
	must(t, "Append", err)
	var changed int
	for uri, text := range snapshot(t, lib, v) {
		if before[uri] == text {
			continue
		}
		changed++
		if !strings.Contains(strings.Join(resource.TouchedSession(tb.session), " ")+" ", uri+" ") {
			t.Errorf("%s changed and is not among the touched", uri)
		}
	}
	if changed == 0 {
		t.Error("a line changed no document")
	}
}
