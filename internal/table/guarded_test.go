package table_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/lab/s2stest"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

const hollow = "The old jetty is hollow, and the ferry ledger lies inside it."

func keeps(secrets ...config.KeptSecret) []config.KeptSecret { return secrets }

// reasonsOf returns the reasons for withheld sentences, in order.
func reasonsOf(r *room) (all []string) {
	for _, g := range of[*table.Guarded](r.events) {
		all = append(all, g.NPC+": "+g.Reason)
	}
	return all
}

// TestASecretIsKept: the guard withholds an NPC's secret and asks the model once more.
func TestASecretIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []llm.Request
		r := open(t, setting{secrets: keeps(config.KeptSecret{Text: hollow}), guarded: &engine.GuardedOptions{}, model: func(req llm.Request) []step {
			if asked = append(asked, req); len(asked) == 1 {
				return []step{{text: "You are soaked. The old jetty is hollow, and the ferry ledger lies inside it. Go and look."}}
			}
			return []step{{text: "Warm yourself first."}}
		}})
		end := r.hear("Mira, what is with the jetty?")
		if want := "You are soaked. Warm yourself first."; end.Outcome != table.OutcomeDelivered || end.Text != want {
			t.Errorf("ended %s with %q, want %q", end.Outcome, end.Text, want)
		}
		if got := reasonsOf(r); !slices.Equal(got, []string{"Mira: secret"}) {
			t.Errorf("withheld %q", got)
		}
		if said := strings.Join(r.journal.said(), "\n"); strings.Contains(said, "ledger") {
			t.Errorf("kept:\n%s", said)
		}
		status, err := r.Status(t.Context())
		if err != nil || status[0].Withheld != 1 {
			t.Errorf("the status is %+v, %v", status, err)
		}
		r.hear("Mira, thank you.")
		for _, m := range asked[2].Messages[1:] {
			if strings.Contains(m.Content, "ledger") {
				t.Errorf("the model is reminded of what was withheld: %q", m.Content)
			}
		}
	})
}

// TestSecretsAreAllowed lets the DM, and a player's words, allow secrets.
func TestSecretsAreAllowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var facts string
		r := open(t, setting{
			secrets: keeps(config.KeptSecret{Text: "My brother steals from the harbour master."}, config.KeptSecret{Text: hollow, RevealWhen: []string{"the lantern word"}}),
			guarded: &engine.GuardedOptions{},
			model: func(req llm.Request) []step {
				facts = ""
				for _, m := range req.Messages[1:] {
					if m.Role == llm.RoleSystem {
						facts += m.Content
					}
				}
				if strings.Contains(req.Messages[len(req.Messages)-1].Content, "water") { // other words, so that it is no repetition
					return []step{{text: "Inside the old jetty, which is hollow, lies what the ferry took in: its ledger."}}
				}
				return []step{{text: "The old jetty is hollow, and the ferry ledger lies inside it."}}
			},
		})
		if end := r.hear("Mira, what do you know?"); strings.Contains(end.Text, "ledger") || end.Text == "" {
			t.Fatalf("said %q", end.Text)
		}
		if end := r.hear("Mira, I say The Lantern Word!"); !strings.Contains(end.Text, "ledger") || !strings.Contains(facts, "may tell now") {
			t.Errorf("said %q, knowing %q", end.Text, facts)
		}
		if n := of[*table.Notice](r.events); len(n) != 1 || !strings.Contains(n[0].Text, "secret 2") || strings.Contains(n[0].Text, "jetty") {
			t.Errorf("notices %+v", n)
		}
		must := func(want string) func(string, error) {
			return func(got string, err error) {
				t.Helper()
				if err != nil {
					got = err.Error()
				}
				if !strings.Contains(got, want) {
					t.Errorf("answered %q, want %q", got, want)
				}
			}
		}
		must("keeps everything secret")(r.Conceal(t.Context(), "Mira"))
		if end := r.hear("Mira, tell us again, what was that?"); strings.Contains(end.Text, "ledger") {
			t.Errorf("said %q", end.Text)
		}
		must("2: The old jetty")(r.Reveal(t.Context(), "Mira", ""))
		must("choose 1 to 2")(r.Reveal(t.Context(), "Mira", "3"))
		must("no NPC")(r.Reveal(t.Context(), "Zed", ""))
		must("one NPC")(r.Reveal(t.Context(), "all", "1"))
		must("may tell secret 2")(r.Reveal(t.Context(), "Mira", "2"))
		if end := r.hear("Mira, and what is at the water?"); !strings.Contains(end.Text, "ledger") {
			t.Errorf("said %q", end.Text)
		}
		status, err := r.Status(t.Context())
		if err != nil || status[0].Revealed != 1 {
			t.Errorf("the status is %+v, %v", status, err)
		}
	})
}

// TestOwnVoiceIsCutAtASecret stops an engine's own voice before a sentence with a secret: the
// sentence is not audible, and the session does not remember it.
func TestOwnVoiceIsCutAtASecret(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := vendor(func(turn s2stest.Turn) s2stest.Answer {
			return tells("You are soaked to the bone, friend. " + hollow + " Go and look.")
		})
		r := ownRoom(t, p, setting{secrets: keeps(config.KeptSecret{Text: hollow}), guarded: &engine.GuardedOptions{}, model: says("Warm yourself first.")})
		ana := r.join("Ana")
		time.Sleep(100 * ms)
		ana.say("Mira, what is with the jetty?", 2*time.Second)
		end := r.until(1)
		if want := "You are soaked to the bone, friend. Warm yourself first."; end.Outcome != table.OutcomeDelivered || end.Text != want {
			t.Errorf("ended %s with %q, want %q", end.Outcome, end.Text, want)
		}
		if got := reasonsOf(r); !slices.Equal(got, []string{"Mira: secret"}) {
			t.Errorf("withheld %q", got)
		}
		first := 35 * time.Second / 15 // duration of the first sentence
		cut := p.Notes(s2stest.Interrupted)
		if len(cut) != 1 || cut[0].Sound < first-400*ms || cut[0].Sound > first+400*ms {
			t.Errorf("the session is told %+v, want that about %s were heard", cut, first)
		}
		own := 0 // frames of the vendor's voice, which has no NPC's level
		for _, f := range r.wire.heard() {
			if f.sample != levels["mira"] {
				own++
			}
		}
		if heard := time.Duration(own) * 20 * ms; heard > first+400*ms {
			t.Errorf("%s of the voice were heard, want about %s", heard, first)
		}
		// The next answer comes from a session that knows only the audible sentences.
		ana.say("Mira, thank you very much.", 2*time.Second)
		r.until(2)
		opened := p.Notes(s2stest.Opened)
		last := opened[len(opened)-1]
		told := ""
		for _, m := range last.Options.History {
			told += m.Content + "\n"
		}
		if len(opened) != 2 || !strings.Contains(told, "Warm yourself") || strings.Contains(told, "hollow") {
			t.Errorf("%d sessions, the last knows %q", len(opened), told)
		}
	})
}

// TestOwnVoiceIsCutWhileItIsHeard stops a voice whose transcript arrives late.
func TestOwnVoiceIsCutWhileItIsHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := 4 * time.Second
		p := vendor(func(s2stest.Turn) s2stest.Answer {
			steps := s2stest.After(300*ms, s2stest.Say("item", "", s2stest.Tone(440, d, 24_000), 24_000, 10))
			words := s2stest.After(1500*ms, s2stest.Say("item", hollow, nil, 24_000, 10))
			return s2stest.Answer{Steps: append(append(steps, words...), s2stest.Done("item"))}
		})
		r := ownRoom(t, p, setting{secrets: keeps(config.KeptSecret{Text: hollow}), guarded: &engine.GuardedOptions{}, model: says("Warm yourself first.")})
		ana := r.join("Ana")
		time.Sleep(100 * ms)
		ana.say("Mira, what is with the jetty?", 2*time.Second)
		end := r.until(1)
		if want := "Warm yourself first."; end.Outcome != table.OutcomeDelivered || end.Text != want {
			t.Errorf("ended %s with %q, want %q", end.Outcome, end.Text, want)
		}
		frames := r.wire.heard()
		cut := p.Notes(s2stest.Interrupted)
		if len(cut) == 0 || cut[0].Sound > d-time.Second {
			t.Fatalf("the session is told %+v", cut)
		}
		// Silence separates the voice from the other engine's answer, from one frame after the
		// cut on.
		for i, f := range frames[1:] {
			gap := f.at.Sub(frames[i].at)
			if gap > 100*ms {
				if late := frames[i].at.Sub(cut[0].At); late > 20*ms {
					t.Errorf("the voice is heard %s after it was cut", late)
				}
				return
			}
		}
		t.Error("the voice goes on into what the other engine says")
	})
}
