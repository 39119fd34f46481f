package config_test

import (
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
)

func TestCascadeOfAnNPC(t *testing.T) {
	for _, row := range []struct {
		name, top, npc, mode, opener string
	}{
		{"nothing_said", "", "", config.CascadeOff, ""},
		{"engine", "", "engine: sentence_cascade", config.CascadeAlways, ""},
		{"engine_is_its_own_word_on_auto", "auto", "engine: sentence_cascade", config.CascadeAlways, "quick"},
		{"off_for_all", "off", "engine: sentence_cascade", config.CascadeOff, "quick"},
		{"off_for_all_but_one", "off", "engine: sentence_cascade, cascade: {mode: auto}", config.CascadeAuto, "quick"},
		{"auto_for_all", "auto", "", config.CascadeAuto, "quick"},
		{"always_for_all", "always", "engine: cascaded", config.CascadeAlways, "quick"},
		{"not_for_speech_to_speech", "always", "engine: s2s", config.CascadeOff, "quick"},
		{"its_own_opener", "auto", "cascade: {opener: offline}", config.CascadeAuto, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			text := ""
			if row.top != "" {
				text = "cascade: {mode: " + row.top + ", opener: {name: openai, base_url: 'http://127.0.0.1:1/v1', model: quick}}\n"
			}
			npc := "{name: Mira}"
			if row.npc != "" {
				npc = "{name: Mira, " + row.npc + "}"
			}
			cfg, err := loadText(t, testOptions(t.TempDir()), text+"npcs: ["+npc+"]\n")
			if err != nil {
				t.Fatal(err)
			}
			mira := &cfg.NPCs[0]
			if got := mira.CascadeMode(); got != row.mode {
				t.Errorf("mode = %q, want %q", got, row.mode)
			}
			if got := mira.Cascade.Opener.Model; got != row.opener {
				t.Errorf("the opener's model is %q, want %q", got, row.opener)
			}
		})
	}
}
