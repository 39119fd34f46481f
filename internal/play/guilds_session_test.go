package play

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/ruleslookup"
	"github.com/MrWong99/glyphoxa/internal/observe"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const (
	home    = "100000000000000001"
	away    = "100000000000000002"
	channel = "200000000000000001"
)

// Users who give commands.
var (
	dm  = user{ID: "300000000000000001", DM: true}
	ana = user{ID: "300000000000000002"}
)

const flagon = `
languages: [en]
campaign: {name: The Flagon, scene: A foggy evening.}
providers: {llm: offline, tts: silent, stt: none, embeddings: none}
npcs:
  - name: Bartok
    lines: {greeting: ["Welcome to the Flagon."], smalltalk: ["Foggy."], unknown: ["No idea."]}
`

// fixture is a set of guilds with its own configuration and data directory.
type fixture struct {
	*Guilds
	metrics *observe.Metrics
	t       *testing.T
	dir     string
}

// openGuilds opens guilds over a directory, which may have been used before.
func openGuilds(t *testing.T, dir, settings string) *fixture {
	t.Helper()
	path := filepath.Join(dir, "glyphoxa.yaml")
	if err := os.WriteFile(path, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := LoadConfig(path)
	if err != nil {
		t.Fatal(err)
	}
	metrics, err := observe.New(observe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rules := ruleslookup.BuiltIn()
	open := func(ctx context.Context, _ string, cfg *config.Config) (*Game, error) {
		return Open(ctx, Options{Config: cfg, Metrics: metrics, Rules: rules})
	}
	return &fixture{Guilds: NewGuilds(GuildsOptions{Config: cfg, Front: "discord", Open: open}), metrics: metrics, t: t, dir: dir}
}

// shut closes the guilds like a bot that stops.
func (h *fixture) shut() {
	h.t.Helper()
	if err := errors.Join(h.Close(), h.metrics.Shutdown(context.WithoutCancel(h.t.Context()))); err != nil {
		h.t.Error(err)
	}
}

func (h *fixture) guild(id string) *Guild {
	h.t.Helper()
	g, err := h.Guild(id)
	if err != nil {
		h.t.Fatal(err)
	}
	return g
}

// user is a Discord user, possibly a DM.
type user struct {
	ID string
	DM bool
}

// as returns the user as a member of a guild.
func (h *fixture) as(guild string, u user) *Member {
	h.t.Helper()
	return h.guild(guild).Member(u.ID, u.DM)
}

// path returns the path of a file of the home guild.
func (h *fixture) path(parts ...string) string {
	return filepath.Join(append([]string{GuildsDir(h.latestConfig()), home}, parts...)...)
}

// killed returns a copy of the directory as a killed process would leave it.
func (h *fixture) killed() string {
	h.t.Helper()
	dir := h.t.TempDir()
	// Another process copies, because closing a file of an open database releases SQLite's
	// locks on it.
	if out, err := exec.Command("cp", "-R", h.dir+"/.", dir).CombinedOutput(); err != nil {
		h.t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// heardSession is a running session of the home guild.
type heardSession struct {
	*GuildSession
	t     *testing.T
	ended chan *table.TurnEnded
}

func (h *fixture) sit(o GuildSessionOptions) *heardSession {
	h.t.Helper()
	s := &heardSession{t: h.t, ended: make(chan *table.TurnEnded, 100)}
	o.Sink, o.Notify, o.Channel = s, func(string, string) {}, channel
	var err error
	if s.GuildSession, err = h.guild(home).StartSession(h.t.Context(), o); err != nil {
		h.t.Fatal(err)
	}
	return s
}

// Emit implements [table.Sink].
func (s *heardSession) Emit(e table.Event) {
	if e, ok := e.(*table.TurnEnded); ok {
		s.ended <- e
	}
}

// hears lets a user speak and waits for the answer.
func (s *heardSession) hears(by user, text string) *table.TurnEnded {
	s.t.Helper()
	if err := s.Table.Hear(s.t.Context(), table.Utterance{Speaker: "Ana", Text: text, User: "discord:" + by.ID}); err != nil {
		s.t.Fatal(err)
	}
	return <-s.ended
}

func (s *heardSession) close() {
	s.t.Helper()
	if err := s.Close(); err != nil {
		s.t.Error(err)
	}
}

// lines returns the latest lines of the home guild.
func (h *fixture) lines() (texts []string) {
	h.t.Helper()
	_, said, err := h.guild(home).RecallSession(h.t.Context(), true, 100)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, l := range said {
		texts = append(texts, l.Speaker+": "+l.Text)
	}
	return texts
}

// interrupted returns the home guild's interrupted session.
func (h *fixture) interrupted() (memory.Session, bool) {
	h.t.Helper()
	s, cut, err := h.guild(home).InterruptedSession(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	return s, cut
}

// TestSessionGoesOn kills the program during a session and resumes the session.
func TestSessionGoesOn(t *testing.T) {
	first := openGuilds(t, t.TempDir(), flagon)
	s := first.sit(GuildSessionOptions{})
	if _, cut := first.interrupted(); cut {
		t.Error("a session that is running counts as cut off")
	}
	s.hears(ana, "Hello Bartok!")
	for _, voice := range []string{"500000000000000001", "500000000000000002"} { // it joined a voice channel, and was moved
		if err := s.StoreVoiceChannel(voice); err != nil {
			t.Fatal(err)
		}
	}
	dir := first.killed()
	s.close()
	if err := s.StoreVoiceChannel("500000000000000003"); err != nil {
		t.Fatal(err)
	}
	if all := first.CutOffSessions(t.Context()); len(all) != 0 {
		t.Errorf("%v is cut off by what was noted of a session that was ended", all)
	}
	if _, cut := first.interrupted(); cut {
		t.Error("a session that was ended counts as cut off")
	}
	first.shut()

	h := openGuilds(t, dir, flagon)
	defer h.shut()
	if diff := cmp.Diff([]CutOff{{Guild: home, Channel: channel, Voice: "500000000000000002", Lines: 2}}, h.CutOffSessions(t.Context())); diff != "" {
		t.Errorf("cut off (-want +got):\n%s", diff)
	}
	if again := h.CutOffSessions(t.Context()); len(again) != 0 {
		t.Errorf("%v is told twice", again)
	}
	was, cut := h.interrupted()
	if !cut || was.Lines != 2 {
		t.Fatalf("cut off is %+v, %t; want the session with two lines", was, cut)
	}
	s = h.sit(GuildSessionOptions{Resume: true})
	if len(h.CutOffSessions(t.Context())) != 0 {
		t.Error("a session that is running counts as cut off")
	}
	s.hears(ana, "Hello again, Bartok!")
	s.close()
	want := []string{"Ana: Hello Bartok!", "Bartok: Welcome to the Flagon.", "Ana: Hello again, Bartok!", "Bartok: Hello there. What brings you here?"}
	if diff := cmp.Diff(want, h.lines()); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if _, cut := h.interrupted(); cut {
		t.Error("the session counts as cut off once it was ended")
	}
}

// TestSessionBeginsAnew starts a new session instead of resuming the interrupted one.
func TestSessionBeginsAnew(t *testing.T) {
	first := openGuilds(t, t.TempDir(), flagon)
	s := first.sit(GuildSessionOptions{})
	s.hears(ana, "Hello Bartok!")
	dir := first.killed()
	s.close()
	first.shut()

	h := openGuilds(t, dir, flagon)
	defer h.shut()
	s = h.sit(GuildSessionOptions{})
	if !strings.Contains(strings.Join(s.Notices, "\n"), "its 2 lines are saved") {
		t.Errorf("notices %q, want word of the session before", s.Notices)
	}
	s.close()
	if _, cut := h.interrupted(); cut {
		t.Error("the session before still counts as cut off")
	}
	s = h.sit(GuildSessionOptions{Resume: true})
	defer s.close()
	if got := s.hears(ana, "Hello Bartok!").Turn; got != 1 {
		t.Errorf("turn %d, want the first: there was nothing to go on with", got)
	}
}

// TestReload reloads the NPC files during a session.
func TestReload(t *testing.T) {
	h := openGuilds(t, t.TempDir(), flagon)
	defer h.shut()
	s := h.sit(GuildSessionOptions{})
	defer s.close()
	write := func(settings string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(h.dir, "glyphoxa.yaml"), []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	names := func() string {
		t.Helper()
		all, err := s.Table.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, n := range all {
			names = append(names, n.Name)
		}
		return strings.Join(names, " ")
	}

	write(flagon + "  - name: Mira\n    tols: [roll]\n")
	if _, _, err := s.Reload(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "glyphoxa.yaml:9: ") || strings.Contains(err.Error(), h.dir) {
		t.Errorf("a broken file: %v, want its name and line without the path", err)
	}
	if got := names(); got != "Bartok" {
		t.Errorf("%s at the table after a broken file, want Bartok alone", got)
	}

	write(strings.Replace(flagon, "A foggy evening.", "A clear night.", 1) + "  - name: Mira\n    avatar: https://example.com/mira.png\n")
	cast, changed, err := s.Reload(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	said := changed.String()
	type looks struct{ Name, Avatar string }
	want := []looks{{Name: "Bartok"}, {Name: "Mira", Avatar: "https://example.com/mira.png"}}
	looksOf := func(all []config.NPC) (out []looks) {
		for _, n := range all {
			out = append(out, looks{n.Name, n.Avatar})
		}
		return out
	}
	if diff := cmp.Diff(want, looksOf(cast)); diff != "" {
		t.Errorf("cast (-want +got):\n%s", diff)
	}
	if !strings.Contains(said, "Mira") || !strings.Contains(said, "need a restart: campaign") {
		t.Errorf("said %q, want word of Mira, and that the scene needs a restart", said)
	}
	if got := names(); got != "Bartok Mira" {
		t.Errorf("%s at the table, want Bartok and Mira", got)
	}
	other, err := h.guild(away).StartSession(t.Context(), GuildSessionOptions{Sink: s, Notify: func(string, string) {}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, looksOf(other.Cast)); diff != "" {
		t.Errorf("cast of the next session elsewhere (-want +got):\n%s", diff)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
}
