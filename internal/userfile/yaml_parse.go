package userfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Flaw is a problem with a file as a whole, found before its content is examined.
type Flaw struct {
	// Line is at least 1.
	Line int
	// What describes the problem, and Fix how to fix it.
	What, Fix string
}

// ParseYAML parses a text of at most most bytes that contains a single YAML document. It returns the root
// value, or a nil node if the text is empty.
func ParseYAML(data []byte, most int) (*yaml.Node, *Flaw) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if f := checkText(data, most); f != nil {
		return nil, f
	}
	if line := TooManyValues(data); line > 0 {
		return nil, &Flaw{line, fmt.Sprintf("the file holds more than %d values up to this line", maxValues), "split it, or check that it is the right file"}
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
		return nil, &Flaw{max(second.Line, 1), "a second document begins here", `keep one document a file: remove the "---"`}
	case !errors.Is(err, io.EOF):
		return nil, syntaxFlaw(err, data)
	}
	if len(first.Content) == 0 {
		return nil, nil
	}
	return first.Content[0], nil
}

// maxValues limits the number of values in a text, including keys. Each takes a few hundred bytes during
// parsing, whatever its size.
const maxValues = 500_000

// TooManyValues returns the line on which a text exceeds the maximum number of values, or 0 if it does not.
// It counts what separates values: line breaks, commas, brackets, and a colon, dash or question mark that is
// followed by another value. For a text with many commas the count is too high.
func TooManyValues(data []byte) int {
	line, n := 1, 0
	for i, c := range data {
		switch c {
		case '\n':
			line++
			n++
		case '[', '{', ',':
			n++
		case ':', '-', '?':
			if i+1 == len(data) || data[i+1] <= ' ' || bytes.IndexByte([]byte("\"'[{,"), data[i+1]) >= 0 {
				n++
			}
		}
		if n > maxValues {
			return line
		}
	}
	return 0
}

// decodeNode reads the next document. The YAML library panics on a few invalid inputs, so decodeNode treats a
// panic as a syntax error.
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

// checkText rejects characters that no YAML file may contain, and names their line.
func checkText(data []byte, most int) *Flaw {
	if len(data) > most {
		return &Flaw{1, fmt.Sprintf("the file is larger than %s", formatSize(most)), "split it, or check that it is the right file"}
	}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return &Flaw{1, "the file is UTF-16", "save it as UTF-8"}
	}
	line := 1
	for rest := data; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		switch {
		case r == '\n':
			line++
		case r == utf8.RuneError && size == 1:
			return &Flaw{line, "the text is not UTF-8", "save the file as UTF-8"}
		case r < ' ' && r != '\t' && r != '\r', r == 0x7f, r == 0xfeff, r == 0xfffe, r == 0xffff,
			r >= 0x80 && r < 0xa0 && r != 0x85:
			return &Flaw{line, fmt.Sprintf("an invisible character (%U)", r), "delete it"}
		}
		rest = rest[size:]
	}
	return nil
}

// syntaxFlaw rephrases a parser error for people who rarely write YAML.
func syntaxFlaw(err error, data []byte) *Flaw {
	msg, line := locateError(data)
	if msg == "" {
		msg, line = strings.TrimPrefix(err.Error(), "yaml: "), 1
	}
	fix := "check the indentation and the quotes around this line"
	switch {
	case strings.Contains(msg, "cannot start any token"):
		fix = "indent with spaces instead of tabs, and put texts that begin with @, ` or % into quotes"
	case strings.HasPrefix(msg, tabError):
		fix = "indent with spaces instead of tabs"
	case strings.Contains(msg, "unexpected end of stream"):
		fix = "close the quote that is opened on this line"
	case strings.Contains(msg, "mapping values are not allowed"):
		fix = `put texts that contain ": " into quotes and check the indentation`
	case strings.HasPrefix(msg, unknownAnchor):
		// Leave out the name, because an unquoted password may begin with "*".
		msg = "an alias (*) whose anchor (&) is not defined above it"
		fix = "define the anchor, or put a text that begins with * into quotes"
	}
	return &Flaw{line, "this is not valid YAML: " + msg, fix}
}

// formatSize formats a number of bytes for people.
func formatSize(n int) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}
