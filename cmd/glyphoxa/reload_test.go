package main_test

import (
	"strings"
	"testing"
)

// TestReload changes the NPC files while a table in the terminal runs.
func TestReload(t *testing.T) {
	t.Parallel()
	const inn = `
languages: [en]
providers: {llm: offline, tts: silent, stt: none, embeddings: none}
npcs_dir: npcs
`
	const host = "name: %s\nlines: {answer: [\"%s\"], unknown: [\"%s\"], smalltalk: [\"Truly, %s\"], greeting: [\"%s\"]}\n"
	npc := func(name, says string) string {
		return strings.NewReplacer("name: %s", "name: "+name, "%s", says).Replace(host)
	}
	h := newProgram(t)
	h.write("glyphoxa.yaml", inn)
	h.write("npcs/host.yaml", npc("Hosta", "As before."))
	h.write("npcs/guest.yaml", npc("Gustav", "As before."))
	s := h.start("play", "--json")
	says := func(line, npc, text string) {
		t.Helper()
		s.say(line)
		if e := s.wait("turn.ended"); e.NPC != npc || e.Text != text {
			t.Errorf("%q is answered by %q with %q, want %q and %q", line, e.NPC, e.Text, npc, text)
		}
	}
	says("Hosta, hello", "Hosta", "As before.")
	h.write("npcs/host.yaml", npc("Hosta", "Not as before."))
	h.write("npcs/guest.yaml", npc("Zedekia", "I am new."))
	s.say("/reload")
	s.read("Zedekia joins; Hosta has changed; Gustav leaves")
	says("Hosta, hello", "Hosta", "Not as before.")
	says("Zedekia, hello", "Zedekia", "I am new.")
	h.write("npcs/host.yaml", "name: [")
	s.say("/reload")
	if line := s.read(`"level":"error"`); !strings.Contains(line, "npcs/host.yaml") {
		t.Errorf("what is wrong is said as %s", line)
	}
	says("Hosta, the road was long.", "Hosta", "Truly, Not as before.") // unchanged
	s.leave().ok(t)
}
