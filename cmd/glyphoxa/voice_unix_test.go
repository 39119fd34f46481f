//go:build unix

package main_test

import (
	"os"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
)

// program writes a shell script into the working directory, the only directory
// in PATH.
func (h *program) program(name, script string) {
	h.t.Helper()
	h.write(name, "#!/bin/sh\n"+script+"\n")
	if err := os.Chmod(h.path(name), 0o700); err != nil {
		h.t.Fatal(err)
	}
	h.set("PATH", h.dir)
}

// TestVoiceWithoutASoundDevice plays aloud with a player program that fails at
// once or after a while: the play continues in text, and one notice says what
// to do.
func TestVoiceWithoutASoundDevice(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"at once":       "echo 'Connection failure: Connection refused' >&2\nexit 1",
		"after a while": "/usr/bin/head -c 30000 >/dev/null\necho 'Connection failure: Connection refused' >&2\nexit 1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answers := []string{"The ferry leaves at dawn. Be early, and bring the horse.", "Then we row until noon. After that you are on your own."}
			h, server := newModelProgram(t, fakeopenai.Sequence(fakeopenai.Say(answers[0]), fakeopenai.Say(answers[1])))
			h.set("VOICE", "openai")
			h.set("VOICE_URL", server.URL())
			h.program("pacat", script)
			tr := parse(t, h.run("Mira, when do we leave?\nMira, and then?\n", "play", "--json", "--voice").ok(t).stdout)
			for i, tn := range tr.want(2) {
				if tn.ended.Outcome != "delivered" || tn.ended.Text != answers[i] {
					t.Errorf("turn.ended = %+v, want all of %q delivered", tn.ended, answers[i])
				}
			}
			told := tr.notices("warning")
			if len(told) != 1 || !strings.Contains(told[0], "pacat: Connection failure: Connection refused") || !strings.Contains(told[0], "--wav") {
				t.Errorf("people were told %q, want once, with the reason and what to do", told)
			}
		})
	}
}

// TestVoiceFindsAnotherPlayer plays aloud where only the second program has a
// sound device.
func TestVoiceFindsAnotherPlayer(t *testing.T) {
	t.Parallel()
	h, server := newModelProgram(t, fakeopenai.Always(fakeopenai.Say("The ferry leaves at dawn.")))
	h.set("VOICE", "openai")
	h.set("VOICE_URL", server.URL())
	h.program("pacat", "exit 1")
	h.program("aplay", "exec /bin/cat >heard.raw")
	tr := parse(t, h.run("Mira, when do we leave?\n", "play", "--json", "--voice").ok(t).stdout)
	tr.only("delivered")
	if told := tr.notices("warning"); len(told) != 0 {
		t.Errorf("people were told %q, want nothing", told)
	}
	if info, err := os.Stat(h.path("heard.raw")); err != nil || info.Size() < 9600 {
		t.Errorf("the second player has %v, %v; want at least 100 ms of sound", info, err)
	}
}
