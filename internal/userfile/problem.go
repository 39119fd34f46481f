package userfile

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Problem describes one problem in a file.
type Problem struct {
	// File is the path as the user gave it.
	File string
	// Line counts from 1. 0 means the file as a whole.
	Line int
	// What describes the problem.
	What string
	// Fix says how to fix it. It is empty if there is nothing to add.
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

// OneLine returns the text of err on one line. Use it for joined errors where only one line is available.
func OneLine(err error) string { return joinLines(err.Error(), "; ") }

// joinLines joins the lines of s into one, with sep between them.
func joinLines(s, sep string) string {
	if !strings.ContainsAny(s, "\r\n") {
		return s
	}
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\r' || r == '\n' }), sep)
}

// Problems is a list of problems. The zero value is an empty list, ready to use. A list with at least one
// problem is an error; get it from [Problems.Err], which returns nil for an empty list.
type Problems []Problem

// Add appends a problem.
func (l *Problems) Add(file string, line int, what, fix string) {
	*l = append(*l, Problem{File: file, Line: line, What: what, Fix: fix})
}

// Err returns nil if the list is empty, otherwise a sorted copy of it as an error. To get the problems back,
// use errors.As with a *Problems target.
func (l Problems) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l.Sorted()
}

// Sorted returns a copy without duplicates, in order of file and then line. Problems on the same line stay in
// the order in which they were added.
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

// Error returns one problem per line, in the order of the list.
func (l Problems) Error() string {
	lines := make([]string, len(l))
	for i, p := range l {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}
