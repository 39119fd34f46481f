package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// maxFile bounds a configuration file, in bytes.
const maxFile = 4 << 20

// flaw is a problem with a file's text, before its content is looked at.
type flaw struct {
	line      int
	what, fix string
}

// parse turns the text of a file into its only document. The node is nil if the
// file holds nothing; otherwise it is the root value.
func parse(data []byte) (*yaml.Node, *flaw) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if f := checkText(data); f != nil {
		return nil, f
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	first, err := decodeNode(dec)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, syntaxFlaw(err, data)
	}
	second, err := decodeNode(dec)
	switch {
	case err == nil:
		return nil, &flaw{max(second.Line, 1), "a second document begins here", `keep one document a file: remove the "---"`}
	case !errors.Is(err, io.EOF):
		return nil, syntaxFlaw(err, data)
	}
	if len(first.Content) == 0 {
		return nil, nil
	}
	return first.Content[0], nil
}

// decodeNode reads the next document. The YAML library panics on a few inputs
// it should refuse, so a panic counts as a syntax error.
func decodeNode(dec *yaml.Decoder) (n *yaml.Node, err error) {
	defer func() {
		if recover() != nil {
			n, err = nil, errors.New("yaml: invalid syntax")
		}
	}()
	n = new(yaml.Node)
	if err := dec.Decode(n); err != nil {
		return nil, err
	}
	return n, nil
}

// checkText refuses what no YAML file may hold, with the line it is on.
func checkText(data []byte) *flaw {
	if len(data) > maxFile {
		return &flaw{1, fmt.Sprintf("the file is larger than %d MiB", maxFile>>20), "split it, or check that it is the right file"}
	}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return &flaw{1, "the file is UTF-16", "save it as UTF-8"}
	}
	line := 1
	for rest := data; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		switch {
		case r == '\n':
			line++
		case r == utf8.RuneError && size == 1:
			return &flaw{line, "the text is not UTF-8", "save the file as UTF-8"}
		case r < ' ' && r != '\t' && r != '\r', r == 0x7f, r == 0xfeff, r == 0xfffe, r == 0xffff,
			r >= 0x80 && r < 0xa0 && r != 0x85:
			return &flaw{line, fmt.Sprintf("an invisible character (%U)", r), "delete it"}
		}
		rest = rest[size:]
	}
	return nil
}

var yamlLine = regexp.MustCompile(`^line (\d+): (.*)$`)

// syntaxFlaw puts a parser's error into words for people who do not write YAML
// for a living.
func syntaxFlaw(err error, data []byte) *flaw {
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if m := yamlLine.FindStringSubmatch(msg); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			line, msg = max(n, 1), m[2]
		}
	}
	fix := "check the indentation and the quotes around this line"
	switch {
	case strings.Contains(msg, "cannot start any token"):
		fix = "indent with spaces instead of tabs, and put texts that begin with @, ` or % into quotes"
	case strings.Contains(msg, "mapping values are not allowed"):
		fix = `put texts that contain ": " into quotes and check the indentation`
	case strings.HasPrefix(msg, "unknown anchor '"):
		// The name is left out: an unquoted password may begin with "*".
		name, _, _ := strings.Cut(strings.TrimPrefix(msg, "unknown anchor '"), "'")
		before, _, _ := bytes.Cut(data, []byte("*"+name))
		line = 1 + bytes.Count(before, []byte("\n"))
		msg = "an alias (*) whose anchor (&) is not defined above it"
		fix = "define the anchor, or put a text that begins with * into quotes"
	}
	return &flaw{line, "this is not valid YAML: " + msg, fix}
}

// quote makes s fit for a message: escaped, and cut so that a pasted key is not
// shown whole.
func quote(s string) string {
	const most, shown = 40, 12
	if utf8.RuneCountInString(s) <= most {
		return strconv.Quote(s)
	}
	return strconv.Quote(string([]rune(s)[:shown]) + "…")
}
