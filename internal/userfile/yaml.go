package userfile

import (
	"cmp"
	"reflect"
	"strconv"
	"strings"
)

// Options tell [ReadYAML] and [Schema] how a kind of file is written. A nil *Options
// is the zero value.
type Options struct {
	// MaxSize bounds the text, in bytes. If zero, it is 4 MiB.
	MaxSize int
	// MaxDepth bounds how deep lists and keys nest. If zero, it is 24.
	MaxDepth int
	// MaxProblems is how many problems are reported before the rest of the file is
	// skipped. If zero, it is 500: nobody reads further.
	MaxProblems int
	// LookupEnv finds the variables of ${NAME}. If nil, a variable is a problem.
	LookupEnv func(name string) (value string, set bool)
	// Literal files mean what they say: "${" stands for itself, there are no
	// aliases (*) and merges (<<), a text that looks like a number wants quotes,
	// and a key that is there has a value.
	Literal bool
	// Formats are formats of texts by name, beside those of this package. They
	// return what keeps a text from being of the format, and what to do about it.
	Formats map[string]func(text string) (what, fix string)
	// Empty says what to write into an empty file. If empty, such a file leaves
	// everything at its default.
	Empty string
}

// Defaulter is a struct that begins with other than zero values. SetDefaults has
// a pointer receiver.
type Defaulter interface{ SetDefaults() }

// KeyHinter is a struct that knows what a key it does not have was meant for.
type KeyHinter interface {
	// HintKey says what to do about an unknown key, "" if it does not know.
	HintKey(key string) string
}

// Union is a struct that is read as one of several, by the keys that are given.
type Union interface {
	// Shapes points to the structs, which are part of the union.
	Shapes() []any
	// PickShape returns the index of the one to be filled.
	PickShape(has func(key string) bool) int
}

// Path is where a value is in a file, such as "mcp.servers[0].url". The empty
// path is the file as a whole.
type Path string

// Key is the path of a key below p.
func (p Path) Key(key string) Path {
	if p == "" {
		return Path(key)
	}
	return p + "." + Path(key)
}

// Item is the path of an entry of the list at p, from 0.
func (p Path) Item(i int) Path { return p + Path("["+strconv.Itoa(i)+"]") }

// Name is the last part of the path.
func (p Path) Name() string { return string(p[strings.LastIndexByte(string(p), '.')+1:]) }

// Document knows where in a file things stand. It belongs to one goroutine.
type Document struct{ d *decoder }

// ReadYAML fills into, a pointer to a struct that holds the defaults, from the text of
// a file. It adds what is wrong to problems, in which file is the file's name.
func ReadYAML(file string, text []byte, into any, opts *Options, problems *Problems) *Document {
	d := newDecoder(file, opts, problems)
	v := reflect.ValueOf(into).Elem()
	root, flaw := ParseYAML(text, cmp.Or(d.opts.MaxSize, maxSize))
	switch {
	case flaw != nil:
		d.addProblem(at{}, flaw.Line, flaw.What, flaw.Fix)
	case root == nil && d.opts.Empty != "":
		d.addProblem(at{}, 1, "the file is empty", d.opts.Empty)
	case root != nil:
		d.readValue(root, v, at{}, rules{})
	}
	return &Document{d}
}

// File is the name of the file.
func (d *Document) File() string { return d.d.file }

// Line returns the line of the value at path, or of the closest thing around it.
// It is at least 1.
func (d *Document) Line(path Path) int { return d.d.line(path) }

// KeyLine returns the line of the key whose value is at path, where the key is
// of the user's choice.
func (d *Document) KeyLine(path Path) int {
	if line := d.d.keyLines[path]; line > 0 {
		return line
	}
	return d.d.line(path)
}

// Given reports whether the file has a value at path, right or wrong.
func (d *Document) Given(path Path) bool {
	_, ok := d.d.lines[path]
	return ok
}

// Broken reports whether the value at path has a problem.
func (d *Document) Broken(path Path) bool { return d.d.broken[path] }

// Cut reports whether some of the file was not read, since it has too many
// problems or values.
func (d *Document) Cut() bool { return d.d.exhausted }

// AddProblem reports what is wrong with the value at path, unless it already
// has a problem.
func (d *Document) AddProblem(path Path, what, fix string) {
	if !d.d.broken[path] {
		d.d.addProblem(at{path: path}, d.d.line(path), what, fix)
	}
}

// AddProblemAt reports what is wrong with the value at path, on another line.
func (d *Document) AddProblemAt(line int, path Path, what, fix string) {
	d.d.addProblem(at{path: path}, line, what, fix)
}

// AddSentence reports what is wrong at path in words that name the place
// themselves. A line of 0 is that of the value.
func (d *Document) AddSentence(path Path, line int, what, fix string) {
	d.d.addSentence(at{path: path}, cmp.Or(line, d.d.line(path)), what, fix)
}

// Quote quotes the text at path for a message, unless it came from a variable.
func (d *Document) Quote(path Path, text string) string {
	if d.d.expanded[path] {
		return "this value"
	}
	return Quote(text)
}
