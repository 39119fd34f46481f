package play

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/MrWong99/glyphoxa/internal/observe"
)

const mere = `name: The Drowned Mere
system: pf2e
scene: Rain on black water.
entities:
  - {id: old-ted, type: npc, name: Old Ted, description: Mends nets.}
`

// load adds a campaign to the home guild.
func (h *fixture) load(data string) GuildCampaign {
	h.t.Helper()
	c, err := h.as(home, dm).LoadCampaign(h.t.Context(), "mere.yaml", []byte(data))
	if err != nil {
		h.t.Fatal(err)
	}
	return c
}

func (h *fixture) switchTo(id string) GuildCampaign {
	h.t.Helper()
	c, err := h.as(home, dm).SwitchCampaign(h.t.Context(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	return c
}

// has checks a guild's campaigns.
func (h *fixture) has(guild string, want ...GuildCampaign) {
	h.t.Helper()
	all, err := h.guild(guild).Campaigns(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	if diff := cmp.Diff(want, all); diff != "" {
		h.t.Errorf("campaigns (-want +got):\n%s", diff)
	}
}

// TestCampaigns plays two campaigns in a guild: neither knows the lines of the other, and
// another guild knows neither.
func TestCampaigns(t *testing.T) {
	h := openGuilds(t, t.TempDir(), flagon)
	defer func() { h.shut() }()
	flagonNow, mereNow := GuildCampaign{Name: "The Flagon", System: "dnd5e", Current: true}, GuildCampaign{ID: "the-drowned-mere", Name: "The Drowned Mere", System: "pf2e", Current: true}
	flagonThen, mereThen := flagonNow, mereNow
	flagonThen.Current, mereThen.Current = false, false
	h.has(home, flagonNow)
	s := h.sit(GuildSessionOptions{})
	s.hears(ana, "Hello Bartok!")

	if c := h.load(mere); c.ID != mereNow.ID || c.Entities != 1 || c.Current {
		t.Errorf("loaded %+v", c)
	}
	h.has(home, flagonNow, mereThen)
	h.has(away, flagonNow)
	if _, err := h.as(home, dm).SwitchCampaign(t.Context(), mereNow.ID); err == nil || !strings.Contains(err.Error(), "/session stop") {
		t.Errorf("switching while a session runs: %v, want what to do", err)
	}
	s.close()

	c := h.switchTo(mereNow.ID)
	want := GuildCampaign{ID: mereNow.ID, Name: "The Drowned Mere", System: "pf2e", Current: true, Scene: "Rain on black water.", NPCs: 1, Entities: 1}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("switched to (-want +got):\n%s", diff)
	}
	if lines := h.lines(); len(lines) != 0 {
		t.Errorf("the mere knows %q of the Flagon", lines)
	}
	s = h.sit(GuildSessionOptions{})
	if s.Campaign != "The Drowned Mere" || s.Scene != "Rain on black water." || len(s.Cast) != 1 {
		t.Errorf("a session of %q, %q with %v", s.Campaign, s.Scene, s.Cast)
	}
	s.hears(ana, "Hello Bartok, it rains!")
	s.close()
	h.shut()

	h = openGuilds(t, h.dir, flagon) // the choice is stored
	h.has(home, flagonThen, mereNow)
	if diff := cmp.Diff([]string{"Ana: Hello Bartok, it rains!", "Bartok: Welcome to the Flagon."}, h.lines()); diff != "" {
		t.Errorf("lines of the mere (-want +got):\n%s", diff)
	}
	if c := h.switchTo(""); c.Scene != "A foggy evening." || c.Entities != 0 || c.Sessions != 1 {
		t.Errorf("back in the Flagon: %+v", c)
	}
	if diff := cmp.Diff([]string{"Ana: Hello Bartok!", "Bartok: Welcome to the Flagon."}, h.lines()); diff != "" {
		t.Errorf("lines of the Flagon (-want +got):\n%s", diff)
	}
}

// TestCampaignIsLoadedAgain checks that loading a file again adds new content, and that a
// broken file, another campaign with the same id and a running session are refused.
func TestCampaignIsLoadedAgain(t *testing.T) {
	h := openGuilds(t, t.TempDir(), flagon)
	defer h.shut()
	h.load(mere)
	h.switchTo("the-drowned-mere")
	for _, row := range []struct{ name, data, want string }{
		{"broken", "name: The Drowned Mere\nentitles: []\n", "mere.yaml:2: "},
		{"another of the same id", "name: The drowned mere?\n", `"The Drowned Mere"`},
	} {
		if _, err := h.as(home, dm).LoadCampaign(t.Context(), "mere.yaml", []byte(row.data)); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %s in it", row.name, err, row.want)
		}
	}
	if _, err := h.as(home, ana).LoadCampaign(t.Context(), "mere.yaml", []byte(mere)); err == nil {
		t.Error("a player loaded a campaign")
	}
	if _, err := h.as(home, dm).SwitchCampaign(t.Context(), "nowhere"); err == nil || !strings.Contains(err.Error(), "/campaign load") {
		t.Errorf("switching to nothing: %v, want what to do", err)
	}
	kept, err := os.ReadFile(h.path(campaignsDir, "the-drowned-mere", campaignFile))
	if err != nil || string(kept) != mere {
		t.Errorf("the file is %q, %v; want it as it was loaded", kept, err)
	}

	more := mere + "  - {id: pier, type: location, name: The Pier}\n"
	s := h.sit(GuildSessionOptions{})
	if _, err := h.as(home, dm).LoadCampaign(t.Context(), "mere.yaml", []byte(more)); err == nil || !strings.Contains(err.Error(), "/session stop") {
		t.Errorf("loading what is played: %v, want what to do", err)
	}
	s.close()
	if c := h.load(more); !c.Current || c.Entities != 2 {
		t.Errorf("loaded %+v", c)
	}
	c, err := h.guild(home).Campaign(t.Context())
	if err != nil || c.Entities != 2 {
		t.Errorf("after it was loaded again: %+v, %v", c, err)
	}
}

// TestSchemaOf checks that each campaign has its own schema, with a name that PostgreSQL does
// not truncate.
func TestSchemaOf(t *testing.T) {
	long := strings.Repeat("x", 62)
	seen := map[string]bool{}
	for _, c := range [][2]string{{"1", ""}, {"1", "a"}, {"12", ""}, {"12", "a"}, {home, long + "a"}, {home, long + "b"}, {home, "沉" + long}} {
		name := schemaOf(c[0], c[1])
		if seen[name] || len(name) > longestSchema || !utf8.ValidString(name) {
			t.Errorf("the schema of %q is %q", c, name)
		}
		seen[name] = true
	}
}

// TestNewCampaignID checks that every name gets a valid and unique id.
func TestNewCampaignID(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{"The Drowned Mere", "Затонувшее озеро", "沉湖", "..", "/etc", strings.Repeat("x", 300)} {
		id := newCampaignID(name)
		if id == "" || strings.ContainsAny(id, `/\.`) || len(id) > 64 {
			t.Errorf("the id of %q is %q", name, id)
		}
		if other, taken := seen[id]; taken {
			t.Errorf("%q and %q have the same id %q", name, other, id)
		}
		seen[id] = name
	}
}

// TestImportNeedsNoEmbedder imports a campaign while the embedder is down: it is stored, and
// found by words until vectors exist.
func TestImportNeedsNoEmbedder(t *testing.T) {
	down := `embeddings: {name: openai, base_url: "http://127.0.0.1:1/v1", model: m, api_key: k}`
	h := openGuilds(t, t.TempDir(), strings.Replace(flagon, "embeddings: none", down, 1))
	defer h.shut()
	if n, err := h.as(home, dm).ImportCampaign(t.Context(), "mere.yaml", []byte(mere)); err != nil || n != 1 {
		t.Errorf("Import = %d, %v; want the entity stored", n, err)
	}
}

// TestCommandsAreRecorded checks that the audit log records commands that are not tools.
func TestCommandsAreRecorded(t *testing.T) {
	h := openGuilds(t, t.TempDir(), flagon)
	defer h.shut()
	if n, err := h.as(home, dm).ImportCampaign(t.Context(), "mere.yaml", []byte(mere)); err != nil || n != 1 {
		t.Errorf("Import = %d, %v", n, err)
	}
	if _, err := h.as(home, ana).ImportCampaign(t.Context(), "mere.yaml", []byte(mere)); err == nil {
		t.Error("a player imported")
	}
	if err := h.as(home, dm).ApproveTool(t.Context(), "nothing"); err == nil {
		t.Error("a tool was approved that nobody offers")
	}
	h.load(mere)
	type call struct{ Who, Tool, Decision, Code string }
	var got []call
	for _, r := range h.records("") {
		got = append(got, call{r.Who, r.Tool, r.Decision, r.Code})
		if r.ArgsHash == "" || r.Transport != "discord" {
			t.Errorf("record %+v lacks a part", r)
		}
	}
	want := []call{
		{"discord:" + dm.ID, "entity_import", "allowed", ""},
		{"discord:" + ana.ID, "entity_import", "denied", "forbidden"},
		{"discord:" + dm.ID, "approve_tool", "allowed", "not_found"},
		{"discord:" + dm.ID, "campaign_load", "allowed", ""},
	}
	if diff := cmp.Diff(want, got, cmpopts.SortSlices(func(a, b call) bool { return a.Tool+a.Who < b.Tool+b.Who })); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	m := guildsSamples(t, h.metrics)
	for _, want := range []string{
		`glyphoxa_tool_calls_total{caller="discord",code="ok",source="server",tool="entity_import"}`,
		`glyphoxa_denials_total{caller="discord",code="forbidden",rule="profile",tool="entity_import"}`,
	} {
		if m[want] != "1" {
			t.Errorf("%s = %q, want 1", want, m[want])
		}
	}
	for name := range m {
		if strings.Contains(name, home) || strings.Contains(name, dm.ID) {
			t.Errorf("metrics tell who was where: %s", name)
		}
	}
}

// TestServersThatAreDown reports external servers whose tools are missing.
func TestServersThatAreDown(t *testing.T) {
	h := openGuilds(t, t.TempDir(), flagon+`
mcp:
  servers:
    - {name: gone, transport: stdio, command: /nonexistent/server}
    - {name: inside, transport: streamable-http, url: "https://10.0.0.1/mcp"}
`)
	defer h.shut()
	all, err := h.guild(home).Servers(t.Context())
	if err != nil || len(all) != 2 {
		t.Fatalf("Servers = %+v, %v; want both", all, err)
	}
	for _, s := range all {
		if s.State != "down" || s.Reason == "" {
			t.Errorf("%+v: want it down for a reason", s)
		}
	}
}

// TestManyFaults checks that the report about a file full of errors stays short.
func TestManyFaults(t *testing.T) {
	h := openGuilds(t, t.TempDir(), flagon)
	defer func() { h.shut() }()
	file := []byte("name: Mere\n" + strings.Repeat("what: now\n", 100_000))
	_, err := h.as(home, dm).LoadCampaign(t.Context(), "mere.yaml", file)
	_, imported := h.as(home, dm).ImportCampaign(t.Context(), "mere.yaml", file)
	for _, err := range []error{err, imported} {
		if err == nil {
			t.Fatal("the file was taken")
		}
		lines := strings.Split(err.Error(), "\n")
		if len(lines) != maxFaults+1 || !strings.HasPrefix(lines[0], "mere.yaml:2: ") || !strings.HasSuffix(lines[maxFaults], "and 99980 more from here on") {
			t.Errorf("%d lines, from %q to %q", len(lines), lines[0], lines[len(lines)-1])
		}
	}
}

// guildsSamples returns the values that Prometheus would read, by name and labels.
func guildsSamples(t *testing.T, m *observe.Metrics) map[string]string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	values := map[string]string{}
	for lines := bufio.NewScanner(w.Body); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), " "); ok {
			values[name] = value
		}
	}
	return values
}
