package userfile

import (
	"cmp"
	"reflect"
	"strconv"
	"strings"
)

// Options describe a kind of file for [ReadYAML] and [Schema]. A nil *Options is equivalent to the zero
// value.
type Options struct {
	// MaxSize limits the size of the text, in bytes. If zero, the limit is 4 MiB.
	MaxSize int
	// MaxDepth limits how deeply lists and keys can be nested. If zero, the limit is 24.
	MaxDepth int
	// MaxProblems is the number of problems after which the rest of the file is skipped. If zero, it is 500,
	// because no user reads more.
	MaxProblems int
	// LookupEnv looks up the variables in ${NAME}. If nil, a variable is a problem.
	LookupEnv func(name string) (value string, set bool)
	// Literal turns off all special processing: "${" stands for itself, aliases (*) and merges (<<) are not
	// allowed, a text that looks like a number must be quoted, and a key must have a value.
	Literal bool
	// Formats adds text formats to those of this package, by name. A function returns the problem with a
	// text and how to fix it, or "" if nothing is.
	Formats map[string]func(text string) (what, fix string)
	// Empty says what to write into an empty file. If Empty is "", an empty file is valid and leaves
	// everything at its default.
	Empty string
}

// Defaulter is implemented by structs whose defaults are not the zero values. SetDefaults must have a pointer
// receiver.
type Defaulter interface{ SetDefaults() }

// KeyHinter is implemented by structs that can say what an unknown key was probably meant for.
type KeyHinter interface {
	// HintKey returns what to do about an unknown key, or "" if it has no advice.
	HintKey(key string) string
}

// Union is implemented by structs that are read as one of several shapes, depending on the keys in the file.
type Union interface {
	// Shapes returns pointers to the possible structs, which are fields of the union.
	Shapes() []any
	// PickShape returns the index of the shape to fill.
	PickShape(has func(key string) bool) int
}

// Path is the position of a value in a file, such as "mcp.servers[0].url". The empty path is the file as a
// whole.
type Path string

// Key returns the path of a key below p.
func (p Path) Key(key string) Path {
	if p == "" {
		return Path(key)
	}
	return p + "." + Path(key)
}

// Item returns the path of item i of the list at p, counted from 0.
func (p Path) Item(i int) Path { return p + Path("["+strconv.Itoa(i)+"]") }

// Name returns the last part of the path.
func (p Path) Name() string { return string(p[strings.LastIndexByte(string(p), '.')+1:]) }

// Document gives the positions of values in a file. It must be used by one goroutine only.
type Document struct{ d *decoder }

// ReadYAML parses the text of a file into the struct that into points to, which must hold the defaults. It
// adds the problems that it finds to problems. file is the file name used in them.
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

// File returns the name of the file.
func (d *Document) File() string { return d.d.file }

// Line returns the line of the value at path, or of the closest value that contains it. The result is at
// least 1.
func (d *Document) Line(path Path) int { return d.d.line(path) }

// KeyLine returns the line of the key whose value is at path. It is for maps, whose keys the user chooses.
func (d *Document) KeyLine(path Path) int {
	if line := d.d.keyLines[path]; line > 0 {
		return line
	}
	return d.d.line(path)
}

// HasValue reports whether the file has a value at path, valid or not.
func (d *Document) HasValue(path Path) bool {
	_, ok := d.d.lines[path]
	return ok
}

// Broken reports whether the value at path has a problem.
func (d *Document) Broken(path Path) bool { return d.d.broken[path] }

// Cut reports whether part of the file was skipped because it has too many problems or values.
func (d *Document) Cut() bool { return d.d.exhausted }

// AddProblem reports a problem with the value at path, unless one has been reported already.
func (d *Document) AddProblem(path Path, what, fix string) {
	if !d.d.broken[path] {
		d.d.addProblem(at{path: path}, d.d.line(path), what, fix)
	}
}

// AddProblemAt is like AddProblem, but reports the problem on another line.
func (d *Document) AddProblemAt(line int, path Path, what, fix string) {
	d.d.addProblem(at{path: path}, line, what, fix)
}

// AddSentence reports a problem at path with a message that says by itself where the problem is. A line of 0
// means the line of the value.
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
