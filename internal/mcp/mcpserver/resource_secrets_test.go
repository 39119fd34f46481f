package mcpserver_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
)

// everywhere returns every address there is: those listed for who sees all,
// those completed from templates, and the rules.
func everywhere(t testing.TB, lib *mcpserver.Library) []string {
	t.Helper()
	ctx, all := t.Context(), view("", everything...)
	all.Tool = func(string) bool { return true }
	listed, err := lib.List(ctx, all)
	resourceMust(t, "List", err)
	out := uris(listed)
	for _, tmpl := range lib.Templates(all) {
		for _, prefix := range []string{"", "a", "b", "condition", "spell-f", "v", "20"} {
			ids, _, err := lib.Complete(ctx, all, tmpl.URITemplate, "id", prefix)
			resourceMust(t, "Complete", err)
			for _, id := range ids {
				loose := strings.Replace(tmpl.URITemplate, "{id}", strings.NewReplacer("%", "%25", "/", "%2f", "?", "%3f", "#", "%23").Replace(id), 1)
				uri, ok := mcpserver.CanonicalURI(loose)
				if !ok {
					t.Fatalf("Canonical(%q) is none, though it was completed", loose)
				}
				out = append(out, uri)
			}
		}
	}
	return out
}

func TestSecretsAreInNoDocument(t *testing.T) {
	table := newTable(t)
	lib := mcpserver.NewLibrary(table.LibrarySources)
	never := []string{secretText, secretKey, "held-server", "down-server", "\u202e"}
	for _, npc := range table.NPCs {
		never = append(never, npc.Secrets()...)
	}
	hidden := []string{secretName, secretID, secretNote}
	all := everywhere(t, lib)
	if len(all) < 100 {
		t.Fatalf("only %d addresses to walk", len(all))
	}
	for name, v := range views() {
		t.Run(name, func(t *testing.T) {
			secrets := append([]string{}, never...)
			if v.Viewer != "" || !v.Holds("world.read") {
				secrets = append(secrets, hidden...)
			}
			secrets = append(secrets, "hidden_tool")
			leaks := func(where, text string) {
				for _, s := range secrets {
					if strings.Contains(text, s) {
						t.Errorf("%s shows %q", where, s)
					}
				}
			}
			for _, uri := range all {
				res, err := lib.Read(t.Context(), v, uri)
				if err != nil {
					if !errors.Is(err, mcpserver.ErrUnknownResource) {
						t.Errorf("Read(%q) = %v", uri, err)
					}
					continue
				}
				leaks(uri, res.Contents[0].Text)
			}
			listed, err := lib.List(t.Context(), v)
			resourceMust(t, "List", err)
			for _, r := range listed {
				leaks("List", r.URI+r.Name+r.Title+r.Description)
			}
			for _, tmpl := range lib.Templates(v) {
				ids, _, err := lib.Complete(t.Context(), v, tmpl.URITemplate, "id", "va")
				resourceMust(t, "Complete", err)
				leaks("Complete", strings.Join(ids, " "))
			}
		})
	}
}

func TestWhoSeesAllIsShownTheHidden(t *testing.T) {
	lib := mcpserver.NewLibrary(newTable(t).LibrarySources)
	for _, viewer := range []string{"", "juniper"} {
		res, err := lib.Read(t.Context(), view(viewer, everything...), mcpserver.EntityURI("well"))
		resourceMust(t, "Read", err)
		for _, want := range []string{secretName, secretNote} {
			if !strings.Contains(res.Contents[0].Text, want) {
				t.Errorf("viewer %q is not shown %q", viewer, want)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	table := newTable(f)
	lib := mcpserver.NewLibrary(table.LibrarySources)
	for _, uri := range everywhere(f, lib)[:60] {
		f.Add(uri)
	}
	for _, uri := range []string{
		"", "glyphoxa://", "glyphoxa://npcs/%00", "glyphoxa://entities/" + secretID, "glyphoxa://entities/%76ault-of-nine-locks",
		"glyphoxa://entities/VAULT-OF-NINE-LOCKS", "glyphoxa://npcs/../entities/" + secretID, "glyphoxa://sessions/%2e/transcript",
		"glyphoxa://rules/%f0%9f%98%80", "glyphoxa://tools/latency?x", "glyphoxa://scene\x00",
	} {
		f.Add(uri)
	}
	common, all := view("bartok-the-barkeep", everything...), view("", everything...)
	f.Fuzz(func(t *testing.T, uri string) {
		res, err := lib.Read(t.Context(), common, uri)
		_, errAll := lib.Read(t.Context(), all, uri)
		if err != nil {
			if !errors.Is(err, mcpserver.ErrUnknownResource) || len(err.Error()) > 1000 {
				t.Errorf("Read(%q) = %v, want a short ErrUnknown", uri, err)
			}
			return
		}
		if errAll != nil {
			t.Errorf("Read(%q) shows a player what it does not show the DM: %v", uri, errAll)
		}
		c := res.Contents[0]
		if got, ok := mcpserver.CanonicalURI(uri); !ok || got != c.URI {
			t.Errorf("Read(%q) answers for %q, its canonical form is %q", uri, c.URI, got)
		}
		for _, s := range []string{secretName, secretID, secretNote, secretText, secretKey} {
			if strings.Contains(c.Text, s) {
				t.Errorf("Read(%q) shows %q", uri, s)
			}
		}
	})
}
