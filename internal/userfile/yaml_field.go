package userfile

import (
	"encoding"
	"reflect"
	"slices"
	"strings"
)

var (
	typeValue    = reflect.TypeFor[Value]()
	typeDuration = reflect.TypeFor[Duration]()
	typeReader   = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// readsText reports whether a type reads its text itself.
func readsText(t reflect.Type) bool { return reflect.PointerTo(t).Implements(typeReader) }

// rules are the limits a field's tags put on its value. They reach down into
// lists, maps and structs whose fields inherit them, to the scalars.
type rules struct {
	required bool
	// enum lists the words a text must be one of; keys those of a map's keys.
	enum, keys []string
	// min and max are numbers or durations; for texts max is a length in runes.
	min, max string
	// format is one of the names in checkFormat.
	format string
	// nonempty says what to write into a list that must not be empty.
	nonempty string
	// inherit says that the limits of the key around the struct hold here,
	// except for the words in except.
	inherit bool
	except  []string
}

// inheritFrom lays the field's own limits over those of the key its struct is
// under.
func (r rules) inheritFrom(around rules) rules {
	if !r.inherit {
		return r
	}
	if r.min == "" {
		r.min = around.min
	}
	if r.max == "" {
		r.max = around.max
	}
	if r.enum == nil {
		r.enum = slices.DeleteFunc(slices.Clone(around.enum), func(w string) bool { return slices.Contains(r.except, w) })
	}
	return r
}

// field is one key of a mapping.
type field struct {
	index []int // as for reflect.Value.FieldByIndex
	key   string
	doc   string
	short bool
	rules rules
}

// shape is what a struct's tags say.
type shape struct {
	fields []field
	noun   string
	line   []int // index of the field that takes the line, nil if none does
}

func newShape(t reflect.Type) *shape {
	s := &shape{}
	for i := range t.NumField() {
		f := t.Field(i)
		key, how, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case f.Name == "_":
			s.noun = f.Tag.Get("noun")
		case f.Tag.Get("line") != "":
			s.line = f.Index
		case how == "inline":
			for _, inner := range newShape(f.Type).fields {
				inner.index = append([]int{i}, inner.index...)
				s.fields = append(s.fields, inner)
			}
		case key != "" && key != "-":
			s.fields = append(s.fields, field{f.Index, key, f.Tag.Get("doc"), f.Tag.Get("short") != "", rulesOf(f.Tag)})
		}
	}
	return s
}

func rulesOf(tag reflect.StructTag) rules {
	return rules{
		required: tag.Get("required") == "true",
		enum:     splitWords(tag.Get("enum")),
		keys:     splitWords(tag.Get("keys")),
		min:      tag.Get("min"),
		max:      tag.Get("max"),
		format:   tag.Get("format"),
		nonempty: tag.Get("nonempty"),
		inherit:  tag.Get("inherit") != "",
		except:   splitWords(tag.Get("except")),
	}
}

func splitWords(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "|")
}

// field returns the field of a key, nil if there is none.
func (s *shape) field(key string) *field {
	i := slices.IndexFunc(s.fields, func(f field) bool { return f.key == key })
	if i < 0 {
		return nil
	}
	return &s.fields[i]
}

// short returns the field that a single value stands for, nil if none does.
func (s *shape) short() *field {
	i := slices.IndexFunc(s.fields, func(f field) bool { return f.short })
	if i < 0 {
		return nil
	}
	return &s.fields[i]
}

func (s *shape) keys() []string {
	out := make([]string, len(s.fields))
	for i, f := range s.fields {
		out[i] = f.key
	}
	return out
}
