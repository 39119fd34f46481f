package table_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/table"
)

func zed() config.NPC {
	return config.NPC{ID: "zed", Name: "Zedekia", BudgetTier: mcp.BudgetFast}
}

// recast gives the table another cast and returns the table's summary.
func (r *room) recast(npcs ...config.NPC) string {
	r.t.Helper()
	said, err := r.Recast(r.t.Context(), attendees(npcs...))
	check(r.t, err)
	return said.String()
}

// names returns the NPCs at the table.
func (r *room) names() []string {
	r.t.Helper()
	all, err := r.Status(r.t.Context())
	check(r.t, err)
	var out []string
	for _, s := range all {
		out = append(out, s.Name)
	}
	return out
}

func TestRecastKeepsThePerson(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &pupil{}
		r := open(t, setting{model: l.model})
		do := func(_ string, err error) {
			t.Helper()
			check(t, err)
		}
		r.hear("Bart, I am a baker")
		do(r.Raise(t.Context(), "Bart", mcp.BudgetDeep, time.Hour, 0))
		do(r.Direct(t.Context(), "Bart", "lie about the key", 5))
		do(r.Mute(t.Context(), "Mira", true))
		do(r.Lower(t.Context(), "Mira", mcp.BudgetFast))
		berta := bart(setting{})
		berta.Name, berta.Aliases, berta.Personality = "Berta the Barkeep", []string{"Bertie"}, "You like bread."
		if got, want := r.recast(mira(setting{}), berta), "Berta the Barkeep has changed"; got != want {
			t.Errorf("said %q, want %q", got, want)
		}
		if got := r.recast(mira(setting{}), berta); got != "nothing has changed" {
			t.Errorf("said %q of the same cast", got)
		}
		all, err := r.Status(t.Context())
		check(t, err)
		if m, b := all[0], all[1]; !m.Muted || m.Ceiling != mcp.BudgetFast || b.Lease == nil || b.Ceiling != mcp.BudgetDeep || b.Directive != "lie about the key" {
			t.Errorf("status = %+v", all)
		}
		if r.hear("Bartok, hello"); r.lastStart().Route == table.RouteName {
			t.Errorf("%s answers to the old name", r.lastStart().NPC)
		}
		if ended := r.hear("Bertie, what am I?"); ended.NPC != "Berta the Barkeep" || ended.Outcome != table.OutcomeDelivered {
			t.Errorf("turn.ended = %+v", ended)
		}
		for _, want := range []string{"You are Berta the Barkeep", "You like bread.", "Bart, I am a baker\nAye.", "lie about the key"} {
			if !strings.Contains(l.asked(), want) {
				t.Errorf("the prompt lacks %q:\n%s", want, l.asked())
			}
		}
	})
}

func TestRecastLetsNPCsComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &pupil{}
		r := open(t, setting{model: l.model})
		r.hear("Bart, I am a baker")
		_, err := r.Raise(t.Context(), "Bart", mcp.BudgetDeep, time.Hour, 0)
		check(t, err)
		if got, want := r.recast(mira(setting{}), zed()), "Zedekia joins; Bartok the Barkeep leaves"; got != want {
			t.Errorf("said %q, want %q", got, want)
		}
		if got := r.names(); !slices.Equal(got, []string{"Mira", "Zedekia"}) {
			t.Errorf("at the table are %q", got)
		}
		if tiers := of[*table.Tier](r.events); tiers[len(tiers)-1].Change != table.TierExpired {
			t.Errorf("tier events = %+v, want the raise to end", tiers)
		}
		if _, err := r.Mute(t.Context(), "Bartok", true); err == nil || !strings.Contains(err.Error(), `no NPC is called "Bartok"`) {
			t.Errorf("muting who has left: %v", err)
		}
		said, err := r.Mute(t.Context(), "all", false)
		if check(t, err); said != "everyone may speak again" {
			t.Errorf("said %q", said)
		}
		for _, row := range [][2]string{{"Bart, hello", ""}, {"Zedekia, hello", "Zedekia"}, {"Mira, hello", "Mira"}} {
			if ended := r.hear(row[0]); ended.NPC != row[1] {
				t.Errorf("%q is for %q, want %q", row[0], ended.NPC, row[1])
			}
		}
		if got := r.recast(bart(setting{})); got != "Bartok the Barkeep joins; Mira and Zedekia leave" {
			t.Errorf("said %q", got)
		}
		r.hear("and what am I?") // no other NPC listens
		if s := r.lastStart(); s.NPC != "Bartok the Barkeep" || s.Route != table.RouteOnlyNPC || !strings.Contains(l.asked(), "I am a baker") {
			t.Errorf("turn.started = %+v; the prompt is\n%s", s, l.asked())
		}
	})
}

// TestRecastUnderWay removes an NPC that is speaking, one that thinks, and one with waiting
// lines.
func TestRecastUnderWay(t *testing.T) {
	for _, row := range []struct {
		name  string
		lines []string
		after time.Duration
		ends  string
		kept  []string
	}{
		{"speaking", []string{"Bart, hello"}, 1500 * ms, "1 cancelled", []string{"Ana: Bart, hello"}},
		{"thinking", []string{"Bart, hello"}, 500 * ms, "1 cancelled", []string{"Ana: Bart, hello"}},
		{"awaited", []string{"Bart, hello", "Bart, and me?", "Mira, and you?"}, 500 * ms, "1 cancelled, 3 delivered, 2 delivered", // Mira was the last one in conversation
			[]string{"Ana: Bart, hello", "Ana: Mira, and you?", "Mira: Aye.", "Ana: Bart, and me?", "Mira: Aye."}},
		{"awaited by one", []string{"Bart, hello", "Bart, and me?"}, 500 * ms, "1 cancelled, 2 no_target", []string{"Ana: Bart, hello", "Ana: Bart, and me?"}},
		{"in a group", []string{"Mira and Bart, hello"}, 1500 * ms, "2 cancelled, 1 delivered", []string{"Ana: Mira and Bart, hello", "Mira: Aye."}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &pupil{after: time.Second}
				r := open(t, setting{model: l.model, voice: sound{lasts: 2 * time.Second}})
				for _, line := range row.lines {
					r.write("Ana", "", line)
				}
				time.Sleep(row.after)
				r.recast(mira(setting{}), zed())
				gone := time.Now()
				time.Sleep(10 * time.Second)
				if got := r.ends(); got != row.ends {
					t.Errorf("turns ended %q, want %q", got, row.ends)
				}
				r.kept(row.kept...)
				for _, f := range r.wire.heard() {
					if f.voice() == "bart" && f.at.After(gone.Add(20*ms)) {
						t.Fatalf("who has left sounds at %v, %v later", f.at, f.at.Sub(gone))
					}
				}
				j := &referee{room: r}
				j.turns()
				for _, f := range j.faults {
					t.Error(f)
				}
			})
		})
	}
}

// TestRenamedWhileSpeaking: a turn ends under the name it began with.
func TestRenamedWhileSpeaking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &pupil{after: time.Second}
		r := open(t, setting{model: l.model})
		r.write("Ana", "", "Bart, hello")
		r.write("Ana", "", "Bart, and me?")
		time.Sleep(500 * ms)
		berta := bart(setting{})
		berta.Name = "Berta"
		r.recast(mira(setting{}), berta)
		time.Sleep(10 * time.Second)
		r.kept("Ana: Bart, hello", "Bartok the Barkeep: Aye.", "Ana: Bart, and me?", "Berta: Aye.")
		for _, e := range of[*table.Sentence](r.events) {
			if want := []string{"Bartok the Barkeep", "Berta"}[e.Turn-1]; e.NPC != want {
				t.Errorf("%s speaks in turn %d, want %s", e.NPC, e.Turn, want)
			}
		}
	})
}

// TestPlayersAreRecognisedWithTheNewNames lets a player join after a recast.
func TestPlayersAreRecognisedWithTheNewNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{})
		r.recast(mira(setting{}), zed())
		r.join("Ana")
		synctest.Wait()
		if got, want := r.ears.opened[0].Keyterms, []string{"Mira", "Zedekia"}; !slices.Equal(got, want) {
			t.Errorf("key terms = %q, want %q", got, want)
		}
	})
}

func TestRecastIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{model: says("Aye.")})
		for want, cast := range map[string][]config.NPC{"nobody would be left": nil, `two NPCs have the id "zed"`: {zed(), mira(setting{}), zed()}} {
			if _, err := r.Recast(t.Context(), attendees(cast...)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("err = %v, want %q", err, want)
			}
		}
		if got := r.names(); !slices.Equal(got, []string{"Mira", "Bartok the Barkeep"}) {
			t.Errorf("at the table are %q", got)
		}
	})
}
