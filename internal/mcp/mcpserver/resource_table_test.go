package mcpserver_test

import (
	"bytes"
	"context"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/ruleslookup"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

func resourceMust(t testing.TB, doing string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", doing, err)
	}
}

// Secrets planted where no document may show them.
const (
	secretText = "the ledger lies under the third cask"
	secretKey  = "sk-planted-0123456789abcdef"
	secretName = "Vault of Nine Locks"
	secretID   = "vault-of-nine-locks"
	secretNote = "owes a debt of nine lives"
)

// rulebook loads the shipped rules once for all tests.
var rulebook = sync.OnceValue(func() *mcpserver.RuleReader {
	return mcpserver.NewRuleReader(ruleslookup.BuiltIn())
})

func shippedCast(t testing.TB) []config.NPC {
	t.Helper()
	files, err := fs.Glob(glyphoxa.Shipped, "npcs/*.yaml")
	resourceMust(t, "Glob", err)
	var all []config.NPC
	for _, file := range files {
		data, err := fs.ReadFile(glyphoxa.Shipped, file)
		resourceMust(t, "ReadFile", err)
		npc := config.DefaultNPC()
		dec := yaml.NewDecoder(bytes.NewReader(data))
		resourceMust(t, file, dec.Decode(&npc))
		npc.ID = strings.TrimSuffix(path.Base(file), ".yaml")
		all = append(all, npc)
	}
	return all
}

// resourceTable is the shipped campaign in a real store, with secrets planted in it
// and one session of three lines.
type resourceTable struct {
	mcpserver.LibrarySources
	store   *sqlite.Store
	session string
}

func newTable(t testing.TB) *resourceTable {
	t.Helper()
	ctx := context.Background()
	store, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "a.db"), nil)
	resourceMust(t, "Open", err)
	t.Cleanup(func() { resourceMust(t, "Close", store.Close()) })
	text, err := fs.ReadFile(glyphoxa.Shipped, "campaigns/thornhollow.yaml")
	resourceMust(t, "ReadFile", err)
	world, err := world.ParseCampaign("thornhollow.yaml", text)
	resourceMust(t, "Parse", err)
	resourceMust(t, "Apply", world.Apply(ctx, store))
	resourceMust(t, "PutEntities", store.PutEntities(ctx,
		memory.Entity{ID: secretID, Type: "location", Name: secretName, Description: secretName, Visible: []string{"juniper"}, Position: &memory.Position{9, 9, 9}},
		memory.Entity{ID: "well", Type: "location", Name: "The Well", Aliases: []string{"old well"}, Position: &memory.Position{1, 2, 0.5}, Attributes: map[string]string{"depth": "12 m"}},
		memory.Entity{ID: "straße 5/ö?#", Type: "location", Name: "Odd <Street> & Co"},
	))
	resourceMust(t, "PutRelations", store.PutRelations(ctx,
		memory.Relation{From: "well", Type: "leads_to", To: secretID},
		memory.Relation{From: "well", Type: "belongs_to", To: "juniper", Note: secretNote, Visible: []string{"juniper"}},
		memory.Relation{From: "well", Type: "lies_before", To: "straße 5/ö?#"},
	))
	session, err := store.StartSession(ctx, "Thornhollow")
	resourceMust(t, "StartSession", err)
	_, err = store.Append(ctx,
		memory.Line{Session: session.ID, Turn: 1, Speaker: "Mia", To: "juniper", Text: "Who rang the bell?"},
		memory.Line{Session: session.ID, Turn: 1, Speaker: "Juniper", NPC: "juniper", Text: "Nobody <b>rang</b> it.\u202e"},
		memory.Line{Session: session.ID, Turn: 2, Speaker: "Mia", Text: "Hm."},
	)
	resourceMust(t, "Append", err)
	cast := shippedCast(t)
	cast = append(cast, config.NPC{
		ID: "the-keeper", Name: "The Keeper", Personality: "Old.", SecretKnowledge: []config.KeptSecret{{Text: secretText}},
		Tools: []string{"roll", "hidden_tool"}, Lines: map[string][]string{"answer": {secretKey}},
	})
	cast[len(cast)-1].Voice.ID, cast[len(cast)-1].Voice.Instructions = secretKey, secretKey
	return &resourceTable{
		LibrarySources: mcpserver.LibrarySources{
			Campaign: world.Name, System: world.System, Scene: func() string { return world.Scene },
			NPCs: cast, Graph: store, Log: store, Rules: rulebook(), Latency: latency,
		},
		store: store, session: session.ID,
	}
}

func latency() []mcphost.Status {
	return []mcphost.Status{
		{Name: "hidden_tool", Source: "other", State: "ready", Probe: secretKey},
		{Name: "roll", Source: "builtin", State: "ready", Tier: mcp.BudgetFast, P50: 0.25, P99: 1.5, Samples: 7, Probe: secretKey, TierReason: secretKey, Original: secretKey},
		{Name: "roll", Source: "held-server", State: "held"},
		{Name: "roll", Source: "down-server", State: "down"},
	}
}

// view holds these permissions and sees every tool but hidden_tool.
func view(viewer string, permissions ...string) mcpserver.LibraryView {
	return mcpserver.LibraryView{
		Viewer: viewer,
		May:    func(p string) bool { return slices.Contains(permissions, p) },
		Tool:   func(name string) bool { return name != "hidden_tool" },
	}
}

var everything = []string{"npc.read", "world.read", "session.read", "rules.read"}

// views are profiles as they come, and every single permission.
func views() map[string]mcpserver.LibraryView {
	return map[string]mcpserver.LibraryView{
		"zero":            {},
		"nothing":         view(memory.Anyone),
		"player_limited":  view(memory.Anyone, "dice.roll", "rules.read"),
		"player_full":     view(memory.Anyone, everything...),
		"readonly":        view(memory.Anyone, everything...),
		"npc_agent":       view("bartok-the-barkeep", "rules.read", "world.read"),
		"npc_reads_cast":  view("bartok-the-barkeep", everything...),
		"builder":         view("", everything...),
		"dm":              view("", append([]string{"npc.control"}, everything...)...),
		"only_npcs":       view(memory.Anyone, "npc.read"),
		"only_world":      view(memory.Anyone, "world.read"),
		"only_sessions":   view(memory.Anyone, "session.read"),
		"forged_viewer":   view("\x1f", everything...),
		"viewer_injected": view("juniper\x1fx", everything...),
	}
}
