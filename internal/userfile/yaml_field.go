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

// readsText reports whether a type parses its text itself.
func readsText(t reflect.Type) bool { return reflect.PointerTo(t).Implements(typeReader) }

// rules are the limits that a field's tags set for its value. They also apply to the scalars in lists, in
// maps, and in structs whose fields inherit them.
type rules struct {
	required bool
	// enum lists the words that a text can be; keys lists those for the keys of a map.
	enum, keys []string
	// min and max are numbers or durations. For texts, max is a length in runes.
	min, max string
	// format is one of the names in checkFormat.
	format string
	// nonempty says what to write into a list that must not be empty.
	nonempty string
	// inherit means that the limits of the key that contains the struct apply, except for the words in
	// except.
	inherit bool
	except  []string
}

// inheritFrom merges the field's own limits with those of the key that contains its struct. The field's own
// take precedence.
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

// shape is the information in a struct's tags.
type shape struct {
	fields []field
	noun   string
	line   []int // index of the field that receives the line number, or nil
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

// field returns the field for a key, or nil if there is none.
func (s *shape) field(key string) *field {
	i := slices.IndexFunc(s.fields, func(f field) bool { return f.key == key })
	if i < 0 {
		return nil
	}
	return &s.fields[i]
}

// short returns the field that is set if a single value is given, or nil if there is none.
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
