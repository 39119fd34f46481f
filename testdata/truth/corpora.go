// Package corpora holds the corpora of this directory that `glyphoxa-lab eval --config` scores a
// language model with, so that the program works without a clone of the repository.
// It holds no code.
package corpora

import "embed"

// Model holds the files, by their paths below this directory. None of them is held back.
//
//go:embed address/dev.tsv address/tables.yaml exchanges/test/*.jsonl guard/npcs.yaml guard/attempts.yaml guard/fresh/cases.jsonl retrieve/*.jsonl model/*.jsonl
var Model embed.FS
