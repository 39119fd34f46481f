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

// The YAML library names the line on which the list or mapping begins that an
// error is in, counts from 0 in errors of its parser and from 1 in those of its
// scanner, and drops the line if it is the first. Its errors are therefore
// looked for once more, with a line before the text, and lines handed out one by
// one, which tells how far the library got.

// parserErrors are errors of the library's parser; all others are its scanner's.
var parserErrors = []string{
	"did not find expected <document start>", "did not find expected node content", "found undefined tag handle",
	"did not find expected '-' indicator", "did not find expected key", "did not find expected ',' or ']'",
	"did not find expected ',' or '}'", "found incompatible YAML document", "found duplicate %YAML directive",
	"found duplicate %TAG directive",
}

// farErrors name the beginning of what they are in, however far below it the
// error is.
var farErrors = []string{
	"did not find expected '-' indicator", "did not find expected key", "found unknown escape character",
	"found invalid Unicode character escape code", "did not find expected hexdecimal number",
}

// unknownAnchor begins the error that names no line at all.
const unknownAnchor = "unknown anchor '"

// tabError begins the errors of a tab in the indentation. They name where the text
// begins that goes on there.
const tabError = "found a tab character"

var yamlLine = regexp.MustCompile(`^line (\d+): (.*)$`)

// locateError returns what is wrong with a text that is no YAML, and the line.
// It reads the text a few times at most.
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
	case !slices.Contains(farErrors, msg): // at the end it may be below all there is
		return msg, min(line, countLines(trimLines(data)))
	}
	// The library may have looked at lines behind the one in error.
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

// locateTab returns the first line, from the one told, with which a text has the
// error.
func locateTab(data []byte, msg string, told int) int {
	lines := bytes.SplitAfter(data, []byte("\n"))
	told = min(told, len(lines))
	return told + sort.Search(len(lines)-told, func(more int) bool {
		same, _, _ := tryLines(bytes.Join(lines[:told+more], nil))
		return same == msg
	})
}

// countLines counts the lines of a text, at least one.
func countLines(data []byte) int {
	return 1 + bytes.Count(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
}

// trimLines cuts blank lines and comments off the end.
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

// tryLines reads a text and returns the library's error, the line it names,
// and how many bytes it asked for. msg is empty if there is no error.
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
			line-- // for the line before the text
		}
		return msg, max(line, 1), got
	}
}

// lineReader hands out an empty line, and then a text line by line.
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
