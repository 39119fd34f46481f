package main_test

import (
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// needEspeak makes espeak-ng available to the house.
func needEspeak(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("espeak-ng"); err != nil {
		lacks(t, "espeak-ng is not installed")
	}
}

// heard reads a WAV file and returns its length and its loudness, the root mean
// square of samples between -1 and 1.
func (h *program) heard(name string) (length time.Duration, loudness float64) {
	h.t.Helper()
	f, err := os.Open(h.path(name))
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	wav, err := audio.ReadWAV(f)
	if err != nil {
		h.t.Fatalf("reading %s: %v", name, err)
	}
	samples := wav.Mono()
	sum := 0.0
	for _, s := range samples {
		sum += float64(s) * float64(s) / (1 << 30)
	}
	return audio.Duration(len(samples), wav.Rate), math.Sqrt(sum / math.Max(1, float64(len(samples))))
}

// TestVoiceIsHeard checks the file of --wav: the answers' sound at the times
// when they began.
func TestVoiceIsHeard(t *testing.T) {
	t.Parallel()
	needEspeak(t)
	h := newProgram(t)
	tr := parse(t, h.run("Bartok, good evening!\nGreymantle, roll 2d6+3\n", "play", "--json", "--wav", "evening.wav").ok(t).stdout)
	for _, tn := range tr.want(2) {
		started := tn.of("audio.started")
		if len(started) != 1 || started[0].NPC != tn.ended.NPC {
			t.Fatalf("audio.started = %+v, want one by %s", started, tn.ended.NPC)
		}
		if said := tn.of("sentence")[0]; said.Time.Before(started[0].Time) {
			t.Errorf("turn %d: the first sentence was delivered before its first sound", tn.ended.Turn)
		}
		if l := tn.ledger; l.TTSFirstAudioMS <= 0 || l.FirstSoundMS < l.TTSFirstAudioMS || l.TotalMS < l.FirstSoundMS {
			t.Errorf("turn %d: ledger %+v, want the voice within the first sound within the total", tn.ended.Turn, l)
		}
	}
	length, loudness := h.heard("evening.wav")
	if length < 2*time.Second || length > time.Minute || loudness < 0.01 {
		t.Errorf("the WAV lasts %s at loudness %.4f, want two spoken answers", length, loudness)
	}
}

// TestVoiceOverTheNetwork uses the voice of a speech service.
func TestVoiceOverTheNetwork(t *testing.T) {
	t.Parallel()
	h, server := newModelProgram(t, fakeopenai.Always(fakeopenai.Say("The ferry leaves at dawn.")))
	h.set("VOICE", "openai")
	h.set("VOICE_URL", server.URL())
	tr := parse(t, h.run("Mira, when do we leave?\n", "play", "--json", "--wav", "out.wav").ok(t).stdout)
	if tn := tr.only("delivered"); len(tn.of("audio.started")) != 1 {
		t.Errorf("audio.started = %+v, want one", tn.of("audio.started"))
	}
	if length, loudness := h.heard("out.wav"); length < 100*time.Millisecond || loudness < 0.01 {
		t.Errorf("the WAV lasts %s at loudness %.4f, want sound", length, loudness)
	}
}

// TestVoiceFails checks that text continues when the voice fails.
func TestVoiceFails(t *testing.T) {
	t.Parallel()
	h, _ := newModelProgram(t, fakeopenai.Always(fakeopenai.Say("The ferry leaves at dawn. Be early.")))
	h.set("VOICE", "openai")
	h.set("VOICE_URL", "http://127.0.0.1:1/v1") // no server listens here
	tr := parse(t, h.run("Mira, when do we leave?\n", "play", "--json", "--wav", "out.wav").ok(t).stdout)
	if tn := tr.only("delivered"); tn.ended.Text != "The ferry leaves at dawn. Be early." {
		t.Errorf("said %q, want all of it", tn.ended.Text)
	}
	tr.noticed("warning", "the voice failed")
}

// TestNoVoice runs plays without a voice: they say why and leave an empty,
// valid file.
func TestNoVoice(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name, voice, path string
		args              []string
		notice            string
	}{
		{"silence was chosen", "silent", os.Getenv("PATH"), []string{"--wav", "out.wav"}, "providers.tts is silent"},
		{"nothing is installed", "auto", "/nonexistent", []string{"--wav", "out.wav"}, "espeak-ng"},
		{"no player is installed", "silent", "/nonexistent", []string{"--voice"}, "you will not hear the NPCs: no program that plays sound was found"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			h, _ := newModelProgram(t, fakeopenai.Always(fakeopenai.Say("Aye.")))
			h.set("VOICE", row.voice)
			h.set("PATH", row.path)
			tr := parse(t, h.run("Mira, can we cross?\n", append([]string{"play", "--json"}, row.args...)...).ok(t).stdout)
			tr.only("delivered")
			if got := strings.Join(tr.notices("info"), "\n"); !strings.Contains(got, row.notice) {
				t.Errorf("notices = %q, want %q", got, row.notice)
			}
			if row.args[0] != "--wav" {
				return
			}
			if length, _ := h.heard("out.wav"); length != 0 {
				t.Errorf("the WAV lasts %s, want nothing", length)
			}
		})
	}
}
