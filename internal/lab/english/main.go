// Command english counts words that make English hard to read, in comments, messages and pages of the repository,
// per 10,000 words, beside the same counts in the comments of three model projects. Run it in the repository's root:
//
//	go run ./internal/lab/english
package main

import (
	"fmt"
	"go/scanner"
	"go/token"
	"log"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"
)

// phrase is a phrase to count. Anchor is its count per 10,000 words in the comments of Caddy, NATS and the Go SDK of
// MCP together (549,000 words); negative if it was not counted there.
type phrase struct {
	name   string
	match  *regexp.Regexp
	anchor float64
}

var phrases = []phrase{
	{"because", regexp.MustCompile(`(?i)\bbecause\b`), 10.0},
	{"for example", regexp.MustCompile(`(?i)\bfor example\b|\be\.g\.`), 7.0},
	{"nobody, somebody, whoever", regexp.MustCompile(`(?i)\b(nobody|somebody|whoever)\b`), 0.07},
	{"is told", regexp.MustCompile(`(?i)\b(is|are|was|were) told\b`), 0},
	{"takes in", regexp.MustCompile(`(?i)\btakes? in\b`), 0.04},
	{"of which", regexp.MustCompile(`(?i)\bof which\b`), -1},
	{"what is, was, they", regexp.MustCompile(`(?i)\bwhat (is|was|it|they)\b`), -1},
}

// corpus is a kind of text.
type corpus struct {
	name string
	text strings.Builder
}

func main() {
	out, err := exec.Command("git", "ls-files", "*.go", "*.md").Output()
	if err != nil {
		log.Fatal("listing the files: ", err)
	}
	product, lab, tests, messages, pages := &corpus{name: "comments"}, &corpus{name: "comments of the lab"},
		&corpus{name: "comments of tests"}, &corpus{name: "messages"}, &corpus{name: "pages"}
	for file := range strings.Lines(string(out)) {
		file = strings.TrimSpace(file)
		src, err := os.ReadFile(file)
		if err != nil {
			log.Fatal(err)
		}
		switch {
		case strings.HasSuffix(file, ".md"):
			pages.text.Write(src)
		case strings.HasSuffix(file, "_test.go"):
			read(src, &tests.text, nil)
		case strings.HasPrefix(file, "internal/lab/") || strings.HasPrefix(file, "cmd/glyphoxa-lab/"):
			read(src, &lab.text, nil)
		default:
			read(src, &product.text, &messages.text)
		}
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	all := []*corpus{product, lab, tests, messages, pages}
	fmt.Fprint(w, "per 10,000 words\tanchors\t")
	for _, c := range all {
		fmt.Fprint(w, c.name, "\t")
	}
	fmt.Fprint(w, "\nwords\t549000\t")
	for _, c := range all {
		fmt.Fprint(w, len(strings.Fields(c.text.String())), "\t")
	}
	for _, p := range phrases {
		anchor := "?"
		if p.anchor >= 0 {
			anchor = strconv.FormatFloat(p.anchor, 'f', 2, 64)
		}
		fmt.Fprintf(w, "\n%s\t%s\t", p.name, anchor)
		for _, c := range all {
			text := c.text.String()
			fmt.Fprintf(w, "%.2f\t", 1e4*float64(len(p.match.FindAllString(text, -1)))/float64(max(len(strings.Fields(text)), 1)))
		}
	}
	fmt.Fprintln(w)
	if err := w.Flush(); err != nil {
		log.Fatal(err)
	}
}

// read adds the comments of a Go file to comments, and string literals of at least three words to messages, if not nil.
func read(src []byte, comments, messages *strings.Builder) {
	var s scanner.Scanner
	set := token.NewFileSet()
	s.Init(set.AddFile("", set.Base(), len(src)), src, nil, scanner.ScanComments)
	for {
		_, tok, text := s.Scan()
		switch tok {
		case token.EOF:
			return
		case token.COMMENT:
			comments.WriteString(strings.TrimLeft(text, "/* ") + "\n")
		case token.STRING:
			said, err := strconv.Unquote(text)
			if err == nil && messages != nil && len(strings.Fields(said)) >= 3 {
				messages.WriteString(said + "\n")
			}
		}
	}
}
