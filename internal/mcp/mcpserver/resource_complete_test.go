package mcpserver_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

func TestComplete(t *testing.T) {
	table := newTable(t)
	lib, v := mcpserver.NewLibrary(table.LibrarySources), view(memory.Anyone, everything...)
	for _, tc := range []struct {
		name, template, argument, prefix string
		want                             []string
		more                             bool
	}{
		{"npc_by_id", mcpserver.NPCTemplate, "id", "jun", []string{"juniper"}, false},
		{"npc_by_alias", mcpserver.NPCTemplate, "id", "Frau", []string{"wilhelmina-drossel"}, false},
		{"npc_by_second_word", mcpserver.NPCTemplate, "id", "QUILL", []string{"ysolde-quill"}, false},
		{"npc_spaces", mcpserver.NPCTemplate, "id", "  juni ", []string{"juniper"}, false},
		{"npc_none", mcpserver.NPCTemplate, "id", "zzz", nil, false},
		{"entity_by_alias", mcpserver.EntityTemplate, "id", "old wel", []string{"well"}, false},
		{"entity_hidden", mcpserver.EntityTemplate, "id", "vault", nil, false},
		{"session", mcpserver.SessionTemplate, "id", table.session[:4], []string{table.session}, false},
		{"transcript", mcpserver.SessionTemplate + "/transcript", "id", "", []string{table.session}, false},
		{"rule", mcpserver.RuleTemplate, "id", "condition-bl", []string{"condition-blinded"}, false},
		{"rule_by_name", mcpserver.RuleTemplate, "id", "fireb", []string{"item-necklace-of-fireballs", "item-wand-of-fireballs", "spell-delayed-blast-fireball", "spell-fireball"}, false},
		{"other_argument", mcpserver.NPCTemplate, "name", "jun", nil, false},
		{"huge", mcpserver.NPCTemplate, "id", strings.Repeat("j", 1<<20), nil, false},
		{"not_utf8", mcpserver.NPCTemplate, "id", "\xff", nil, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, more, err := lib.Complete(t.Context(), v, tc.template, tc.argument, tc.prefix)
			resourceMust(t, "Complete", err)
			if diff := cmp.Diff(tc.want, got); diff != "" || more != tc.more {
				t.Errorf("more %t, want %t; ids (-want +got):\n%s", more, tc.more, diff)
			}
		})
	}
	for _, tmpl := range []string{"", "glyphoxa://scene", "file:///{id}", mcpserver.RuleTemplate + "x"} {
		if _, _, err := lib.Complete(t.Context(), v, tmpl, "id", ""); !errors.Is(err, mcpserver.ErrUnknownResource) {
			t.Errorf("Complete(%q) = %v, want ErrUnknown", tmpl, err)
		}
	}
	if _, _, err := lib.Complete(t.Context(), view("", "world.read"), mcpserver.NPCTemplate, "id", ""); !errors.Is(err, mcpserver.ErrUnknownResource) {
		t.Errorf("Complete without the right = %v, want ErrUnknown", err)
	}
}

// TestAddressesGoRound checks that every id has one address, which leads back
// to it.
func TestAddressesGoRound(t *testing.T) {
	table := newTable(t)
	lib, v := mcpserver.NewLibrary(table.LibrarySources), view("", "world.read")
	rapid.Check(t, func(t *rapid.T) {
		id := "x" + rapid.StringN(0, 60, 600).Draw(t, "id")
		if err := table.store.PutEntities(t.Context(), memory.Entity{ID: id, Type: "item", Name: "A Thing"}); err != nil {
			t.Fatalf("PutEntities: %v", err)
		}
		uri := mcpserver.EntityURI(id)
		if got, ok := mcpserver.CanonicalURI(uri); !ok || got != uri {
			t.Fatalf("Canonical(%q) = %q, %t; want it unchanged", uri, got, ok)
		}
		res, err := lib.Read(t.Context(), v, uri)
		if err != nil || res.Contents[0].URI != uri {
			t.Fatalf("Read(%q) = %v, %v", uri, res, err)
		}
		if err := table.store.RemoveEntity(t.Context(), id); err != nil {
			t.Fatalf("RemoveEntity: %v", err)
		}
		if _, err := lib.Read(t.Context(), v, uri); !errors.Is(err, mcpserver.ErrUnknownResource) {
			t.Fatalf("Read of a removed entity = %v, want ErrUnknown", err)
		}
	})
}

// snapshot reads everything there is to read.
func snapshot(t *testing.T, lib *mcpserver.Library, v mcpserver.LibraryView) map[string]string {
	t.Helper()
	listed, err := lib.List(t.Context(), v)
	resourceMust(t, "List", err)
	out := map[string]string{}
	for _, uri := range uris(listed) {
		res, err := lib.Read(t.Context(), v, uri)
		resourceMust(t, uri, err)
		out[uri] = res.Contents[0].Text
	}
	return out
}

func TestTouchedNamesWhatChanges(t *testing.T) {
	thing := memory.Entity{ID: "the-keeper", Type: "npc", Name: "The Keeper"}
	for _, tc := range []struct {
		name   string
		change func(*resourceTable) error
		ids    []string // entities said to have changed
		want   string   // an address that changed indeed
	}{
		{"placed", func(tb *resourceTable) error {
			e := thing
			e.Position = &memory.Position{1, 1, 1}
			return tb.store.PutEntities(t.Context(), e)
		}, []string{"the-keeper"}, "glyphoxa://scene"},
		{"described", func(tb *resourceTable) error {
			e := thing
			e.Description = "Older still."
			return tb.store.PutEntities(t.Context(), e)
		}, []string{"the-keeper"}, "glyphoxa://entities/the-keeper"},
		{"hidden", func(tb *resourceTable) error {
			e := thing
			e.Visible = []string{"juniper"}
			return tb.store.PutEntities(t.Context(), e)
		}, []string{"the-keeper"}, "glyphoxa://npcs/the-keeper"},
		{"moved_with_neighbours", func(tb *resourceTable) error {
			return tb.store.PutEntities(t.Context(), memory.Entity{ID: "well", Type: "location", Name: "The Well", Position: &memory.Position{5, 5, 5}})
		}, []string{"well"}, "glyphoxa://entities"},
		{"removed", func(tb *resourceTable) error { return tb.store.RemoveEntity(t.Context(), "the-keeper") }, []string{"the-keeper"}, "glyphoxa://campaign"},
		{"related", func(tb *resourceTable) error {
			return tb.store.PutRelations(t.Context(), memory.Relation{From: "the-keeper", Type: "keeps", To: "well"})
		}, []string{"the-keeper", "well"}, "glyphoxa://entities/well"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tb := newTable(t)
			resourceMust(t, "PutEntities", tb.store.PutEntities(t.Context(), thing))
			lib, v := mcpserver.NewLibrary(tb.LibrarySources), view(memory.Anyone, everything...)
			before := snapshot(t, lib, v)
			resourceMust(t, "change", tc.change(tb))
			after := snapshot(t, lib, v)
			touched := map[string]bool{}
			for _, id := range tc.ids {
				for _, uri := range mcpserver.TouchedURIs(id) {
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
	lib, v := mcpserver.NewLibrary(tb.LibrarySources), view(memory.Anyone, everything...)
	before := snapshot(t, lib, v)
	_, err := tb.store.Append(t.Context(), memory.Line{Session: tb.session, Speaker: "Mia", Text: "One more thing."})
	resourceMust(t, "Append", err)
	var changed int
	for uri, text := range snapshot(t, lib, v) {
		if before[uri] == text {
			continue
		}
		changed++
		if !strings.Contains(strings.Join(mcpserver.TouchedSessionURIs(tb.session), " ")+" ", uri+" ") {
			t.Errorf("%s changed and is not among the touched", uri)
		}
	}
	if changed == 0 {
		t.Error("a line changed no document")
	}
}
