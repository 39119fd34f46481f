package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
	"github.com/MrWong99/glyphoxa/internal/lab/peers"
)

// manyEngines is the line with which scenes name all engines.
const manyEngines = "engines: [cascaded, sentence_cascade, s2s]"

// sceneFile copies a scene of testdata/scenarios into the working directory,
// restricted to the engines of its NPCs, and replaces old by new.
func (h *program) sceneFile(name string, oldnew ...string) string {
	h.t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "scenarios", name))
	if err != nil {
		h.t.Fatal(err)
	}
	replaced := strings.NewReplacer(oldnew...).Replace(string(text))
	if len(oldnew) > 0 && replaced == string(text) {
		h.t.Fatalf("%s holds none of %q", name, oldnew)
	}
	h.write(name, strings.Replace(replaced, manyEngines, "", 1))
	return name
}

func TestScenarioRun(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	good := h.sceneFile("answer_fast.yaml")
	r := h.run("scenario", "run", good).ok(t)
	for _, want := range []string{
		"ok   A player speaks and the NPC answers (answer_fast.yaml", "answer_fast.yaml:21: outcomes: delivered", "1 scenes, ", ": 0 failed",
	} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("stdout has no %q:\n%s", want, r.stdout)
		}
	}
	bad := h.sceneFile("cough_does_not_stop_the_npc.yaml", "outcomes: [delivered]", "outcomes: [barged]")
	h.run("scenario", "run", good, bad).complains(t, 1, "1 of ", " expectations failed")
	if r := h.run("scenario", "run", bad); !strings.Contains(r.stdout, `  FAIL cough_does_not_stop_the_npc.yaml:20: outcomes: barged: got ["delivered"]`) {
		t.Errorf("stdout =\n%s\nwant the expectation that failed, with its line", r.stdout)
	}
	two := h.sceneFile("answer_fast.yaml", manyEngines, "engines: [sentence_cascade, cascaded]")
	r = h.run("scenario", "run", "--wav-out", "heard", two).ok(t)
	for _, want := range []string{"ok   A player speaks and the NPC answers [sentence_cascade] (answer", "ok   A player speaks and the NPC answers [cascaded] (answer", "2 scenes, "} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("stdout has no %q:\n%s", want, r.stdout)
		}
	}
	for _, engine := range []string{"cascaded", "sentence_cascade"} {
		if _, err := os.Stat(h.path("heard/answer_fast." + engine + ".wav")); err != nil {
			t.Error(err)
		}
	}
}

func TestScenarioRunJSON(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	r := h.run("scenario", "run", "--json", "--wav-out", "heard", h.sceneFile("barge_in_stops_within_the_confirm_window.yaml")).ok(t)
	kinds := map[string]int{}
	for line := range strings.Lines(r.stdout) {
		var e struct {
			Kind, Expect, File string
			OK                 bool
			Line               int
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%q is no JSON: %v", line, err)
		}
		kinds[e.Kind]++
		if e.Kind == "verdict" && (!e.OK || e.Expect == "" || e.File == "") {
			t.Errorf("verdict %s", line)
		}
	}
	if kinds["turn.ended"] != 2 || kinds["barge"] != 1 || kinds["verdict"] < 6 || kinds["voice.off"] == 0 {
		t.Errorf("kinds = %v, want the events, what the stage saw and the verdicts", kinds)
	}
	if info, err := os.Stat(h.path("heard/barge_in_stops_within_the_confirm_window.wav")); err != nil || info.Size() < 100_000 {
		t.Errorf("the sound: %v, %v, want seconds of it", info, err)
	}
}

// TestScenarioOverAudioWithAFailingSynthesiser checks that a synthesiser that
// fails in one scene fails only that scene.
func TestScenarioOverAudioWithAFailingSynthesiser(t *testing.T) {
	t.Parallel()
	program := peers.Program(t, "espeak-ng")
	h := newProgram(t)
	h.write("espeak-ng", "#!/bin/sh\ntext=$(cat)\ncase $text in *xyzzy*) echo 'no room for phonemes' >&2; exit 3;; esac\nprintf %s \"$text\" | "+program+" \"$@\"\n")
	if err := os.Chmod(h.path("espeak-ng"), 0o700); err != nil {
		t.Fatal(err)
	}
	h.set("PATH", h.dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	scene := "title: %s\nproves: x\nnpcs: [{name: Bart}, {name: Mira}]\nstory:\n  - {who: Ana, says: %s}\nexpect:\n  - {absent: barge, before: end}\n"
	h.write("bad.yaml", fmt.Sprintf(scene, "Bad", "What a xyzzy."))
	h.write("good.yaml", fmt.Sprintf(scene, "Good", "What a day."))
	r := h.run("scenario", "run", "--audio", "bad.yaml", "good.yaml")
	r.complains(t, 1, " expectations failed")
	for _, want := range []string{"FAIL Bad (bad.yaml", "speaking for Ana: ", "no room for phonemes", "ok   Good (good.yaml", "2 scenes, "} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("stdout has no %q:\n%s", want, r.stdout)
		}
	}
}

func TestScenarioComplaints(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	h.write("typo.yaml", "titel: x\n")
	if r := h.run("scenario", "run", "typo.yaml"); r.code != 2 || !strings.Contains(r.stderr, `typo.yaml:1: unknown key "titel"; did you mean "title"?`) {
		t.Errorf("exit code %d, stderr %q, want the place and the remedy", r.code, r.stderr)
	}
	h.run("scenario", "run").complains(t, 2, "takes scene files")
	if r := h.run("scenario", "check", "typo.yaml"); r.code != 2 || !strings.Contains(r.stderr, `did you mean "title"?`) {
		t.Errorf("exit code %d, stderr %q, want the place and the remedy", r.code, r.stderr)
	}
	scene := h.sceneFile("answer_fast.yaml")
	if r := h.run("scenario", "check", scene).ok(t); !strings.HasPrefix(r.stdout, scene+" is fine: ") {
		t.Errorf("stdout = %q, want that the scene is fine", r.stdout)
	}
	h.run("scenario", "run", "nowhere.yaml").complains(t, 2, "nowhere.yaml:1: there is no such file")
	h.run("scenario", "run", "--wav-out", "", "typo.yaml").complains(t, 2, "--wav-out has no value")
	h.run("scenario", "run", "--config", "nowhere.yaml", "typo.yaml").complains(t, 2, "nowhere.yaml:1: there is no such file")
	h.run("scenario", "run", "--judge", h.sceneFile("refuses_in_character.yaml")).complains(t, 2, "--judge needs a language model")
}

// TestScenarioWithoutTemporaryFiles checks that the command prints one line and
// no verdict if it cannot write temporary files.
func TestScenarioWithoutTemporaryFiles(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	h.set("TMPDIR", h.path("nowhere"))
	r := h.run("scenario", "run", h.sceneFile("answer_fast.yaml"))
	r.complains(t, 1, "answer_fast.yaml: setting the stage: ", "nowhere: no such file or directory")
	if r.stdout != "" {
		t.Errorf("stdout = %q, want nothing", r.stdout)
	}
}

func TestScenarioJudge(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, says, want string
		code             int
	}{
		{"meets", "YES. She refuses as a witch would.", "judge: answers in character and refuses: YES.", 0},
		{"does_not", "No, she agrees.", "FAIL refuses_in_character.yaml:11: judge: ", 1},
		{"no_opinion", "Perhaps.", "said neither yes nor no", 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			server := fakeopenai.Start(t, fakeopenai.Always(fakeopenai.Say(row.says)), nil)
			h := newProgram(t)
			h.write("glyphoxa.yaml", "providers: {llm: {name: openai, base_url: "+server.URL()+", model: m, api_key: k}}\n")
			r := h.run("scenario", "run", "--judge", h.sceneFile("refuses_in_character.yaml"))
			if r.code != row.code || !strings.Contains(r.stdout, row.want) {
				t.Errorf("exit code %d, stdout\n%s\nwant %d and %q", r.code, r.stdout, row.code, row.want)
			}
			asked := server.ChatRequests()
			if len(asked) != 1 || !strings.Contains(asked[0].Chat.Messages[1].Text(), "I obey no one, child.") {
				t.Errorf("the judge was asked %d times, want once, with the answer", len(asked))
			}
		})
	}
	h := newProgram(t)
	if r := h.run("scenario", "run", h.sceneFile("refuses_in_character.yaml")).ok(t); !strings.Contains(r.stdout, "skip refuses_in_character.yaml:11: judge: ") {
		t.Errorf("stdout =\n%s\nwant the opinion skipped", r.stdout)
	}
}
