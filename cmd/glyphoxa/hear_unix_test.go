//go:build unix

package main_test

import (
	"syscall"
	"testing"
)

// TestHearRefusesPipes checks that the program does not wait for a pipe without
// a writer.
func TestHearRefusesPipes(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	h.hears()
	if err := syscall.Mkfifo(h.path("fifo.wav"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name string
		args []string
		want string
	}{
		{"pipe", []string{"play", "--hear", "fifo.wav"}, "--hear fifo.wav: is no regular file"},
		{"device", []string{"play", "--hear", "/dev/zero"}, "--hear /dev/zero: is no regular file"},
		{"transcribed", []string{"transcribe", "fifo.wav"}, "fifo.wav: is no regular file"},
	} {
		t.Run(row.name, func(t *testing.T) { h.run("", row.args...).complains(t, 2, row.want) })
	}
}
