package espeak_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts/espeak"
)

// TestMain lets the test binary replace espeak-ng: the voice selects its behaviour.
func TestMain(m *testing.M) {
	if i := slices.Index(os.Args, "-v"); i > 0 && slices.Contains(os.Args, "--stdout") {
		// Unlike os.Exit, this writes no coverage message to stderr.
		syscall.Exit(fake(os.Args[i+1]))
	}
	goleak.VerifyTestMain(m)
}

const fakePrefix = "fake-"

// fake plays espeak-ng and returns its exit code.
func fake(voice string) int {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return 3
	}
	switch strings.TrimPrefix(voice, fakePrefix) {
	case "echo": // outputs the text and arguments as sound, one sample per byte
		writeSound(bytesAsSamples(string(text) + "\n" + strings.Join(os.Args[1:], " ")))
	case "complain":
		fmt.Fprintln(os.Stderr, "\x1b[31mno such", strings.Repeat("voice ", 10000))
		return 1
	case "mute": // no sound and no error
		return 7
	case "garbage":
		fmt.Print(strings.Repeat("not a wav file", 100))
	case "breaks-off":
		writeSound(make([]int16, 5000))
		fmt.Fprintln(os.Stderr, "out of breath")
		return 1
	case "env":
		writeSound(bytesAsSamples(strings.Join(os.Environ(), "\n")))
	case "child": // outputs its own process ID and that of a child that holds its stdout
		child := exec.Command(os.Args[0], "--stdout", "-v", fakePrefix+"hang")
		child.Stdin, child.Stdout, child.Stderr = strings.NewReader(""), os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			return 3
		}
		writeSound([]int16{int16(os.Getpid() >> 15), int16(os.Getpid() & 0x7fff),
			int16(child.Process.Pid >> 15), int16(child.Process.Pid & 0x7fff)})
		<-time.After(time.Hour)
	case "lingers": // exits, but a child of it holds its stderr
		child := exec.Command(os.Args[0], "--stdout", "-v", fakePrefix+"nap")
		child.Stdin, child.Stderr = strings.NewReader(""), os.Stderr
		if err := child.Start(); err != nil {
			return 3
		}
		writeSound(make([]int16, 5000))
	case "nap":
		<-time.After(2 * time.Second)
	case "second-try": // the first attempt ends without output
		mark, err := os.OpenFile(secondTry(os.Getppid()), os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			_ = mark.Close()
			return 7
		}
		writeSound(make([]int16, 5000))
	case "hang":
		<-time.After(time.Hour)
	}
	return 0
}

// secondTry is a file that marks that a process was started before.
func secondTry(pid int) string { return fmt.Sprintf("/tmp/espeak-second-try-%d", pid) }

func writeSound(samples []int16) {
	header := []byte("RIFF\x24\xf0\xff\x7fWAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00")
	header = binary.LittleEndian.AppendUint32(header, 22050)
	header = binary.LittleEndian.AppendUint32(header, 44100)
	header = append(header, "\x02\x00\x10\x00data\x00\xf0\xff\x7f"...)
	os.Stdout.Write(audio.AppendS16LE(header, samples))
}

func bytesAsSamples(s string) []int16 {
	samples := make([]int16, len(s))
	for i := range len(s) {
		samples[i] = int16(s[i])
	}
	return samples
}

func pretend() *espeak.Provider { return espeak.New(&espeak.Options{Path: os.Args[0]}) }

// collect speaks the whole text and checks every piece.
func collect(t *testing.T, p *espeak.Provider, text string, voice tts.Voice) ([]int16, error) {
	t.Helper()
	var all []int16
	for pcm, err := range p.Synthesize(t.Context(), text, voice) {
		if err != nil {
			return all, err
		}
		if n := len(pcm.Samples); n == 0 || n > pcm.Rate/10 {
			t.Errorf("piece of %d samples at %d Hz, want at most 100 ms", n, pcm.Rate)
		}
		all = append(all, pcm.Samples...)
	}
	return all, nil
}

func asText(samples []int16) string {
	b := make([]byte, len(samples))
	for i, s := range samples {
		b[i] = byte(s)
	}
	return string(b)
}

func TestTextTravelsOnStandardInput(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"plain", "Who goes there?", "Who goes there?"},
		{"looks_like_an_option", "-f /etc/passwd", "-f /etc/passwd"},
		{"shell", "$(reboot); `reboot`", "$(reboot); `reboot`"},
		{"phoneme_codes", "say [[h@l'oU]]", "say   h@l'oU]]"},
		{"control", "a\x00b\x1b[31mc\u202e", "abc"},
		{"long", strings.Repeat("On and on. ", 20000), strings.TrimSpace(strings.Repeat("On and on. ", 20000))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			samples, err := collect(t, pretend(), tt.text, tts.Voice{ID: fakePrefix + "echo"})
			if err != nil {
				t.Fatal(err)
			}
			got, args, _ := strings.Cut(asText(samples), "\n")
			if got != tt.want {
				t.Errorf("stdin = %.60q, want %.60q", got, tt.want)
			}
			if want := "--stdin --stdout -b 1 -v fake-echo -p 50 -s 175"; args != want {
				t.Errorf("arguments = %q, want %q", args, want)
			}
		})
	}
}

func TestNothingToSayStartsNothing(t *testing.T) {
	p := espeak.New(&espeak.Options{Path: "/no/such/program"})
	for _, text := range []string{"", " \n", "…", "\u200b", "—!"} {
		if samples, err := collect(t, p, text, tts.Voice{}); err != nil || len(samples) > 0 {
			t.Errorf("Synthesize(%q) = %d samples, %v; want nothing", text, len(samples), err)
		}
	}
}

func TestVoice(t *testing.T) {
	for _, tt := range []struct {
		name  string
		voice tts.Voice
		want  string // in the arguments; empty means refused
	}{
		{"default", tts.Voice{}, "-v en -p 50 -s 175"},
		{"language", tts.Voice{Language: "de-DE"}, "-v de-DE -p 50 -s 175"},
		{"underscore", tts.Voice{Language: "pt_BR"}, "-v pt-BR -p 50 -s 175"},
		{"id_wins", tts.Voice{ID: "en-us+m3", Language: "de"}, "-v en-us+m3 -p 50"},
		{"variant_of_language", tts.Voice{ID: "+f2", Language: "de"}, "-v de+f2 -p 50"},
		{"low_and_slow", tts.Voice{Pitch: 0.5, Speed: 0.5}, "-v en -p 0 -s 88"},
		{"high_and_fast", tts.Voice{Pitch: 2, Speed: 2}, "-v en -p 99 -s 350"},
		{"a_fifth_up", tts.Voice{Pitch: 1.5}, "-p 79 -s 175"},
		{"pitch_too_low", tts.Voice{Pitch: 0.49}, ""},
		{"pitch_negative", tts.Voice{Pitch: -1}, ""},
		{"pitch_not_a_number", tts.Voice{Pitch: math.NaN()}, ""},
		{"speed_too_high", tts.Voice{Speed: 2.1}, ""},
		{"speed_infinite", tts.Voice{Speed: math.Inf(1)}, ""},
		{"option_as_id", tts.Voice{ID: "-w/tmp/x"}, ""},
		{"path_as_id", tts.Voice{ID: "/etc/passwd"}, ""},
		{"way_out", tts.Voice{ID: "en/../../etc"}, ""},
		{"nul", tts.Voice{ID: "en\x00"}, ""},
		{"long", tts.Voice{ID: strings.Repeat("e", 65)}, ""},
		{"option_as_language", tts.Voice{Language: "-w"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args, err := espeak.Arguments(tt.voice)
			if tt.want == "" {
				if !errors.Is(err, espeak.ErrVoice) {
					t.Errorf("err = %v, want ErrVoice", err)
				}
				return
			}
			if got := strings.Join(args, " "); err != nil || !strings.Contains(got, tt.want) {
				t.Errorf("arguments = %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	for _, tt := range []struct {
		name, mode string
		samples    int
		says       string
	}{
		{"complains", "complain", 0, "no such voice"},
		{"mute", "mute", 0, "not a WAV file"},
		{"garbage", "garbage", 0, "not a WAV file"},
		{"breaks_off", "breaks-off", 5000, "out of breath"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			samples, err := collect(t, pretend(), "Hello.", tts.Voice{ID: fakePrefix + tt.mode})
			if !errors.Is(err, espeak.ErrFailed) || !strings.Contains(err.Error(), tt.says) {
				t.Fatalf("err = %v, want ErrFailed saying %q", err, tt.says)
			}
			if len(err.Error()) > 600 || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("error is not fit to print: %q", err)
			}
			if len(samples) != tt.samples {
				t.Errorf("samples before the error = %d, want %d", len(samples), tt.samples)
			}
		})
	}
}

func TestNotInstalled(t *testing.T) {
	p := espeak.New(&espeak.Options{Path: "/no/such/program"})
	if err := p.Available(); !errors.Is(err, espeak.ErrNotInstalled) || !strings.Contains(err.Error(), "apt-get install espeak-ng") {
		t.Errorf("Available = %v, want ErrNotInstalled with the fix", err)
	}
	if _, err := collect(t, p, "Hello.", tts.Voice{}); !errors.Is(err, espeak.ErrNotInstalled) {
		t.Errorf("Synthesize = %v, want ErrNotInstalled", err)
	}
	if err := pretend().Available(); err != nil {
		t.Errorf("Available = %v, want nil", err)
	}
}

func TestSecretsStayHome(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-very-secret")
	samples, err := collect(t, pretend(), "Hello.", tts.Voice{ID: fakePrefix + "env"})
	if err != nil {
		t.Fatal(err)
	}
	if env := asText(samples); strings.Contains(env, "sk-very-secret") || !strings.Contains(env, "PATH=") {
		t.Errorf("environment = %q, want PATH and no secret", env)
	}
}

func TestCancelledBeforehand(t *testing.T) {
	cause := errors.New("barged in")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	for _, err := range pretend().Synthesize(ctx, "Hello.", tts.Voice{}) {
		if !errors.Is(err, context.Canceled) || !errors.Is(err, cause) {
			t.Errorf("err = %v, want context.Canceled and its cause", err)
		}
	}
}
