package userfile

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Problem is one thing wrong with a file.
type Problem struct {
	// File is the path as the person knows it.
	File string
	// Line counts from 1; 0 means the file as a whole.
	Line int
	// What says what is wrong.
	What string
	// Fix says what to do about it; empty if there is nothing to add.
	Fix string
}

// String returns "file:line: what; fix", without the parts that are empty.
func (p Problem) String() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File)
		b.WriteByte(':')
	}
	if p.Line > 0 {
		b.WriteString(strconv.Itoa(p.Line))
		b.WriteByte(':')
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	b.WriteString(joinLines(p.What, " "))
	if p.Fix != "" {
		b.WriteString("; ")
		b.WriteString(joinLines(p.Fix, " "))
	}
	return b.String()
}

// OneLine returns what err says on one line, as errors that were joined are told
// where one line is all there is.
func OneLine(err error) string { return joinLines(err.Error(), "; ") }

// joinLines puts the lines of s on one, with sep between them.
func joinLines(s, sep string) string {
	if !strings.ContainsAny(s, "\r\n") {
		return s
	}
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\r' || r == '\n' }), sep)
}

// Problems collects problems. Its zero value is an empty list, ready to use. A List
// with at least one problem is an error; get it from [Problems.Err], which returns
// nil for an empty list.
type Problems []Problem

// Add appends a problem.
func (l *Problems) Add(file string, line int, what, fix string) {
	*l = append(*l, Problem{File: file, Line: line, What: what, Fix: fix})
}

// Err returns nil if the list is empty, otherwise a sorted copy of it as an
// error. errors.As with a *List target gets the problems back.
func (l Problems) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l.Sorted()
}

// Sorted returns a copy ordered by file, then line, with every problem once;
// problems on the same line stay in the order they were added.
func (l Problems) Sorted() Problems {
	out := make(Problems, 0, len(l))
	seen := make(map[Problem]bool, len(l))
	for _, p := range l {
		if !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return out
}

// Error returns one problem a line, in the list's order.
func (l Problems) Error() string {
	lines := make([]string, len(l))
	for i, p := range l {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}
