package userfile

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// The YAML library reports errors on the line where the list or mapping containing them begins. It counts
// lines from 0 in errors of its parser and from 1 in those of its scanner, and omits the number of the first
// line. Therefore a text with an error is read again, with an additional line before it and one line at a
// time, which shows how far the library got.

// parserErrors are errors of the library's parser. All others come from its scanner.
var parserErrors = []string{
	"did not find expected <document start>", "did not find expected node content", "found undefined tag handle",
	"did not find expected '-' indicator", "did not find expected key", "did not find expected ',' or ']'",
	"did not find expected ',' or '}'", "found incompatible YAML document", "found duplicate %YAML directive",
	"found duplicate %TAG directive",
}

// farErrors are errors reported at the beginning of the construct that contains them, however far below it
// they are.
var farErrors = []string{
	"did not find expected '-' indicator", "did not find expected key", "found unknown escape character",
	"found invalid Unicode character escape code", "did not find expected hexdecimal number",
}

// unknownAnchor is the beginning of the only error without a line number.
const unknownAnchor = "unknown anchor '"

// tabError is the beginning of errors about a tab in the indentation. They name the line where the text that
// continues there begins.
const tabError = "found a tab character"

var yamlLine = regexp.MustCompile(`^line (\d+): (.*)$`)

// locateError returns the problem with a text that is not valid YAML, and its line. It parses the text at
// most a few times.
func locateError(data []byte) (msg string, line int) {
	msg, line, got := tryLines(data)
	switch {
	case msg == "":
		return "", 1
	case strings.HasPrefix(msg, unknownAnchor):
		name, _, _ := strings.Cut(strings.TrimPrefix(msg, unknownAnchor), "'")
		before := data[:max(bytes.LastIndex(data[:got], []byte("*"+name)), 0)]
		return msg, 1 + bytes.Count(before, []byte("\n"))
	case strings.HasPrefix(msg, tabError):
		return msg, locateTab(data[:got], msg, line)
	case !slices.Contains(farErrors, msg): // an error at the end of the file may lie below all content
		return msg, min(line, countLines(trimLines(data)))
	}
	// The library may have read lines beyond the one with the error.
	const attempts = 4
	data = data[:got]
	for range attempts {
		data = trimLines(data)
		shorter := data[:bytes.LastIndexByte(bytes.TrimSuffix(data, []byte("\n")), '\n')+1]
		if same, _, _ := tryLines(shorter); same != msg {
			break
		}
		data = shorter
	}
	return msg, max(countLines(data), line)
}

// locateTab returns the first line, starting from told, at which the text read so far yields the error.
func locateTab(data []byte, msg string, told int) int {
	lines := bytes.SplitAfter(data, []byte("\n"))
	told = min(told, len(lines))
	return told + sort.Search(len(lines)-told, func(more int) bool {
		same, _, _ := tryLines(bytes.Join(lines[:told+more], nil))
		return same == msg
	})
}

// countLines returns the number of lines in a text, at least 1.
func countLines(data []byte) int {
	return 1 + bytes.Count(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
}

// trimLines removes blank lines and comments from the end.
func trimLines(data []byte) []byte {
	for {
		body := bytes.TrimSuffix(data, []byte("\n"))
		start := bytes.LastIndexByte(body, '\n') + 1
		last := bytes.TrimSpace(body[start:])
		if len(data) == 0 || len(last) > 0 && last[0] != '#' {
			return data
		}
		data = data[:start]
	}
}

// tryLines parses a text and returns the library's error message, the line it names, and how many bytes the
// library read. msg is empty if there is no error.
func tryLines(data []byte) (msg string, line, got int) {
	r := &lineReader{first: true, rest: data}
	dec := yaml.NewDecoder(r)
	for {
		_, err := decodeNode(dec)
		got = len(data) - len(r.rest)
		if errors.Is(err, io.EOF) {
			return "", 1, got
		}
		if err == nil {
			continue
		}
		msg = strings.TrimPrefix(err.Error(), "yaml: ")
		if m := yamlLine.FindStringSubmatch(msg); m != nil {
			line, _ = strconv.Atoi(m[1])
			msg = m[2]
		}
		if !slices.Contains(parserErrors, msg) {
			line-- // for the additional line
		}
		return msg, max(line, 1), got
	}
}

// lineReader returns an empty line, and then a text line by line.
type lineReader struct {
	first bool
	rest  []byte
}

func (r *lineReader) Read(b []byte) (int, error) {
	if r.first {
		r.first = false
		return copy(b, "\n"), nil
	}
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	end := bytes.IndexByte(r.rest, '\n') + 1
	if end == 0 {
		end = len(r.rest)
	}
	n := copy(b, r.rest[:end])
	r.rest = r.rest[n:]
	return n, nil
}
