package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/ruleslookup"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// moment matches a time of this run.
var moment = regexp.MustCompile(`"20\d\d-[^"]*Z"`)

func TestDocuments(t *testing.T) {
	table := newTable(t)
	lib := mcpserver.NewLibrary(table.LibrarySources)
	for _, tc := range []struct {
		name string
		view mcpserver.LibraryView
		uri  string
	}{
		{"campaign", view(memory.Anyone, everything...), "glyphoxa://campaign"},
		{"campaign_world_only", view(memory.Anyone, "world.read"), "glyphoxa://campaign"},
		{"scene", view(memory.Anyone, everything...), "glyphoxa://scene"},
		{"npcs", view(memory.Anyone, everything...), "glyphoxa://npcs"},
		{"npc", view(memory.Anyone, everything...), "glyphoxa://npcs/the-keeper"},
		{"entity_for_players", view(memory.Anyone, everything...), "glyphoxa://entities/well"},
		{"entity_for_dm", view("", everything...), "glyphoxa://entities/well"},
		{"hidden_entity_for_dm", view("", everything...), "glyphoxa://entities/" + secretID},
		{"odd_id", view(memory.Anyone, everything...), "glyphoxa://entities/straße%205%2Fö%3F%23"},
		{"sessions", view(memory.Anyone, everything...), "glyphoxa://sessions"},
		{"session", view(memory.Anyone, everything...), "glyphoxa://sessions/" + table.session},
		{"transcript", view(memory.Anyone, everything...), "glyphoxa://sessions/" + table.session + "/transcript"},
		{"rule", view(memory.Anyone, everything...), "glyphoxa://rules/condition-blinded"},
		{"latency", view(memory.Anyone), "glyphoxa://tools/latency"},
		{"latency_without_tools", mcpserver.LibraryView{}, "glyphoxa://tools/latency"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			res, err := lib.Read(t.Context(), tc.view, tc.uri)
			resourceMust(t, "Read", err)
			var doc bytes.Buffer
			resourceMust(t, "Indent", json.Indent(&doc, []byte(res.Contents[0].Text), "", "  "))
			got := moment.ReplaceAllString(strings.ReplaceAll(doc.String(), table.session, "SESSION"), `"TIME"`) + "\n"
			file := filepath.Join("testdata", tc.name+".json")
			if *update {
				resourceMust(t, "MkdirAll", os.MkdirAll("testdata", 0o755))
				resourceMust(t, "WriteFile", os.WriteFile(file, []byte(got), 0o644))
			}
			want, err := os.ReadFile(file)
			resourceMust(t, "ReadFile", err)
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
		})
	}
}

// logOf is a log of one session with these lines.
type logOf []memory.Line

func (l logOf) Sessions(context.Context, int) ([]memory.Session, error) {
	return []memory.Session{{ID: "s", Campaign: "c", Started: time.Unix(0, 0).UTC(), Lines: len(l)}}, nil
}

func (l logOf) RecentFor(_ context.Context, _, _ string, n int) ([]memory.Line, error) {
	return l[max(0, len(l)-n):], nil
}

func TestTranscriptIsBounded(t *testing.T) {
	for _, tc := range []struct {
		name         string
		lines, width int
		want         int // lines told
		note         string
	}{
		{"empty", 0, 0, 0, ""},
		{"short", 5, 10, 5, ""},
		{"just_fits", 2000, 10, 2000, ""},
		{"many", 2500, 10, 2000, "Only the last 2000 of 2500 lines are given."},
		{"wide", 1000, 3000, 349, "Only the last 349 of 1000 lines are given."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			lines := make(logOf, tc.lines)
			for i := range lines {
				lines[i] = memory.Line{ID: int64(i + 1), Text: strings.Repeat("x", tc.width)}
			}
			lib := mcpserver.NewLibrary(mcpserver.LibrarySources{Log: lines})
			res, err := lib.Read(t.Context(), view("", "session.read"), mcpserver.TranscriptURI("s"))
			resourceMust(t, "Read", err)
			var doc struct {
				Note  string `json:"note"`
				Lines []struct {
					ID int `json:"id"`
				} `json:"lines"`
			}
			resourceMust(t, "Unmarshal", json.Unmarshal([]byte(res.Contents[0].Text), &doc))
			if len(doc.Lines) != tc.want || doc.Note != tc.note {
				t.Errorf("got %d lines, note %q; want %d, %q", len(doc.Lines), doc.Note, tc.want, tc.note)
			}
			for i, l := range doc.Lines {
				if want := tc.lines - tc.want + i + 1; l.ID != want {
					t.Fatalf("line %d has id %d, want %d", i, l.ID, want)
				}
			}
		})
	}
}

func TestManyEntities(t *testing.T) {
	table := newTable(t)
	var many []memory.Entity
	for i := range 1200 {
		many = append(many, memory.Entity{ID: fmt.Sprintf("z-%04d", i), Type: "item", Name: fmt.Sprintf("Zinc Ring %04d", i)})
	}
	many = append(many, memory.Entity{ID: strings.Repeat("x", 3000), Type: "item", Name: "A Long Name"})
	resourceMust(t, "PutEntities", table.store.PutEntities(t.Context(), many...))
	lib, v := mcpserver.NewLibrary(table.LibrarySources), view(memory.Anyone, "world.read")
	res, err := lib.Read(t.Context(), v, "glyphoxa://entities")
	resourceMust(t, "Read", err)
	var doc struct {
		Count int
		More  bool
	}
	resourceMust(t, "Unmarshal", json.Unmarshal([]byte(res.Contents[0].Text), &doc))
	if doc.Count != 1000 || !doc.More {
		t.Errorf("count %d, more %t; want 1000 and more", doc.Count, doc.More)
	}
	listed, err := lib.List(t.Context(), v)
	resourceMust(t, "List", err)
	for _, r := range listed {
		if _, err := lib.Read(t.Context(), v, r.URI); err != nil {
			t.Errorf("Read(%.60q) = %v, though it is listed", r.URI, err)
		}
	}
	if _, err := lib.Read(t.Context(), v, "glyphoxa://entities/z-1199"); err != nil {
		t.Errorf("what did not fit into the list is not readable: %v", err)
	}
	ids, more, err := lib.Complete(t.Context(), v, mcpserver.EntityTemplate, "id", "z-1")
	resourceMust(t, "Complete", err)
	if len(ids) != 0 || more {
		t.Errorf("completed %v, more %t; want nothing, since ids beyond the list are found by name", ids, more)
	}
	ids, more, err = lib.Complete(t.Context(), v, mcpserver.EntityTemplate, "id", "zinc")
	resourceMust(t, "Complete", err)
	if len(ids) != 100 || !more || ids[0] != "z-0000" {
		t.Errorf("completed %d ids from %v, more %t; want 100 from z-0000, and more", len(ids), ids[:min(len(ids), 1)], more)
	}
	ids, more, err = lib.Complete(t.Context(), v, mcpserver.EntityTemplate, "id", "zinc ring 119")
	resourceMust(t, "Complete", err)
	if len(ids) != 10 || more || ids[0] != "z-1190" {
		t.Errorf("completed %d ids from %v, more %t; want 10 from z-1190", len(ids), ids[:min(len(ids), 1)], more)
	}
}

// faulty is a source that fails.
type faulty struct{ err error }

func (f faulty) Entity(context.Context, string, string) (memory.Entity, error) {
	return memory.Entity{}, f.err
}
func (f faulty) FindEntities(context.Context, memory.EntityQuery) ([]memory.Entity, error) {
	return nil, f.err
}
func (f faulty) Neighbours(context.Context, string, string, int) (memory.Neighbourhood, error) {
	return memory.Neighbourhood{}, f.err
}
func (f faulty) Sessions(context.Context, int) ([]memory.Session, error) { return nil, f.err }
func (f faulty) RecentFor(context.Context, string, string, int) ([]memory.Line, error) {
	return nil, f.err
}
func (f faulty) Rules(context.Context) ([]mcpserver.RuleResource, error)          { return nil, f.err }
func (f faulty) Rule(context.Context, string) (json.RawMessage, error)            { return nil, f.err }
func (f faulty) Search(context.Context, string) ([]mcpserver.RuleResource, error) { return nil, f.err }

func TestFaultsAreNoMissingResource(t *testing.T) {
	broken := errors.New("disk on fire")
	f := faulty{broken}
	lib := mcpserver.NewLibrary(mcpserver.LibrarySources{
		Scene: func() string { return "x" }, NPCs: []config.NPC{{ID: "a"}}, Graph: f, Log: f, Rules: f,
	})
	v := view(memory.Anyone, everything...)
	for _, uri := range []string{
		"glyphoxa://campaign", "glyphoxa://scene", "glyphoxa://npcs", "glyphoxa://npcs/a", "glyphoxa://entities", "glyphoxa://entities/a",
		"glyphoxa://sessions", "glyphoxa://sessions/a", "glyphoxa://sessions/a/transcript", "glyphoxa://rules", "glyphoxa://rules/a",
	} {
		if _, err := lib.Read(t.Context(), v, uri); !errors.Is(err, broken) || errors.Is(err, mcpserver.ErrUnknownResource) {
			t.Errorf("Read(%q) = %v, want the source's error", uri, err)
		}
	}
	if _, err := lib.List(t.Context(), v); !errors.Is(err, broken) {
		t.Errorf("List = %v, want the source's error", err)
	}
	for _, tmpl := range lib.Templates(v) {
		if _, _, err := lib.Complete(t.Context(), v, tmpl.URITemplate, "id", ""); !errors.Is(err, broken) {
			t.Errorf("Complete(%q) = %v, want the source's error", tmpl.URITemplate, err)
		}
	}
}

func TestMissingSourcesAreNotOffered(t *testing.T) {
	lib, v := mcpserver.NewLibrary(mcpserver.LibrarySources{Campaign: "Bare"}), view("", everything...)
	listed, err := lib.List(t.Context(), v)
	resourceMust(t, "List", err)
	if diff := cmp.Diff([]string{"glyphoxa://campaign", "glyphoxa://npcs"}, uris(listed)); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	for _, uri := range []string{"glyphoxa://scene", "glyphoxa://entities/a", "glyphoxa://sessions", "glyphoxa://rules", "glyphoxa://tools/latency"} {
		if _, err := lib.Read(t.Context(), v, uri); !errors.Is(err, mcpserver.ErrUnknownResource) {
			t.Errorf("Read(%q) = %v, want ErrUnknown", uri, err)
		}
		if lib.Offers(v, uri) {
			t.Errorf("Offers(%q), though there is no source", uri)
		}
	}
}

func TestCancelledReadEnds(t *testing.T) {
	lib := mcpserver.NewLibrary(newTable(t).LibrarySources)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, uri := range []string{"glyphoxa://entities", "glyphoxa://sessions", "glyphoxa://rules/condition-blinded"} {
		if _, err := lib.Read(ctx, view("", everything...), uri); !errors.Is(err, context.Canceled) {
			t.Errorf("Read(%q) = %v, want context.Canceled", uri, err)
		}
	}
}

func TestWorldHidesNPCs(t *testing.T) {
	table := newTable(t)
	resourceMust(t, "PutEntities", table.store.PutEntities(t.Context(),
		memory.Entity{ID: "the-keeper", Type: "npc", Name: "The Keeper", Visible: []string{"juniper"}}))
	lib := mcpserver.NewLibrary(table.LibrarySources)
	for _, tc := range []struct {
		viewer string
		sees   bool
	}{{"", true}, {"juniper", true}, {"the-keeper", true}, {memory.Anyone, false}, {"bartok-the-barkeep", false}} {
		t.Run("viewer_"+tc.viewer, func(t *testing.T) {
			v := view(tc.viewer, everything...)
			_, err := lib.Read(t.Context(), v, "glyphoxa://npcs/the-keeper")
			if got := err == nil; got != tc.sees {
				t.Errorf("read: %t (%v), want %t", got, err, tc.sees)
			}
			listed, err := lib.List(t.Context(), v)
			resourceMust(t, "List", err)
			if got := slices.Contains(uris(listed), "glyphoxa://npcs/the-keeper"); got != tc.sees {
				t.Errorf("listed: %t, want %t", got, tc.sees)
			}
			ids, _, err := lib.Complete(t.Context(), v, mcpserver.NPCTemplate, "id", "keep")
			resourceMust(t, "Complete", err)
			if got := slices.Contains(ids, "the-keeper"); got != tc.sees {
				t.Errorf("completed: %t, want %t", got, tc.sees)
			}
		})
	}
}

// nowhere is a graph with one entity that lies at no point.
type nowhere struct{ faulty }

func (nowhere) Neighbours(context.Context, string, string, int) (memory.Neighbourhood, error) {
	return memory.Neighbourhood{Entity: memory.Entity{ID: "a", Name: "A", Position: &memory.Position{math.NaN(), math.Inf(1), 0}}}, nil
}

func TestPositionThatIsNone(t *testing.T) {
	lib := mcpserver.NewLibrary(mcpserver.LibrarySources{Graph: nowhere{}})
	res, err := lib.Read(t.Context(), view("", "world.read"), "glyphoxa://entities/a")
	resourceMust(t, "Read", err)
	if strings.Contains(res.Contents[0].Text, "position") {
		t.Errorf("got %s, want no position", res.Contents[0].Text)
	}
}

func TestRuleReaderAgreesWithTheBook(t *testing.T) {
	book := ruleslookup.BuiltIn()
	all, err := rulebook().Rules(t.Context())
	resourceMust(t, "Rules", err)
	if len(all) != book.Len() {
		t.Fatalf("lists %d rules, the book has %d", len(all), book.Len())
	}
	for _, r := range all {
		text, err := rulebook().Rule(t.Context(), r.ID)
		resourceMust(t, r.ID, err)
		var got mcpserver.RuleResource
		resourceMust(t, "Unmarshal", json.Unmarshal(text, &got))
		if got != r {
			t.Errorf("listed as %+v, read as %+v", r, got)
		}
	}
	for _, question := range []string{"", " ", "\x00", strings.Repeat("ä", 5000), "\xff\xfe"} {
		if _, err := rulebook().Search(t.Context(), question); err != nil {
			t.Errorf("Search(%.20q) = %v", question, err)
		}
	}
}
