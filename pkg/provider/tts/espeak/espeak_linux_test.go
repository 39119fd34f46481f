package espeak_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

// alive reports whether process pid exists and is not a zombie.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z")
}

// When the sequence returns, the process has been reaped and its child is dead.
func TestStoppingKillsTheProcessGroup(t *testing.T) {
	for _, tt := range []struct {
		name   string
		cancel bool
	}{{"cancel", true}, {"break", false}} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var pids []int16
			var stopped time.Time
			var last error
			for pcm, err := range pretend().Synthesize(ctx, "Hello.", tts.Voice{ID: fakePrefix + "child"}) {
				last = err
				pids = append(pids, pcm.Samples...)
				if len(pids) < 4 {
					continue
				}
				stopped = time.Now()
				if !tt.cancel {
					break
				}
				cancel()
			}
			if got := time.Since(stopped); got > 2*time.Second {
				t.Errorf("stopping took %v", got)
			}
			if want := tt.cancel; errors.Is(last, context.Canceled) != want {
				t.Errorf("err = %v, want cancelled: %v", last, want)
			}
			parent, child := int(pids[0])<<15|int(pids[1]), int(pids[2])<<15|int(pids[3])
			if _, err := os.Stat(fmt.Sprintf("/proc/%d", parent)); err == nil {
				t.Errorf("process %d is not reaped", parent)
			}
			for deadline := time.Now().Add(2 * time.Second); alive(child) && time.Now().Before(deadline); {
				runtime.Gosched()
			}
			if alive(child) {
				t.Errorf("child %d outlives the sequence", child)
			}
		})
	}
}

func TestDeadlineEndsAHangingProcess(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	var last error
	for _, err := range pretend().Synthesize(ctx, "Hello.", tts.Voice{ID: fakePrefix + "hang"}) {
		last = err
	}
	if !errors.Is(last, context.DeadlineExceeded) {
		t.Errorf("err = %v, want context.DeadlineExceeded", last)
	}
	if got := time.Since(start); got > 2*time.Second {
		t.Errorf("took %v", got)
	}
}

// TestOneFailureIsNoSilence checks that a busy machine costs no sentence, for example if
// a process closes its pipes late or cannot be started.
func TestOneFailureIsNoSilence(t *testing.T) {
	t.Cleanup(func() { _ = os.Remove(secondTry(os.Getpid())) })
	for _, voice := range []string{"lingers", "second-try"} {
		t.Run(voice, func(t *testing.T) {
			heard := 0
			for pcm, err := range pretend().Synthesize(t.Context(), "Hello.", tts.Voice{ID: fakePrefix + voice}) {
				if err != nil {
					t.Fatal(err)
				}
				heard += len(pcm.Samples)
			}
			if heard != 5000 {
				t.Errorf("%d samples were heard, want 5000", heard)
			}
		})
	}
}
