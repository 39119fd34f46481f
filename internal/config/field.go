package config

import (
	"reflect"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

// The types that are not read by their kind alone.
var (
	typeSecret   = reflect.TypeFor[Secret]()
	typeDuration = reflect.TypeFor[Duration]()
	typeTier     = reflect.TypeFor[mcp.BudgetTier]()
	typeProvider = reflect.TypeFor[Provider]()
	typeChain    = reflect.TypeFor[ProviderChain]()
	typeOptions  = reflect.TypeFor[ProviderOptions]()
	typeNPC      = reflect.TypeFor[NPC]()
	typeServer   = reflect.TypeFor[MCPServerConfig]()
	typeProfile  = reflect.TypeFor[Profile]()
	typeVoice    = reflect.TypeFor[tts.Voice]()
)

// rules are the limits a field's tags put on its value. They reach down into
// lists, maps and tiers, to the scalars.
type rules struct {
	required bool
	// enum lists the words a text must be one of; keys those of a map's keys.
	enum, keys []string
	// min and max are numbers or durations; for texts max is a length in runes.
	min, max string
	// format is one of the names in formats.
	format string
}

// field is one key of a mapping.
type field struct {
	index []int // as for reflect.Value.FieldByIndex
	key   string
	doc   string
	rules rules
}

// fieldsOf lists the keys of struct type t in the order they are declared.
func fieldsOf(t reflect.Type) []field {
	out := make([]field, 0, t.NumField())
	for i := range t.NumField() {
		f := t.Field(i)
		key, how, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if how == "inline" {
			for _, inner := range fieldsOf(f.Type) {
				inner.index = append([]int{i}, inner.index...)
				out = append(out, inner)
			}
			continue
		}
		if key == "" || key == "-" {
			continue
		}
		tag := f.Tag
		if t == typeVoice {
			tag = voiceTag(key)
		}
		out = append(out, field{index: f.Index, key: key, doc: tag.Get("doc"), rules: rulesOf(tag)})
	}
	return out
}

func rulesOf(tag reflect.StructTag) rules {
	return rules{
		required: tag.Get("required") == "true",
		enum:     words(tag.Get("enum")),
		keys:     words(tag.Get("keys")),
		min:      tag.Get("min"),
		max:      tag.Get("max"),
		format:   tag.Get("format"),
	}
}

// voiceTag describes the keys of [tts.Voice], which knows nothing of
// configuration.
func voiceTag(key string) reflect.StructTag {
	switch key {
	case "id":
		return `doc:"The provider's name for the voice, such as alloy (openai) or en-us+m3 (espeak)."`
	case "ids":
		return `keys:"espeak|openai|elevenlabs" doc:"Names for the voice by provider, where id is meant for another one."`
	case "language":
		return `format:"language" doc:"Language the voice speaks, such as en or de."`
	case "pitch":
		return `min:"0.5" max:"2" doc:"How high the voice is: 1 is normal, 0.5 low, 2 high."`
	case "speed":
		return `min:"0.5" max:"2" doc:"How fast the voice speaks: 1 is normal."`
	case "instructions":
		return `doc:"Manner of speech, for providers that take such directions."`
	}
	return ""
}

// merge lays inner's own limits over those of the field around it.
func (r rules) merge(inner rules) rules {
	if inner.min == "" {
		inner.min = r.min
	}
	if inner.max == "" {
		inner.max = r.max
	}
	return inner
}

func words(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "|")
}

func keysOf(fields []field) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = f.key
	}
	return out
}

// isPerTier reports whether t is a PerTier, whose fields inherit the limits of
// the field that holds it.
func isPerTier(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && strings.HasPrefix(t.Name(), "PerTier[")
}

// isProvider reports whether t names a provider, alone or with others behind
// it. Its fields take over the names that are allowed.
func isProvider(t reflect.Type) bool { return t == typeProvider || t == typeChain }

// providerRules returns the limits of field f of a provider; r are those of
// the provider itself.
func providerRules(f field, r rules) rules {
	switch f.key {
	case "name":
		f.rules.enum = r.enum
	case "fallback":
		f.rules.enum = slices.DeleteFunc(slices.Clone(r.enum), isPlaceholder)
	}
	return f.rules
}

// isPlaceholder reports whether a name stands for no provider in particular.
func isPlaceholder(name string) bool {
	return name == ProviderAuto || name == "none" || name == "silent"
}
