// Package glyphoxa carries the default configuration with its sample cast and
// world, so that the program runs without any file beside it.
// It holds no code.
package glyphoxa

import "embed"

// Shipped holds glyphoxa.yaml and the files it names.
//
//go:embed glyphoxa.yaml npcs/*.yaml campaigns/*.yaml workflows/*.yaml
var Shipped embed.FS
