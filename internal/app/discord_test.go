package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/discord"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const (
	home    = "100000000000000001"
	away    = "100000000000000002"
	channel = "200000000000000001"
)

// Those who give commands.
var (
	dm  = discord.Caller{ID: "300000000000000001", DM: true}
	ana = discord.Caller{ID: "300000000000000002"}
)

const flagon = `
languages: [en]
campaign: {name: The Flagon, scene: A foggy evening.}
providers: {llm: offline, tts: silent, stt: none, embeddings: none}
npcs:
  - name: Bartok
    lines: {greeting: ["Welcome to the Flagon."], smalltalk: ["Foggy."], unknown: ["No idea."]}
`

// inn is a house with a configuration and a data directory of its own.
type inn struct {
	*house
	t   *testing.T
	dir string
}

// openInn opens a house over a directory, which may have been another's.
func openInn(t *testing.T, dir, settings string) *inn {
	t.Helper()
	path := filepath.Join(dir, "glyphoxa.yaml")
	if err := os.WriteFile(path, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := play.LoadConfig(path)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Open(t.Context(), Options{Config: cfg, Metrics: true})
	if err != nil {
		t.Fatal(err)
	}
	return &inn{house: newHouse(a.Game, a.log), t: t, dir: dir}
}

// shut closes the house, as a bot does that ends.
func (h *inn) shut() {
	h.t.Helper()
	if err := h.close(); err != nil {
		h.t.Error(err)
	}
	if err := h.app.Close(); err != nil {
		h.t.Error(err)
	}
}

// path is of a file of the home guild.
func (h *inn) path(parts ...string) string {
	return filepath.Join(append([]string{h.app.Config.DataDir, "guilds", home}, parts...)...)
}

// killed returns a directory as a process leaves it that is killed now.
func (h *inn) killed() string {
	h.t.Helper()
	dir := h.t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(h.dir)); err != nil {
		h.t.Fatal(err)
	}
	return dir
}

// seated is a session in the home guild.
type seated struct {
	*discord.Sitting
	t     *testing.T
	ended chan *table.TurnEnded
}

func (h *inn) sit(o discord.SitOptions) *seated {
	h.t.Helper()
	s := &seated{t: h.t, ended: make(chan *table.TurnEnded, 100)}
	o.Sink, o.Tell, o.Channel = s, func(string, string) {}, channel
	var err error
	if s.Sitting, err = h.Sit(h.t.Context(), home, o); err != nil {
		h.t.Fatal(err)
	}
	return s
}

// Emit implements [table.Sink].
func (s *seated) Emit(e table.Event) {
	if e, ok := e.(*table.TurnEnded); ok {
		s.ended <- e
	}
}

// hears lets somebody speak and waits for the answer.
func (s *seated) hears(by discord.Caller, text string) *table.TurnEnded {
	s.t.Helper()
	if err := s.Table.Hear(s.t.Context(), table.Utterance{Speaker: "Ana", Text: text, User: "discord:" + by.ID}); err != nil {
		s.t.Fatal(err)
	}
	return <-s.ended
}

func (s *seated) close() {
	s.t.Helper()
	if err := s.Close(); err != nil {
		s.t.Error(err)
	}
}

// lines are the latest of the home guild.
func (h *inn) lines() (texts []string) {
	h.t.Helper()
	_, said, err := h.Recall(h.t.Context(), home, 100)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, l := range said {
		texts = append(texts, l.Speaker+": "+l.Text)
	}
	return texts
}

// interrupted returns what was cut off in the home guild.
func (h *inn) interrupted() (memory.Session, bool) {
	h.t.Helper()
	s, cut, err := h.Interrupted(h.t.Context(), home)
	if err != nil {
		h.t.Fatal(err)
	}
	return s, cut
}

// TestSessionGoesOn kills the program in a session, and goes on with it.
func TestSessionGoesOn(t *testing.T) {
	first := openInn(t, t.TempDir(), flagon)
	s := first.sit(discord.SitOptions{})
	if _, cut := first.interrupted(); cut {
		t.Error("a session that is running counts as cut off")
	}
	s.hears(ana, "Hello Bartok!")
	dir := first.killed()
	s.close()
	if _, cut := first.interrupted(); cut {
		t.Error("a session that was ended counts as cut off")
	}
	first.shut()

	h := openInn(t, dir, flagon)
	defer h.shut()
	if diff := cmp.Diff([]discord.Cut{{Guild: home, Channel: channel, Lines: 2}}, h.CutOff(t.Context())); diff != "" {
		t.Errorf("cut off (-want +got):\n%s", diff)
	}
	if again := h.CutOff(t.Context()); len(again) != 0 {
		t.Errorf("%v is told twice", again)
	}
	was, cut := h.interrupted()
	if !cut || was.Lines != 2 {
		t.Fatalf("cut off is %+v, %t; want the session with two lines", was, cut)
	}
	s = h.sit(discord.SitOptions{Resume: true})
	if len(h.CutOff(t.Context())) != 0 {
		t.Error("a session that is running counts as cut off")
	}
	s.hears(ana, "Hello again, Bartok!")
	s.close()
	want := []string{"Ana: Hello Bartok!", "Bartok: Welcome to the Flagon.", "Ana: Hello again, Bartok!", "Bartok: Welcome to the Flagon."}
	if diff := cmp.Diff(want, h.lines()); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if _, cut := h.interrupted(); cut {
		t.Error("the session counts as cut off once it was ended")
	}
}

// TestSessionBeginsAnew leaves a session be that was cut off.
func TestSessionBeginsAnew(t *testing.T) {
	first := openInn(t, t.TempDir(), flagon)
	s := first.sit(discord.SitOptions{})
	s.hears(ana, "Hello Bartok!")
	dir := first.killed()
	s.close()
	first.shut()

	h := openInn(t, dir, flagon)
	defer h.shut()
	s = h.sit(discord.SitOptions{})
	if !strings.Contains(strings.Join(s.Notices, "\n"), "its 2 lines are kept") {
		t.Errorf("notices %q, want word of the session before", s.Notices)
	}
	s.close()
	if _, cut := h.interrupted(); cut {
		t.Error("the session before still counts as cut off")
	}
	s = h.sit(discord.SitOptions{Resume: true})
	defer s.close()
	if got := s.hears(ana, "Hello Bartok!").Turn; got != 1 {
		t.Errorf("turn %d, want the first: there was nothing to go on with", got)
	}
}

// TestReload reads the NPC files anew while a session runs.
func TestReload(t *testing.T) {
	h := openInn(t, t.TempDir(), flagon)
	defer h.shut()
	s := h.sit(discord.SitOptions{})
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
	cast, said, err := s.Reload(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []discord.NPC{{Name: "Bartok"}, {Name: "Mira", Avatar: "https://example.com/mira.png"}}
	if diff := cmp.Diff(want, cast); diff != "" {
		t.Errorf("cast (-want +got):\n%s", diff)
	}
	if !strings.Contains(said, "Mira") || !strings.Contains(said, "needs a restart: campaign") {
		t.Errorf("said %q, want word of Mira, and that the scene needs a restart", said)
	}
	if got := names(); got != "Bartok Mira" {
		t.Errorf("%s at the table, want Bartok and Mira", got)
	}
	other, err := h.Sit(t.Context(), away, discord.SitOptions{Sink: s, Tell: func(string, string) {}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, other.Cast); diff != "" {
		t.Errorf("cast of the next session elsewhere (-want +got):\n%s", diff)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
}
