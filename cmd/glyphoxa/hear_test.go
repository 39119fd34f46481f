package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/fakestt"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// heardEvent is a line of "play --json" of a play with speaking players.
type heardEvent struct {
	event
	Spoken bool `json:"spoken"`
}

// heardPlay groups the output of such a play by kind.
func heardPlay(t *testing.T, stdout string) map[string][]heardEvent {
	t.Helper()
	all := map[string][]heardEvent{}
	for line := range strings.Lines(stdout) {
		var e heardEvent
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%q is no JSON: %v", line, err)
		}
		all[e.Kind] = append(all[e.Kind], e)
	}
	return all
}

// says writes a WAV file of a player's voice into the house and returns its
// name. The text may hold SSML.
func (h *program) says(name, text string) string {
	h.t.Helper()
	cmd := exec.Command("espeak-ng", "-m", "-v", "en-gb", "-w", h.path(name), text)
	if out, err := cmd.CombinedOutput(); err != nil {
		h.t.Fatalf("espeak-ng: %v\n%s", err, out)
	}
	return name
}

// hears configures speech recognition that returns lines, one per connection,
// in order.
func (h *program) hears(lines ...string) *fakestt.Server {
	h.t.Helper()
	service := fakestt.Start(h.t, fakestt.Script{Lines: lines, Delay: 20 * time.Millisecond, GoesOn: 600 * time.Millisecond})
	h.write("glyphoxa.yaml", fmt.Sprintf("languages: [en]\nproviders: {stt: {name: deepgram, api_key: %s, base_url: '%s'}}\n"+
		"npcs:\n  - name: Bartok\n    lines:\n      greeting: [\"Stout, and nothing else.\"]\n      smalltalk: [\"Stout, as ever.\"]\n      unknown: [\"Who knows.\"]\n  - name: Mira\n", secretKey, service.URL()))
	h.secrets = append(h.secrets, secretKey)
	return service
}

// answered requires that a player's words were heard and answered, and that the
// turn's times add up.
func answered(t *testing.T, all map[string][]heardEvent, speaker, text, npc string) {
	t.Helper()
	i := slices.IndexFunc(all["utterance"], func(e heardEvent) bool { return e.Speaker == speaker })
	if i < 0 {
		t.Fatalf("nothing was heard of %s: %+v", speaker, all)
	}
	said := all["utterance"][i]
	if !said.Spoken || said.Text != text {
		t.Errorf("utterance = %+v, want %q, spoken", said, text)
	}
	i = slices.IndexFunc(all["turn.ended"], func(e heardEvent) bool { return e.Turn == said.Turn })
	if i < 0 {
		t.Fatalf("turn %d did not end: %+v", said.Turn, all)
	}
	ended := all["turn.ended"][i]
	var l ledger
	if err := json.Unmarshal(ended.Ledger, &l); err != nil {
		t.Fatal(err)
	}
	if ended.NPC != npc || ended.Outcome != "delivered" || ended.Text == "" {
		t.Errorf("turn.ended = %+v, want an answer by %s", ended, npc)
	}
	// A recorder that delivers all sound at once is heard faster than real
	// time.
	if l.EndpointMS < 100 || l.FirstSoundMS < l.EndpointMS+l.STTFinalMS {
		t.Errorf("ledger = %+v, want at least 100 ms until the end was certain, and that and the transcript before the first sound", l)
	}
}

// TestHearRecording plays a recorded player in real time and checks the answer.
func TestHearRecording(t *testing.T) {
	t.Parallel()
	needEspeak(t)
	const line = "Bartok, what do you drink?"
	h := newProgram(t)
	service := h.hears(line)
	file := h.says("said.wav", line)
	length, _ := h.heard(file)
	r := h.run("", "play", "--json", "--speaker", "Ana", "--hear", file, "--wav", "out.wav").ok(t)
	all := heardPlay(t, r.stdout)
	answered(t, all, "Ana", line, "Bartok")
	if n := len(all["turn.ended"]); n != 1 {
		t.Errorf("there were %d turns, want one", n)
	}
	if len(all["audio.started"]) != 1 {
		t.Errorf("audio.started = %+v, want one", all["audio.started"])
	}
	if r.took < length {
		t.Errorf("it took %s, want the recording's %s at least", r.took, length)
	}
	heard := audio.Duration(service.Samples(), fakestt.Rate)
	if heard < length/2 || heard > length+3*time.Second {
		t.Errorf("the service got %s of %s of speech", heard, length)
	}
}

// TestHearNothing plays a recording without recognised words: the play ends and
// says that it heard none.
func TestHearNothing(t *testing.T) {
	t.Parallel()
	needEspeak(t)
	h := newProgram(t)
	h.hears("")
	file := h.says("said.wav", "Bartok, what do you drink?")
	r := h.run("", "play", "--json", "--hear", "Ana="+file).ok(t)
	all := heardPlay(t, r.stdout)
	if n := len(all["utterance"]) + len(all["turn.ended"]); n > 0 {
		t.Errorf("there were %d events of turns, want none: %+v", n, all)
	}
	if !slices.ContainsFunc(all["notice"], func(e heardEvent) bool {
		return strings.HasPrefix(e.Text, "the NPCs heard no words from Ana (said.wav)")
	}) {
		t.Errorf("notices = %+v, want one that no words were heard", all["notice"])
	}
}

// TestHearTwoPlayers checks that each player has a seat, beside typed lines.
func TestHearTwoPlayers(t *testing.T) {
	t.Parallel()
	needEspeak(t)
	h := newProgram(t)
	h.hears("Bartok, good evening!")
	ana, ben := h.says("ana.wav", "Bartok, good evening!"), h.says("ben.wav", "Bartok, good evening!")
	all := heardPlay(t, h.run("/listen\nMira, hello!\n", "play", "--json", "--hear", "Ana="+ana, "--hear", "Ben="+ben).ok(t).stdout)
	answered(t, all, "Ana", "Bartok, good evening!", "Bartok")
	answered(t, all, "Ben", "Bartok, good evening!", "Bartok")
	if n := len(all["turn.ended"]); n != 3 {
		t.Errorf("there were %d turns, want one for each player and one for the typed line", n)
	}
	for _, words := range []string{"the NPCs hear Ana from ana.wav", "Ben (ben.wav): ", " late transcripts"} {
		if !slices.ContainsFunc(all["notice"], func(e heardEvent) bool { return strings.Contains(e.Text, words) }) {
			t.Errorf("no notice says %q: %+v", words, all["notice"])
		}
	}
}

// recorder puts a program called parec first in PATH: it writes the sound of a
// WAV file and then runs a line of a shell script.
func (h *program) recorder(wav, then string) {
	h.t.Helper()
	if runtime.GOOS == "windows" {
		h.t.Skip("the recorder is a shell script")
	}
	f, err := os.Open(h.path(wav))
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	sound, err := audio.ReadWAV(f)
	if err != nil {
		h.t.Fatal(err)
	}
	r, err := audio.NewResampler(sound.Rate, audio.SampleRate)
	if err != nil {
		h.t.Fatal(err)
	}
	h.write("sound.raw", string(audio.AppendS16LE(nil, r.Flush(r.Process(nil, sound.Mono())))))
	script := h.write("bin/parec", "#!/bin/sh\ncat sound.raw\n"+then+"\n")
	if err := os.Chmod(script, 0o755); err != nil {
		h.t.Fatal(err)
	}
	h.set("PATH", filepath.Dir(script)+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// TestHearMicrophone has a player at this machine's microphone, whose recorder
// dies. The program reports that and answers what was recorded, in either
// order, and the play continues with typed lines.
func TestHearMicrophone(t *testing.T) {
	t.Parallel()
	needEspeak(t)
	const line = "Bartok, what do you drink?"
	h := newProgram(t)
	h.hears(line)
	h.recorder(h.says("said.wav", line), "echo 'parec: connection refused' >&2; exit 3")
	s := h.start("play", "--json", "--hear", "mic")
	s.readAll("can no longer hear Player: parec ended: parec: connection refused", `"npc":"Bartok","outcome":"delivered"`)
	s.say("Mira, are you there?")
	s.read(`"npc":"Mira","outcome":"delivered"`)
	r := s.leave().ok(t)
	answered(t, heardPlay(t, r.stdout), "Player", line, "Bartok")
}

// TestHearEndsWithThePlay checks that the end of a play stops the recorder,
// even if a child of the recorder still holds its output.
func TestHearEndsWithThePlay(t *testing.T) {
	t.Parallel()
	needEspeak(t)
	for _, row := range []struct {
		name  string
		leave func(*testing.T, *session)
	}{
		{"quit", func(_ *testing.T, s *session) { s.say("/quit") }},
		{"interrupt", func(t *testing.T, s *session) {
			if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			h := newProgram(t)
			h.hears("Mira, good evening!")
			h.recorder(h.says("said.wav", "Mira, good evening!"), "sleep 30 & exec sleep 30")
			s := h.start("play", "--json", "--hear", "mic")
			s.read(`"kind":"turn.ended"`)
			row.leave(t, s)
			r := s.ended().ok(t)
			if r.took > time.Minute || strings.Contains(r.stdout, "not heard any more") {
				t.Errorf("leaving took %s and told of the recorder's end; it said:\n%s", r.took, r.stdout)
			}
		})
	}
}

// TestHearInterrupts lets a player interrupt an NPC's spoken answer.
func TestHearInterrupts(t *testing.T) {
	t.Parallel()
	needEspeak(t)
	if runtime.GOOS == "windows" {
		t.Skip("the player of sound is a shell script")
	}
	h := newProgram(t)
	h.hears("Bartok, what do you drink?", "Bartok, hold on a moment!")
	long := "Stout, " + strings.Repeat("and stout, and more stout, ", 14) + "and water."
	cfg, err := os.ReadFile(h.path("glyphoxa.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	h.write("glyphoxa.yaml", strings.Replace(string(cfg), "    lines:\n", "    topics: [{intents: [drink], lines: {en: [\""+long+"\"]}}]\n    lines:\n", 1))
	said := h.says("said.wav", `<speak>Bartok, what do you drink?<break time="2500ms"/>Bartok, hold on a moment, I beg you!</speak>`)
	script := h.write("bin/pacat", "#!/bin/sh\nexec cat >/dev/null\n")
	if err := os.Chmod(script, 0o755); err != nil {
		t.Fatal(err)
	}
	h.set("PATH", filepath.Dir(script)+string(os.PathListSeparator)+os.Getenv("PATH"))
	all := heardPlay(t, h.run("", "play", "--json", "--voice", "--hear", "Ana="+said).ok(t).stdout)
	if b := all["barge"]; len(b) != 1 || b[0].NPC != "Bartok" || b[0].Speaker != "Ana" {
		t.Errorf("barge = %+v, want one by Ana against Bartok", b)
	}
	var got []string
	for _, e := range all["turn.ended"] {
		got = append(got, e.NPC+" "+e.Outcome)
	}
	if want := []string{"Bartok barged", "Bartok delivered"}; !slices.Equal(got, want) {
		t.Errorf("the turns ended %q, want %q", got, want)
	}
}

func TestHearRefuses(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	h.hears()
	tone := h.recording(time.Second, 16000)
	link := h.path("link.wav")
	if err := os.Link(tone, link); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(tone)
	if err != nil {
		t.Fatal(err)
	}
	text := h.write("notes.txt", "no sound")
	deaf := h.write("deaf.yaml", "providers: {stt: none}\nnpcs: [{name: Mira}]\n")
	h.set("PATH", t.TempDir())
	rows := []struct {
		name string
		args []string
		want string
	}{
		{"no_recognition", []string{"--hear", tone, "--config", deaf}, "--hear: there is no speech recognition; set providers.stt, or OPENAI_API_KEY"},
		{"no_file", []string{"--hear", "nowhere.wav"}, "glyphoxa: --hear nowhere.wav: no such file"},
		{"directory", []string{"--hear", "Ana=."}, "glyphoxa: --hear Ana=.: is a directory"},
		{"written_too", []string{"--hear", "Ana=" + tone, "--wav", link}, "Ana is heard from this file; choose another"},
		{"no_recording", []string{"--hear", text}, "not a WAV file"},
		{"no_recorder", []string{"--hear", "mic"}, "no program that records sound was found; install one"},
		{"nobody", []string{"--hear", "=" + tone}, "name the player and the source, such as Ana=ana.wav"},
		{"from_nowhere", []string{"--hear", "Ana="}, "name the player and the source"},
		{"one_player_twice", []string{"--hear", tone, "--hear", tone}, "Player is already heard; give each player a name"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			h.run("", append([]string{"play"}, row.args...)...).complains(t, 2, row.want)
		})
	}
	if after, err := os.ReadFile(tone); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the recording has %d bytes, %v; want the %d it had", len(after), err, len(before))
	}
	if out := h.run("/listen\n", "play").ok(t).stdout; !strings.Contains(out, "the NPCs cannot hear anyone; start with --hear mic") {
		t.Errorf("/listen without a player says %s", out)
	}
}
