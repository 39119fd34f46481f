// Package npcs embeds the sample cast of Thornhollow, one YAML file per NPC
// with the keys of config.NPC.
//
// Imported by whoever starts a table without a configuration of its own. It
// holds no code beyond the files.
package npcs

import "embed"

//go:embed *.yaml
var files embed.FS

// Files returns the NPC files, each named after the NPC's id.
func Files() embed.FS { return files }
