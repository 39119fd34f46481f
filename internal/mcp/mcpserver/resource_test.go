package mcpserver_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/yosida95/uritemplate/v3"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

func uris(all []*sdk.Resource) []string {
	out := make([]string, len(all))
	for i, r := range all {
		out[i] = r.URI
	}
	return out
}

func TestListShowsWhatAViewMayRead(t *testing.T) {
	lib := mcpserver.NewLibrary(newTable(t).LibrarySources)
	for _, tc := range []struct {
		name  string
		view  mcpserver.LibraryView
		wants []string // the shelves listed
	}{
		{"zero", mcpserver.LibraryView{}, []string{"tools"}},
		{"rules", view(memory.Anyone, "rules.read"), []string{"rules", "tools"}},
		{"world", view(memory.Anyone, "world.read"), []string{"campaign", "entities", "scene", "tools"}},
		{"cast", view(memory.Anyone, "npc.read"), []string{"npcs", "tools"}},
		{"sessions", view(memory.Anyone, "session.read"), []string{"sessions", "tools"}},
		{"all", view("", everything...), []string{"campaign", "entities", "npcs", "rules", "scene", "sessions", "tools"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			listed, err := lib.List(t.Context(), tc.view)
			resourceMust(t, "List", err)
			var got []string
			for _, uri := range uris(listed) {
				shelf, _, _ := strings.Cut(strings.TrimPrefix(uri, "glyphoxa://"), "/")
				got = append(got, shelf)
			}
			if diff := cmp.Diff(tc.wants, slices.Compact(got)); diff != "" {
				t.Errorf("shelves listed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatIsListedIsReadableAndToldWell(t *testing.T) {
	lib := mcpserver.NewLibrary(newTable(t).LibrarySources)
	for name, v := range views() {
		t.Run(name, func(t *testing.T) {
			listed, err := lib.List(t.Context(), v)
			resourceMust(t, "List", err)
			if !slices.IsSorted(uris(listed)) {
				t.Error("resources are not ordered by address")
			}
			for _, r := range listed {
				if r.Name == "" || r.Title == "" || r.MIMEType != "application/json" || r.Annotations.Priority <= 0 || len(r.Annotations.Audience) == 0 {
					t.Errorf("%s is told badly: %+v", r.URI, r)
				}
				res, err := lib.Read(t.Context(), v, r.URI)
				if err != nil {
					t.Errorf("Read(%q) = %v, though it is listed", r.URI, err)
					continue
				}
				c := res.Contents[0]
				if c.URI != r.URI || !json.Valid([]byte(c.Text)) || res.CacheScope != "private" {
					t.Errorf("Read(%q) = %+v, want valid JSON of the same address, private", r.URI, c)
				}
				if r.Size != 0 && r.Size != int64(len(c.Text)) {
					t.Errorf("%s has %d bytes, listed with %d", r.URI, len(c.Text), r.Size)
				}
			}
		})
	}
}

func TestTemplatesMatchAddresses(t *testing.T) {
	lib := mcpserver.NewLibrary(newTable(t).LibrarySources)
	templates := lib.Templates(view("", everything...))
	if len(templates) != 5 {
		t.Fatalf("got %d templates, want 5", len(templates))
	}
	for _, tmpl := range templates {
		parsed, err := uritemplate.New(tmpl.URITemplate)
		resourceMust(t, tmpl.URITemplate, err)
		for id, want := range map[string]string{
			"a-b_c.~1": "a-b_c.~1", "a b": "a%20b", "ö/ä": "%C3%B6%2F%C3%A4", "..": "..", "100%": "100%25", "a+b": "a%2Bb", "?#": "%3F%23",
			"日": "%E6%97%A5", "%2e": "%252e",
		} {
			spelled := strings.Replace(tmpl.URITemplate, "{id}", want, 1)
			if got, ok := mcpserver.CanonicalURI(spelled); !ok || got != spelled {
				t.Errorf("Canonical(%q) = %q, %t; want it unchanged", spelled, got, ok)
			}
			if !parsed.Regexp().MatchString(spelled) {
				t.Errorf("%q does not match template %q", spelled, tmpl.URITemplate)
			}
			loose := strings.Replace(tmpl.URITemplate, "{id}", url.PathEscape(id), 1)
			if got, ok := mcpserver.CanonicalURI(loose); !ok || got != spelled {
				t.Errorf("Canonical(%q) = %q, %t; want %q", loose, got, ok, spelled)
			}
		}
	}
	if got := lib.Templates(mcpserver.LibraryView{}); len(got) != 0 {
		t.Errorf("a view without rights is shown %d templates, want none", len(got))
	}
}

func TestReadRefuses(t *testing.T) {
	table := newTable(t)
	lib := mcpserver.NewLibrary(table.LibrarySources)
	for _, tc := range []struct{ name, uri string }{
		{"empty", ""},
		{"other_scheme", "file:///etc/passwd"},
		{"scheme_in_capitals", "GLYPHOXA://scene"},
		{"no_shelf", "glyphoxa://"},
		{"unknown_shelf", "glyphoxa://config"},
		{"trailing_slash", "glyphoxa://scene/"},
		{"empty_id", "glyphoxa://npcs/"},
		{"item_of_single", "glyphoxa://scene/x"},
		{"traversal", "glyphoxa://npcs/../entities/well"},
		{"encoded_traversal", "glyphoxa://npcs/..%2f..%2fetc%2fpasswd"},
		{"query", "glyphoxa://scene?viewer="},
		{"fragment", "glyphoxa://scene#x"},
		{"bad_percent", "glyphoxa://npcs/%zz"},
		{"cut_percent", "glyphoxa://npcs/%4"},
		{"invalid_utf8", "glyphoxa://npcs/%ff%fe"},
		{"nul", "glyphoxa://npcs/juniper%00"},
		{"capitals", "glyphoxa://npcs/JUNIPER"},
		{"sql", "glyphoxa://entities/' OR 1=1 --"},
		{"transcript_of_npc", "glyphoxa://npcs/juniper/transcript"},
		{"unknown_part", "glyphoxa://sessions/" + table.session + "/audio"},
		{"deep", "glyphoxa://sessions/" + table.session + "/transcript/1"},
		{"unknown_session", "glyphoxa://sessions/nope/transcript"},
		{"unknown_npc", "glyphoxa://npcs/nobody"},
		{"unknown_rule", "glyphoxa://rules/condition-blindd"},
		{"rule_in_capitals", "glyphoxa://rules/CONDITION-BLINDED"},
		{"latency_item", "glyphoxa://tools/latency/roll"},
		{"tools", "glyphoxa://tools"},
		{"huge", "glyphoxa://entities/" + strings.Repeat("a", 1<<20)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := lib.Read(t.Context(), view("", everything...), tc.uri)
			if !errors.Is(err, mcpserver.ErrUnknownResource) {
				t.Fatalf("err = %v, want ErrUnknown", err)
			}
			if len(err.Error()) > 500 {
				t.Errorf("the error has %d bytes, want it short", len(err.Error()))
			}
		})
	}
}

func TestHiddenReadsLikeMissing(t *testing.T) {
	table := newTable(t)
	lib := mcpserver.NewLibrary(table.LibrarySources)
	nobody, common := view(memory.Anyone), view(memory.Anyone, everything...)
	for _, tc := range []struct {
		name            string
		view            mcpserver.LibraryView
		hidden, missing string
	}{
		{"shelf", nobody, "glyphoxa://scene", "glyphoxa://sceme"},
		{"npc", nobody, "glyphoxa://npcs/juniper", "glyphoxa://npcs/junipes"},
		{"session", nobody, "glyphoxa://sessions/" + table.session, "glyphoxa://sessions/" + table.session[1:] + "0"},
		{"rule", nobody, "glyphoxa://rules/condition-blinded", "glyphoxa://rules/condition-blindet"},
		{"entity", common, "glyphoxa://entities/" + secretID, "glyphoxa://entities/vault-of-ten-lockss"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, hidden := lib.Read(t.Context(), tc.view, tc.hidden)
			_, missing := lib.Read(t.Context(), tc.view, tc.missing)
			if !errors.Is(hidden, mcpserver.ErrUnknownResource) || !errors.Is(missing, mcpserver.ErrUnknownResource) {
				t.Fatalf("errors are %v and %v, want ErrUnknown twice", hidden, missing)
			}
			if got, want := strings.ReplaceAll(hidden.Error(), tc.hidden, "URI"), strings.ReplaceAll(missing.Error(), tc.missing, "URI"); got != want {
				t.Errorf("hidden reads %q, missing reads %q; want the same", got, want)
			}
		})
	}
}
