package agent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

func TestTopicLines(t *testing.T) {
	npc := config.NPC{Voice: tts.Voice{Language: "de-AT"}, Topics: []llm.Topic{
		{Words: map[string][]string{"de": {"Steg"}, "en": {"jetty"}}, Lines: map[string][]string{"de": {" Morsch. "}, "en": {"Rotten."}}},
		{Words: map[string][]string{"en": {"mill"}}, Lines: map[string][]string{"en": {"Still."}}},
		{Intents: []string{"insult"}, Lines: map[string][]string{"de": {"Frechheit."}}},
		{Words: map[string][]string{"de": {"a", "b", "c", "d"}}, Lines: map[string][]string{"de": {strings.Repeat("ü", 500)}}},
	}}
	want := []string{"Steg: Morsch.", "a, b, c: " + strings.Repeat("ü", 500)}
	if diff := cmp.Diff(want, topicLines(npc)); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	for i := range 1000 {
		npc.Topics = append(npc.Topics, llm.Topic{Words: map[string][]string{"de": {fmt.Sprint("wort", i)}}, Lines: map[string][]string{"de": {"Ja."}}})
	}
	if told := systemPrompt(npc, "de"); !strings.Contains(told, "wort10:") || strings.Contains(told, "wort500:") {
		t.Errorf("not as many topics are told as there is room for:\n%s", told)
	}
	if faults := FindFaults(npc); len(faults) != 1 || faults[0].Path != "topics" {
		t.Errorf("faults = %v, want the topics'", faults)
	}
}

func TestPromptTellsTopics(t *testing.T) {
	a := New(config.NPC{Name: "Mira", Voice: tts.Voice{Language: "en"}, Topics: []llm.Topic{
		{Words: map[string][]string{"en": {"jetty"}}, Lines: map[string][]string{"en": {"Nine planks."}}},
	}}, Options{History: 1})
	if !strings.Contains(a.system, "- jetty: Nine planks.\n") {
		t.Errorf("the prompt lacks the topic:\n%s", a.system)
	}
	if p := a.Persona(); p.Language != "en" || len(p.Topics) != 1 {
		t.Errorf("persona = %+v, want its language and topics", p)
	}
}
