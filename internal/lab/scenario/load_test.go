package scenario_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/scenario"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// small is the shortest valid scene.
const small = `title: A line is answered
proves: Nothing much.
npcs:
  - name: Mira
story:
  - {who: Anna, says: "Good evening."}
expect:
  - event: turn.ended
`

func nothing(string) ([]byte, error) { return nil, os.ErrNotExist }

func TestParseFillsIn(t *testing.T) {
	s, problems := scenario.Parse("s.yaml", []byte(small), nothing)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	if len(s.NPCs) != 1 || s.NPCs[0].ID != "mira" || s.NPCs[0].Line != 4 || s.File != "s.yaml" {
		t.Errorf("scene = %+v, want Mira of line 4 with the id mira", s)
	}
	if s.Model.FirstToken == 0 || s.Voice.Speed == 0 || s.Latency.Targets.Fast == 0 {
		t.Errorf("scene = %+v, want the defaults filled in", s)
	}
}

func TestParseReportsEveryProblemWithItsLine(t *testing.T) {
	story := "  - {who: Anna, says: \"Good evening.\"}\n"
	expect := "  - event: turn.ended\n"
	for _, row := range []struct{ name, from, to, want string }{
		{"unknown_key", "title:", "titel:", `s.yaml:1: unknown key "titel"; did you mean "title"?`},
		{"no_action", story, "  - {who: Anna}\n", "s.yaml:6: nothing happens in this step"},
		{"two_actions", story, "  - {who: Anna, says: a, types: b}\n", "s.yaml:6: says and types cannot be in one step"},
		{"nobody_says_it", story, "  - says: a\n", "s.yaml:6: says needs who does it"},
		{"player_mutes", story, "  - {who: Anna, mute: Mira}\n", "s.yaml:6: mute is done by the dungeon master"},
		{"stranger", story, "  - mute: Myra\n", `s.yaml:6: there is no NPC "Myra"`},
		{"pause", story, "  - {who: Anna, says: \"a [soon] b\"}\n", `s.yaml:6: says: "[soon]" is no pause`},
		{"at_and_after", story, "  - {who: Anna, says: a, at: 1s, after: utterance}\n", "s.yaml:6: a step has either at or after"},
		{"waits_for_the_end", story, "  - {who: Anna, says: a, after: voice.off}\n", "s.yaml:6: after: this is only known when the scene is over"},
		{"unknown_event", expect, "  - event: turn.endet\n", `s.yaml:8: event: there is no event "turn.endet"; did you mean "turn.ended"?`},
		{"unknown_field", expect, "  - event: turn.ended outcom=failed\n", `s.yaml:8: event: turn.ended has no field "outcom"; did you mean "outcome"?`},
		{"ledger_of_an_event", expect, "  - event: turn.ended ledger.total_ms<5\n", ""},
		{"no_number", expect, "  - event: turn.ended ledger.total_ms<soon\n", `s.yaml:8: event: "soon" is no number`},
		{"open_quote", expect, "  - event: turn.ended text=\"a\n", "s.yaml:8: event: a quote is opened and never closed"},
		{"two_expectations", expect, "  - {event: turn.ended, silent: true}\n", "s.yaml:8: event and silent are two expectations"},
		{"nothing_expected", expect, "  - {after: utterance}\n", "s.yaml:8: nothing is expected here"},
		{"within_of_nothing", expect, "  - {event: turn.ended, within: 1s}\n", "s.yaml:8: within and no_sooner need after"},
		{"count_of_nothing", expect, "  - {event: turn.ended, count: many}\n", `s.yaml:8: count: "many" is no number`},
		{"ledger_field", expect, "  - ledger: {first_sund_ms: \"<5\"}\n", `s.yaml:8: the ledger has no field "first_sund_ms"`},
		{"ledger_bound", expect, "  - ledger: {first_sound_ms: \"about 5\"}\n", `s.yaml:8: first_sound_ms: "about 5" is no number`},
		{"ledger_word", expect, "  - ledger: {budget: met, tool_rounds: 0}\n", ""},
		{"variable", "title: A", "title: ${HOME}", "s.yaml:1: title: this file takes no environment variables; write the value itself"},
		{"variable_with_default", "title: A", "title: ${HOME:-x}", "s.yaml:1: title: this file takes no environment variables"},
		{"no_variable", "title: A", "title: $${HOME}", ""},
		{"long_line", "Good evening.", strings.Repeat("word ", 500), "s.yaml:6: says: "},
		{"long_typed_line", "says: \"Good evening.\"", "types: \"" + strings.Repeat("word ", 500) + "\"", "s.yaml:6: types: "},
		{"long_answer", "story:", "model: {replies: [{says: \"" + strings.Repeat("word ", 2500) + "\"}]}\nstory:", "s.yaml:5: says: "},
		{"too_much_sound", story, strings.Repeat(story, 2) + "  - {who: Anna, says: \"" + strings.Repeat("a [1m] ", 30) + "\"}\n" + story, "s.yaml:8: up to here the players speak for more than 30m0s; make several scenes of it"},
		{"misplaced", expect, "  - {heard: [a], count: 2}\n", "s.yaml:8: count means nothing with heard"},
		{"no_file", "npcs:\n  - name: Mira\n", "cast: [no.yaml]\nnpcs: []\n", "s.yaml:3: cast: there is no such file"},
		{"unknown_tool", "- name: Mira\n", "- {name: Mira, tools: [dig]}\n", `s.yaml:4: there is no tool "dig"`},
		{"twins", "- name: Mira\n", "- name: Mira\n  - name: mira\n", `s.yaml:5: another NPC has the id "mira"`},
		{"recording_of_nothing", story, "  - {who: Anna, plays: a.wav}\n", "s.yaml:6: nothing happens in this step"},
		{"no_recording", story, "  - {who: Anna, says: a, plays: a.wav}\n", "s.yaml:6: plays: there is no such file"},
		{"empty", small, "", "s.yaml:1: the file is empty"},
	} {
		t.Run(row.name, func(t *testing.T) {
			text := strings.Replace(small, row.from, row.to, 1)
			_, problems := scenario.Parse("s.yaml", []byte(text), nothing)
			got := userfile.Problems(problems).Sorted().Error()
			if !strings.Contains(got, row.want) || (row.want == "") != (got == "") {
				t.Errorf("problems =\n%s\nwant %q", got, row.want)
			}
		})
	}
}

func TestLoadTakesDirectories(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"b.yaml": small, "a.yml": small, ".c.yaml": "x", "d.txt": "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	scenes, err := scenario.Load(dir)
	if err != nil || len(scenes) != 2 || filepath.Base(scenes[0].File) != "a.yml" {
		t.Errorf("Load = %d scenes, %v, want a.yml and b.yaml", len(scenes), err)
	}
	if _, err := scenario.Load(filepath.Join(dir, "no.yaml")); err == nil || !strings.Contains(err.Error(), "no.yaml:1: there is no such file") {
		t.Errorf("err = %v, want the file that is missing", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.wav"), []byte("RIFF"), 0o600); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(small, "says:", "plays: a.wav, says:", 1)
	if err := os.WriteFile(filepath.Join(dir, "wav.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := scenario.Load(filepath.Join(dir, "wav.yaml")); err == nil || !strings.Contains(err.Error(), "wav.yaml:6: plays: ") {
		t.Errorf("err = %v, want to be told that it is no WAV file", err)
	}
	if _, err := scenario.Load(t.TempDir()); err == nil || !strings.Contains(err.Error(), "there is no scene") {
		t.Errorf("err = %v, want to be told that there is no scene", err)
	}
}

// FuzzLoad checks that Parse returns, for any file, a playable scene, or
// problems of one line each with a file and a line.
func FuzzLoad(f *testing.F) {
	seeds, err := filepath.Glob("../../../testdata/scenarios/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range seeds {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(small))
	f.Add([]byte("title: [\n"))
	f.Add([]byte("story: [{after: \"turn.ended \\\"\"}]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, problems := scenario.Parse("s.yaml", text, func(string) ([]byte, error) { return []byte("name: Zora\n"), nil })
		for _, p := range problems {
			if p.File == "" || p.Line < 1 || p.What == "" || strings.Contains(p.String(), "\n") {
				t.Errorf("bad problem %+v", p)
			}
		}
		if len(problems) > 0 {
			return
		}
		if s.Title == "" || len(s.NPCs) == 0 || len(s.Story) == 0 || len(s.Expect) == 0 {
			t.Errorf("half a scene: %+v", s)
		}
		for _, n := range s.NPCs {
			if n.ID == "" || n.Name == "" {
				t.Errorf("an NPC without a name: %+v", n)
			}
		}
	})
}
