package config

import (
	"reflect"

	"github.com/MrWong99/glyphoxa/internal/problem"
)

// Document knows where in a hand-written YAML file things stand. It belongs to
// one goroutine.
type Document struct{ d *decoder }

// Read fills into, a pointer to a struct, from the text of a YAML file other
// than the configuration. It is as strict as [Load], and the struct's tags mean
// the same; what into holds beforehand are the defaults. Variables such as
// ${NAME} are problems: only the configuration takes them. file names the file in
// the problems.
func Read(file string, text []byte, into any) (*Document, problem.List) {
	var problems problem.List
	d := newDecoder(file, nil, &problems)
	d.document(text, reflect.ValueOf(into).Elem())
	return &Document{d}, problems
}

// Line returns the line on which path, such as "story[2].says", was given, or
// that of the closest thing around it. It is at least 1.
func (d *Document) Line(path string) int { return d.d.line(path) }

// Given reports whether the file has a value at path, right or wrong.
func (d *Document) Given(path string) bool { return d.d.given(path) }

// Broken reports whether the value at path already has a problem.
func (d *Document) Broken(path string) bool { return d.d.broken[path] }
