// Package srd holds the rules data set of the fifth edition System Reference
// Document as embedded YAML: conditions, combat, general rules, spells,
// monsters, equipment, magic items, classes and races with their features,
// skills, traps, diseases, madness, poisons, planes and deities. Figures are
// those of SRD 5.1; every sentence is this project's own. See ATTRIBUTION.md
// for the material's licence.
//
// Each file is one list of entries. An entry has an id ("condition-blinded":
// its category, a hyphen, its name in lower case with hyphens), a category
// (such as condition, spell or monster), a name, optional aliases and tags, a
// summary of one or two spoken sentences and a text with the full rule.
// Paragraphs and list items of a text are separated by single newlines. A spell
// also has a spell block with its figures, in which concentration is a separate
// flag from duration and a cantrip has level 0. A monster has a monster block,
// in which an attack's damage is "dice type", a challenge a text such as "1/4",
// a distance in feet, and a missing figure does not apply. The other categories
// with figures have a block named like their category: items with prices in cp
// and weights in pounds, a class with lists of the values that change by level
// (slots "4 3 2" are four, three and two of the first three spell levels), a
// feature with the level at which each class, subclass or race gains it.
//
// The files in asked list, by id, phrases with which players ask for an entry
// whose name they do not know, in English (en) and German (de).
//
// The program reads rules.gob.gz, which go generate creates from the YAML
// files; a test fails if it is out of date.
//
// This package parses nothing, does no I/O and imports only the standard
// library: internal/mcp/tools/ruleslookup gives the entries their Go shape and
// their index.
package srd

import "embed"

//go:generate go run ./compile

// Compiled is the content of rules.gob.gz: the data files as
// internal/mcp/tools/ruleslookup parses them. It must not be changed.
//
//go:embed rules.gob.gz
var Compiled []byte

// FS holds the data files at its root: conditions.yaml, combat.yaml,
// general.yaml, monsters.yaml, equipment.yaml, items.yaml, spells-0.yaml (cantrips) to spells-9.yaml, a file for
// each class such as class-bard.yaml, classes.yaml (features that several classes share), races.yaml, skills.yaml,
// further rules in fighting.yaml, adventuring.yaml, armory.yaml, magic.yaml, advancement.yaml and statblocks.yaml,
// hazards.yaml (traps, diseases, madness and poisons) and cosmos.yaml (planes and deities); asked has files of its own. It is read-only and safe for concurrent use; it must not be
// assigned to.
//
//go:embed *.yaml asked/*.yaml
var FS embed.FS
