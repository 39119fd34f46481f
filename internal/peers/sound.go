package peers

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Loudspeaker is a sound device that nobody sees: a PulseAudio server of the test's own,
// and a recording of all that sounds there.
type Loudspeaker struct {
	mu  sync.Mutex
	raw bytes.Buffer
}

// NewLoudspeaker starts one, which is where every program of the test that plays sound
// through PulseAudio or ALSA is heard. It ends with the test. The environment is the
// process's: the test must not be parallel.
func NewLoudspeaker(t testing.TB) *Loudspeaker {
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
	server := exec.Command("pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
		"-L", "module-null-sink sink_name=ear rate=48000 channels=1", "-L", "module-native-protocol-unix auth-anonymous=1 socket="+socket)
	start(t, server)
	for range 100 {
		if out, err := exec.Command("pactl", "list", "short", "sinks").CombinedOutput(); err == nil && strings.Contains(string(out), "ear") {
			l := &Loudspeaker{}
			ear := exec.Command("parec", "--raw", "--format=s16le", "--channels=1", "--rate=48000", "--latency-msec=10", "-d", "ear.monitor")
			ear.Stdout = l
			start(t, ear)
			l.await(t)
			return l
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("PulseAudio does not answer")
	return nil
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

// await returns once it is heard that nothing sounds.
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

// Write takes what sounds.
func (l *Loudspeaker) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.raw.Write(b)
}

// Heard returns what has sounded so far, 16-bit samples at 48 kHz.
func (l *Loudspeaker) Heard() []int16 {
	l.mu.Lock()
	defer l.mu.Unlock()
	heard := make([]int16, l.raw.Len()/2)
	for i := range heard {
		heard[i] = int16(binary.LittleEndian.Uint16(l.raw.Bytes()[2*i:]))
	}
	return heard
}
