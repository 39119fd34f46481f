package main_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/fakestt"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// recording writes a WAV file of a tone into the house and returns its path.
func (h *program) recording(length time.Duration, rate int) string {
	h.t.Helper()
	path := h.path("said.wav")
	w, err := audio.CreateWAV(path, rate, 1)
	if err != nil {
		h.t.Fatal(err)
	}
	samples := make([]int16, int(length.Seconds()*float64(rate)))
	for i := range samples {
		samples[i] = int16(8000 * math.Sin(float64(i)/20))
	}
	if err := w.Write(samples); err != nil {
		h.t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		h.t.Fatal(err)
	}
	return path
}

// heardLine is one line of transcribe --json.
type heardLine struct {
	Kind      string  `json:"kind"`
	Text      string  `json:"text"`
	Error     string  `json:"error"`
	Utterance int     `json:"utterance"`
	AtMS      float64 `json:"at_ms"`
	LatencyMS float64 `json:"latency_ms"`
}

// heardLines reads the output of transcribe --json by kind.
func heardLines(t *testing.T, out string) map[string][]heardLine {
	t.Helper()
	all := map[string][]heardLine{}
	for line := range strings.Lines(out) {
		var h heardLine
		if err := json.Unmarshal([]byte(line), &h); err != nil {
			t.Fatalf("%q is no JSON: %v", line, err)
		}
		all[h.Kind] = append(all[h.Kind], h)
	}
	return all
}

const secretKey = "sk-transcribe-0123456789"

func TestTranscribe(t *testing.T) {
	t.Parallel()
	for _, vendor := range []struct{ name, path string }{{"deepgram", ""}, {"elevenlabs", ""}, {"openai", "/v1"}} {
		t.Run(vendor.name, func(t *testing.T) {
			t.Parallel()
			service := fakestt.Start(t, fakestt.Script{Lines: []string{"Bartok, a pint please!"}, Delay: 10 * time.Millisecond})
			h := newProgram(t)
			cfg := h.write("hearing.yaml", fmt.Sprintf("languages: [de]\nnpcs: [{name: Bartok}]\nproviders: {stt: {name: %s, api_key: %s, base_url: '%s'}}\n",
				vendor.name, secretKey, service.URL()+vendor.path))
			r := h.run("", "transcribe", h.recording(1500*time.Millisecond, 44100), "--fast", "--json", "--config", cfg).ok(t)
			got := heardLines(t, r.stdout)
			if f := got["final"]; len(f) != 1 || f[0].Text != "Bartok, a pint please!" || f[0].LatencyMS < 10 {
				t.Errorf("finals = %+v, want the line, after 10 ms", f)
			}
			sent := service.Requests()[0]
			if all := fmt.Sprint(sent.Query, sent.Form); !strings.Contains(all, "Bartok") || !strings.Contains(all, "de") {
				t.Errorf("the service was told %s, want the NPC's name and the language", all)
			}
			if n := service.Samples(); n < 23900 || n > 24100 {
				t.Errorf("the service got %d samples, want 1.5 s at 16 kHz", n)
			}
		})
	}
}

// TestTranscribeFallsBack transcribes a recording in real time with the second
// service, because the first one breaks.
func TestTranscribeFallsBack(t *testing.T) {
	t.Parallel()
	broken := fakestt.Start(t, fakestt.Script{Lines: []string{"Never heard"}, Fault: fakestt.Break})
	whole := fakestt.Start(t, fakestt.Script{Lines: []string{"Hold the door"}})
	h := newProgram(t)
	cfg := h.write("hearing.yaml", fmt.Sprintf("providers:\n  stt:\n    {name: deepgram, api_key: %s, base_url: '%s', fallback: [{name: elevenlabs, api_key: %s, base_url: '%s'}]}\n",
		secretKey, broken.URL(), secretKey, whole.URL()))
	began := time.Now()
	r := h.run("", "transcribe", h.recording(time.Second, 16000), "--json", "--config", cfg).ok(t)
	if took := time.Since(began); took < time.Second {
		t.Errorf("it took %s, want the recording's length at least", took)
	}
	got := heardLines(t, r.stdout)
	if f := got["final"]; len(f) != 1 || f[0].Text != "Hold the door" {
		t.Errorf("finals = %+v, want the second service's", f)
	}
	if s := got["switch"]; len(s) != 1 || s[0].Text != "deepgram → elevenlabs" || s[0].Error == "" {
		t.Errorf("switches = %+v, want one with its reason", s)
	}
	if n := whole.Samples(); n != 16000 {
		t.Errorf("the second service got %d samples, want all 16000", n)
	}
}

func TestTranscribeRefuses(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	service := fakestt.Start(t, fakestt.Script{Fault: fakestt.Unauthorized})
	deaf := h.write("hearing.yaml", "providers: {stt: none}\n")
	good := h.recording(time.Second, 16000)
	wrong := h.write("refused.yaml", fmt.Sprintf("providers: {stt: {name: deepgram, api_key: %s, base_url: '%s'}}\n", secretKey, service.URL()))
	rows := []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no_file", nil, 2, "takes one WAV file"},
		{"missing_file", []string{"nowhere.wav"}, 2, "glyphoxa: nowhere.wav: no such file"},
		{"directory", []string{"."}, 2, "glyphoxa: .: is a directory"},
		{"not_wav", []string{deaf}, 2, "not a WAV file"},
		{"no_provider", []string{good, "--config", deaf}, 2, "set providers.stt"},
		{"wrong_key", []string{good, "--fast", "--config", wrong}, 1, "could not be transcribed"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			r := h.run("", append([]string{"transcribe"}, row.args...)...)
			if r.code != row.code || !strings.Contains(r.stderr, row.want) {
				t.Errorf("exit %d, %q, want %d and %q", r.code, r.stderr, row.code, row.want)
			}
			if remedy := "check its api_key in providers.stt"; row.name == "wrong_key" && !strings.Contains(r.stdout, remedy) {
				t.Errorf("it says %s, want %q", r.stdout, remedy)
			}
			if strings.Contains(r.stdout+r.stderr, secretKey) {
				t.Errorf("the key shows: %s%s", r.stdout, r.stderr)
			}
		})
	}
}
