//go:build unix

package terminal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// TestDeafPlayerHoldsNobodyUp checks that a player that reads no sound does not block the
// table.
func TestDeafPlayerHoldsNobodyUp(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\nexec sleep 600\n"
	if err := os.WriteFile(filepath.Join(dir, "pacat"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	p, err := startPlayer()
	if err != nil {
		t.Fatal(err)
	}
	second := make([]int16, audio.SampleRate) // more than a pipe holds
	reason := errors.New("barged in")
	for range 2 { // the second time after an interruption
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(10*time.Millisecond, func() { cancel(reason) })
		for err = p.Write(ctx, second); err == nil; err = p.Write(ctx, second) {
		}
		if !errors.Is(err, reason) {
			t.Errorf("Write = %v, want the cause of the cancellation", err)
		}
	}
	if err := p.cmd.Process.Signal(syscall.SIGKILL); err != nil { // as Close does after a while
		t.Fatal(err)
	}
	if err := p.Close(); err == nil {
		t.Error("Close hides that the player was killed")
	}
}

func TestWAVGoesToRegularFilesOnly(t *testing.T) {
	dir := t.TempDir()
	if _, err := createWAV(dir); !errors.Is(err, userfile.ErrUsage) {
		t.Errorf("a directory: err = %v, want wrong usage", err)
	}
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := createWAV(fifo); !errors.Is(err, userfile.ErrUsage) {
		t.Errorf("a FIFO: err = %v, want wrong usage", err)
	}
	w, err := createWAV(filepath.Join(dir, "a.wav"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(t.Context(), make([]int16, 960)), w.Close()); err != nil {
		t.Error(err)
	}
}
