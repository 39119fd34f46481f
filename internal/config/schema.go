package config

import (
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// Schema returns the JSON Schema (draft 2020-12) of glyphoxa.yaml, for use by editors. It describes what
// [Load] accepts key by key. Only Load checks constraints that involve several keys.
func Schema() (*jsonschema.Schema, error) {
	return userfile.Schema("Glyphoxa configuration", Default(), nil)
}

// NPCSchema returns the JSON Schema of an NPC file.
func NPCSchema() (*jsonschema.Schema, error) {
	npc := DefaultNPC()
	return userfile.Schema("Glyphoxa NPC", &npc, nil)
}
