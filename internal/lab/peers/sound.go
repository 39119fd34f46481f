package peers

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Loudspeaker is a virtual sound device: the test's own PulseAudio server, and
// a recording of all its sound.
type Loudspeaker struct {
	server *os.Process

	mu  sync.Mutex
	raw bytes.Buffer
}

// NewLoudspeaker starts a device that plays the sound of every program of the
// test that uses PulseAudio or ALSA. It ends with the test. It changes the
// process's environment, so the test must not be parallel.
func NewLoudspeaker(t testing.TB) *Loudspeaker {
	t.Helper()
	l := &Loudspeaker{server: soundServer(t, "module-null-sink sink_name=ear rate=48000 channels=1")}
	record(t, l, 10*time.Millisecond, 1, "ear.monitor")
	l.await(t)
	return l
}

// Vanish stops the device abruptly. Another [NewLoudspeaker] may replace it.
func (l *Loudspeaker) Vanish(t testing.TB) {
	t.Helper()
	if err := l.server.Kill(); err != nil {
		t.Fatal(err)
	}
}

// Room is a virtual sound device with a loudspeaker, which plays the test's
// programs, and a microphone, which they record. Both are channels of one
// device, so that one clock times both recordings.
type Room struct {
	Loudspeaker
	mouth io.WriteCloser
}

// NewRoom starts a Room, like [NewLoudspeaker]. Its recording has 48,000 pairs
// of samples a second; the first of each pair is the microphone's.
func NewRoom(t testing.TB) *Room {
	t.Helper()
	left, right := " remix=no channels=1 channel_map=mono master_channel_map=front-left", " remix=no channels=1 channel_map=mono master_channel_map=front-right"
	server := soundServer(t,
		"module-null-sink sink_name=room rate=48000 channels=2 channel_map=front-left,front-right",
		"module-remap-sink sink_name=mouth master=room"+left,
		"module-remap-sink sink_name=ear master=room"+right,
		"module-remap-source source_name=mic master=room.monitor"+left)
	for _, args := range [][]string{{"set-default-sink", "ear"}, {"set-default-source", "mic"}} {
		if out, err := exec.Command("pactl", args...).CombinedOutput(); err != nil {
			t.Fatalf("pactl %q: %v: %s", args, err, out)
		}
	}
	r := &Room{Loudspeaker: Loudspeaker{server: server}}
	// No shorter than the programs' own latency, because the device would serve
	// them sooner, too.
	record(t, &r.Loudspeaker, 20*time.Millisecond, 2, "room.monitor")
	r.await(t)
	mouth := exec.Command("nice", "-n", "-15", "pacat", "--raw", "--format=s16le", "--channels=1", "--rate=48000", "--latency-msec=500", "-d", "mouth")
	in, err := mouth.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	r.mouth = in
	start(t, mouth)
	return r
}

// Say plays samples, 16 bits at 48 kHz, into the microphone after earlier ones.
// It blocks while more than a second is queued. A gap of that length causes an
// underrun.
func (r *Room) Say(samples []int16) error {
	raw := make([]byte, 0, 2*len(samples))
	for _, v := range samples {
		raw = binary.LittleEndian.AppendUint16(raw, uint16(v))
	}
	_, err := r.mouth.Write(raw)
	return err
}

// soundServer starts a PulseAudio server with modules for all programs of the
// test. It ends with the test.
func soundServer(t testing.TB, modules ...string) *os.Process {
	t.Helper()
	for _, name := range []string{"pulseaudio", "parec", "pactl"} {
		if _, err := exec.LookPath(name); err != nil {
			lacks(t, name+" is not installed")
		}
	}
	home := t.TempDir()
	socket := filepath.Join(home, "native")
	t.Setenv("HOME", home)
	t.Setenv("XDG_RUNTIME_DIR", home)
	t.Setenv("PULSE_SERVER", "unix:"+socket)
	alsa := "pcm.!default { type pulse }\nctl.!default { type pulse }\n"
	if err := os.WriteFile(filepath.Join(home, ".asoundrc"), []byte(alsa), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no"}
	for _, m := range append(modules, "module-native-protocol-unix auth-anonymous=1 socket="+socket) {
		args = append(args, "-L", m)
	}
	// The device gets priority over the programs where permitted, because it is
	// not under test.
	server := exec.Command("nice", append([]string{"-n", "-15", "pulseaudio"}, args...)...) // nice becomes pulseaudio
	start(t, server)
	for range 100 {
		if out, err := exec.Command("pactl", "list", "short", "sinks").CombinedOutput(); err == nil && strings.Contains(string(out), "ear") {
			return server.Process
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("PulseAudio does not answer")
	return nil
}

// record makes l record a source until the test ends.
func record(t testing.TB, l *Loudspeaker, latency time.Duration, channels int, source string) {
	t.Helper()
	ear := exec.Command("nice", "-n", "-15", "parec", "--raw", "--format=s16le", fmt.Sprintf("--channels=%d", channels), "--rate=48000",
		fmt.Sprintf("--latency-msec=%d", latency.Milliseconds()), "-d", source)
	ear.Stdout = l
	start(t, ear)
}

// start runs a program until the test ends.
func start(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
}

// await waits until the recording is silent.
func (l *Loudspeaker) await(t testing.TB) {
	t.Helper()
	for range 100 {
		if len(l.Heard()) > 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("parec records nothing")
}

// Write receives recorded sound.
func (l *Loudspeaker) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.raw.Write(b)
}

// Heard returns the recording so far, 16-bit samples at 48 kHz.
func (l *Loudspeaker) Heard() []int16 { return l.HeardBetween(0, math.MaxInt) }

// HeardBetween returns the recorded samples of a range, as far as they exist.
func (l *Loudspeaker) HeardBetween(from, to int) []int16 {
	l.mu.Lock()
	defer l.mu.Unlock()
	from, to = max(0, from), min(to, l.raw.Len()/2)
	heard := make([]int16, max(0, to-from))
	for i := range heard {
		heard[i] = int16(binary.LittleEndian.Uint16(l.raw.Bytes()[2*(from+i):]))
	}
	return heard
}

// Recorded returns the number of recorded samples.
func (l *Loudspeaker) Recorded() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.raw.Len() / 2
}
