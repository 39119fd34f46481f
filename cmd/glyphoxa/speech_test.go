package main_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/fakegemini"
	"github.com/MrWong99/glyphoxa/internal/lab/fakegptlive"
	"github.com/MrWong99/glyphoxa/internal/lab/fakerealtime"
	"github.com/MrWong99/glyphoxa/internal/lab/fakestt"
)

// speaksForItself configures Mira to use OpenAI's speech-to-speech service, and
// speech recognition that returns lines.
func (h *program) speaksForItself(script fakerealtime.Script, lines ...string) *fakerealtime.Server {
	h.t.Helper()
	service := fakerealtime.Start(h.t, script)
	h.speaksWith("openai", fakerealtime.Key, service.URL(), lines...)
	return service
}

// speaksWith configures Mira's speech-to-speech service.
func (h *program) speaksWith(name, key, url string, lines ...string) {
	h.t.Helper()
	hearing := fakestt.Start(h.t, fakestt.Script{Lines: lines, Delay: 20 * time.Millisecond, GoesOn: 600 * time.Millisecond})
	h.write("glyphoxa.yaml", fmt.Sprintf(`languages: [en]
providers:
  stt: {name: deepgram, api_key: %s, base_url: '%s'}
  tts: silent
  s2s: {name: %s, api_key: %s, base_url: '%s'}
latency: {s2s_silence: 2s}
npcs:
  - name: Mira
    engine: s2s
    tools: [roll]
    personality: A ferrywoman.
    lines: {greeting: ["The cascade says aye."]}
  - name: Bartok
    lines: {smalltalk: ["Stout, as ever."]}
`, secretKey, hearing.URL(), name, key, url))
	h.secrets = append(h.secrets, secretKey, key)
}

// ends returns the outcomes of turns, as "npc outcome: text".
func ends(all map[string][]heardEvent) []string {
	var out []string
	for _, e := range all["turn.ended"] {
		out = append(out, fmt.Sprintf("%s %s: %s", e.NPC, e.Outcome, e.Text))
	}
	return out
}

// TestSpeechToSpeech types to a speech-to-speech NPC, rolls for it, and checks
// its sound.
func TestSpeechToSpeech(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	service := h.speaksForItself(fakerealtime.Script{Answer: func(r fakerealtime.Request) fakerealtime.Answer {
		switch {
		case len(r.Outputs) > 0:
			return fakerealtime.Answer{Parts: []fakerealtime.Part{{Text: "The dice say " + totalOf(r.Outputs[0]) + ". Off you go.", Sound: 2 * time.Second}}}
		case strings.Contains(r.Text, "roll"):
			return fakerealtime.Answer{Calls: []fakerealtime.Call{{Name: "roll", Arguments: `{"expression":"1d1"}`}}}
		}
		return fakerealtime.Answer{Parts: []fakerealtime.Part{{Text: "The river is high today.", Sound: time.Second}}}
	}})
	r := h.run("Mira, hello.\nMira, roll for me.\n", "play", "--json", "--wav", "out.wav").ok(t)
	all := heardPlay(t, r.stdout)
	want := []string{"Mira delivered: The river is high today.", "Mira delivered: The dice say 1. Off you go."}
	if got := ends(all); !slices.Equal(got, want) {
		t.Fatalf("turns ended %q, want %q\n%s", got, want, r.stdout)
	}
	if n := len(all["tool.finished"]); n != 1 {
		t.Errorf("%d tools ran, want one", n)
	}
	if length, loud := h.heard("out.wav"); length < 3*time.Second || loud == 0 {
		t.Errorf("%s of sound at %v, want three seconds", length, loud)
	}
	if refused := service.Refused(); len(refused) != 0 {
		t.Errorf("the service refused %q", refused)
	}
	if n := service.Sessions(); n != 1 {
		t.Errorf("%d sessions, want one", n)
	}
}

// totalOf reads the total of a roll.
func totalOf(output string) string {
	var roll struct{ Total int }
	if err := json.Unmarshal([]byte(output), &roll); err != nil {
		return err.Error()
	}
	return fmt.Sprint(roll.Total)
}

// TestSpeechToSpeechHears plays a recording to a speech-to-speech NPC, with
// each service: its session gets the sound addressed to it, and answers.
func TestSpeechToSpeechHears(t *testing.T) {
	t.Parallel()
	needEspeak(t)
	const line, answer = "Mira, how is the river today?", "The river is high today."
	for name, serve := range map[string]func(*testing.T, *program) (refused func() []string, sound func() time.Duration){
		"openai": func(t *testing.T, h *program) (func() []string, func() time.Duration) {
			s := h.speaksForItself(fakerealtime.Script{Answers: []fakerealtime.Answer{{Parts: []fakerealtime.Part{{Text: answer, Sound: time.Second}}}}}, line)
			return s.Refused, func() time.Duration { return s.Conversation(0)[0].Sound }
		},
		"gemini": func(t *testing.T, h *program) (func() []string, func() time.Duration) {
			s := fakegemini.Start(t, fakegemini.Options{APIKey: "AIza-fake-key", Turns: []fakegemini.Turn{{Steps: []fakegemini.Step{fakegemini.Speak{Text: answer, Sound: time.Second}}}}})
			h.speaksWith("gemini", "AIza-fake-key", s.URL(), line)
			return s.Refusals, nil
		},
		"gpt_live": func(t *testing.T, h *program) (func() []string, func() time.Duration) {
			s := fakegptlive.Start(t, fakegptlive.Script{Key: fakerealtime.Key, Turns: []fakegptlive.Turn{{Heard: line, Says: answer}}})
			h.speaksWith("gpt_live", fakerealtime.Key, s.URL(), line)
			return nil, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newProgram(t)
			refused, sound := serve(t, h)
			file := h.says("said.wav", line)
			length, _ := h.heard(file)
			r := h.run("", "play", "--json", "--speaker", "Ana", "--hear", file, "--wav", "out.wav").ok(t)
			all := heardPlay(t, r.stdout)
			answered(t, all, "Ana", line, "Mira")
			if got, want := ends(all), []string{"Mira delivered: " + answer}; !slices.Equal(got, want) {
				t.Errorf("turns ended %q, want %q\n%s", got, want, r.stdout)
			}
			if refused != nil && len(refused()) != 0 {
				t.Errorf("the service refused %q", refused())
			}
			if sound == nil {
				return
			}
			if s := sound(); s < length/2 || s > length+time.Second {
				t.Errorf("the session was given %s of sound, of a recording of %s", s, length)
			}
		})
	}
}

// TestVoiceDelegates lets a voice ask for help twice about one player's line:
// the NPC's own model answers once, and the voice says the answer.
func TestVoiceDelegates(t *testing.T) {
	t.Parallel()
	needEspeak(t)
	const line = "Mira, hello."
	service := fakegptlive.Start(t, fakegptlive.Script{Key: fakerealtime.Key, Turns: []fakegptlive.Turn{{Heard: line, Says: "Hm.", Delegates: 2}}})
	h := newProgram(t)
	h.speaksWith("gpt_live", fakerealtime.Key, service.URL(), line)
	r := h.run("", "play", "--json", "--speaker", "Ana", "--hear", h.says("said.wav", line), "--wav", "out.wav").ok(t)
	all := heardPlay(t, r.stdout)
	if got, want := ends(all), []string{"Mira delivered: Hm. The cascade says aye."}; !slices.Equal(got, want) {
		t.Errorf("turns ended %q, want %q\n%s", got, want, r.stdout)
	}
	sessions := service.Sessions()
	if len(sessions) != 1 {
		t.Fatalf("%d sessions, want one", len(sessions))
	}
	said := slices.DeleteFunc(sessions[0].Commands(), func(c fakegptlive.Command) bool { return c.Type != "session.commentary.append" })
	if len(said) != 1 || said[0].DelegationID == "" || said[0].Content != "The cascade says aye." {
		t.Errorf("the voice was told to say %v, want the answer once, for the delegation", said)
	}
}

// TestSpeechToSpeechFails lets a service refuse, fall silent and break off: the
// cascade answers in the same turn, and a notice says why.
func TestSpeechToSpeechFails(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		script fakerealtime.Script
		notice string
	}{
		"refused":    {fakerealtime.Script{Status: 401, Code: "invalid_api_key"}, "providers.s2s"},
		"silent":     {fakerealtime.Script{Answers: []fakerealtime.Answer{{HoldCreated: true}}}, "stopped answering"},
		"breaks off": {fakerealtime.Script{Answers: []fakerealtime.Answer{{Break: true}}}, "another model"},
		"no quota":   {fakerealtime.Script{Answers: []fakerealtime.Answer{{Fail: "insufficient_quota"}}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "silent" && name != "refused" {
				t.Skip("each is a play; make test-all runs them all")
			}
			t.Parallel()
			h := newProgram(t)
			h.speaksForItself(tc.script)
			r := h.run("Mira, hello.\n", "play", "--json").ok(t)
			all := heardPlay(t, r.stdout)
			if got := ends(all); len(got) != 1 || !strings.HasPrefix(got[0], "Mira delivered: ") || strings.Contains(got[0], "river") {
				t.Errorf("turns ended %q, want an answer of the cascade\n%s", got, r.stdout)
			}
			if !slices.ContainsFunc(all["notice"], func(e heardEvent) bool {
				return strings.Contains(e.Text, tc.notice) && strings.Contains(e.Text, "openai")
			}) {
				t.Errorf("notices %+v, want one with %q", all["notice"], tc.notice)
			}
		})
	}
}

// TestDoctorOpensASession checks doctor's report about a speech-to-speech
// service.
func TestDoctorOpensASession(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	h.speaksForItself(fakerealtime.Script{})
	if r := h.run("", "doctor"); !strings.Contains(r.stdout, "opened a session") {
		t.Errorf("the doctor says\n%s", r.stdout)
	}
	h.speaksForItself(fakerealtime.Script{Status: 401, Code: "invalid_api_key"})
	if r := h.run("", "doctor"); !strings.Contains(r.stdout, "check api_key and model of providers.s2s") {
		t.Errorf("the doctor says\n%s", r.stdout)
	}
}
