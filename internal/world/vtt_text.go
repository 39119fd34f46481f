package world

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// block is a paragraph of a text.
type block struct {
	text string
	// secret is set if the text hides it from players.
	secret bool
	links  []string
}

// Elements that begin a paragraph, and elements without text.
var (
	breaking = []atom.Atom{atom.P, atom.Div, atom.Section, atom.Article, atom.Aside, atom.Blockquote, atom.H1, atom.H2, atom.H3, atom.H4,
		atom.H5, atom.H6, atom.Li, atom.Ul, atom.Ol, atom.Dl, atom.Dt, atom.Dd, atom.Tr, atom.Table, atom.Hr, atom.Br, atom.Pre,
		atom.Figure, atom.Figcaption, atom.Header, atom.Footer, atom.Details, atom.Summary, atom.Caption}
	headings = []atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}
	silent   = []atom.Atom{atom.Script, atom.Style, atom.Template, atom.Head, atom.Iframe, atom.Svg, atom.Math, atom.Object, atom.Noscript}
	void     = []atom.Atom{atom.Br, atom.Hr, atom.Img, atom.Input, atom.Wbr, atom.Area, atom.Col, atom.Embed, atom.Source, atom.Track, atom.Meta, atom.Link, atom.Base}
)

// within counts the nesting depth in an element; 0 means outside.
type within struct {
	name  string
	depth int
}

// open enters an element if enter is set and none is open, or one with the same name inside it.
func (w *within) open(name string, enter bool) {
	if w.depth == 0 && enter {
		w.name = name
	}
	if w.depth > 0 && name == w.name || w.depth == 0 && enter {
		w.depth++
	}
}

func (w *within) close(name string) {
	if w.depth > 0 && name == w.name {
		w.depth--
	}
}

// paragraphs returns the paragraphs of an HTML text. A secret section without an end tag extends to the end.
func paragraphs(text string) []block {
	z := html.NewTokenizer(strings.NewReader(text))
	z.SetMaxBuf(maxFile)
	var out []block
	var at strings.Builder
	var links []string
	var secret, skipped within
	flush := func() {
		if at.Len() == 0 && len(links) == 0 {
			return // skip empty paragraphs
		}
		out = append(out, block{at.String(), secret.depth > 0, links})
		at.Reset()
		links = nil
	}
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			flush()
			return out
		case html.TextToken:
			if skipped.depth == 0 {
				at.Write(z.Text())
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			if slices.Contains(breaking, t.DataAtom) {
				flush()
			} else if t.DataAtom == atom.Td || t.DataAtom == atom.Th {
				at.WriteByte(' ')
			}
			hides := hidesFromPlayers(t)
			if hides && secret.depth == 0 {
				flush()
			}
			if link := linkOf(t); link != "" {
				links = append(links, link)
			}
			if kind == html.StartTagToken && !slices.Contains(void, t.DataAtom) {
				secret.open(t.Data, hides)
				skipped.open(t.Data, slices.Contains(silent, t.DataAtom))
			}
		case html.EndTagToken:
			t := z.Token()
			if slices.Contains(headings, t.DataAtom) && strings.TrimSpace(at.String()) != "" {
				at.WriteByte(':')
			}
			if slices.Contains(breaking, t.DataAtom) || secret.depth == 1 && t.Data == secret.name {
				flush()
			}
			secret.close(t.Data)
			skipped.close(t.Data)
		}
	}
}

// hidesFromPlayers reports whether an element is hidden from players in Foundry VTT or its rule systems.
func hidesFromPlayers(t html.Token) bool {
	for _, a := range t.Attr {
		switch a.Key {
		case "class":
			classes := strings.Fields(strings.ToLower(a.Val))
			if slices.Contains(classes, "revealed") {
				continue
			}
			for _, c := range classes {
				switch c {
				case "secret", "gm", "gm-only", "gmonly", "gmnote", "gm-note", "dm-only", "dmonly":
					return true
				}
			}
		case "data-visibility":
			if v := strings.ToLower(a.Val); v != "all" && v != "" {
				return true
			}
		}
	}
	return false
}

var roll20Link = regexp.MustCompile(`^https?://journal\.roll20\.net/(character|handout|page)/([A-Za-z0-9_-]{1,40})`)

// linkOf returns the document that an element links to, or "".
func linkOf(t html.Token) string {
	if t.DataAtom != atom.A {
		return ""
	}
	for _, a := range t.Attr {
		if a.Key == "data-uuid" {
			return a.Val
		}
		if m := roll20Link.FindStringSubmatch(a.Val); a.Key == "href" && m != nil {
			return m[1] + "/" + m[2]
		}
	}
	return ""
}

// Links and rolls in Foundry VTT texts.
var (
	reference  = regexp.MustCompile(`[@&]([A-Za-z]{2,20})\[([^\[\]]{0,300})\](?:\{([^{}]{0,300})\})?`)
	inlineRoll = regexp.MustCompile(`\[\[(?:/[a-z]+ +)?([^\[\]]{0,200})\]\](?:\{([^{}]{0,300})\})?`)
	// setting is a parameter of a check since version 12, such as "dc=15".
	setting = regexp.MustCompile(`\b([A-Za-z]{2,20})=`)
)

// resolver returns the key of a link's document, and its name if the readers of the text may know it.
type resolver func(link string) (key, name string)

// resolve converts a paragraph to plain text and its links to keys.
func (b *block) resolve(find resolver) {
	var keys []string
	seen := map[string]bool{}
	add := func(link string) (name string) {
		key, name := find(link)
		if key != "" && !seen[key] {
			seen[key] = true
			keys = append(keys, key)
		}
		return name
	}
	for _, l := range b.links {
		add(l)
	}
	text := inlineRoll.ReplaceAllStringFunc(b.text, func(s string) string {
		m := inlineRoll.FindStringSubmatch(s)
		if m[2] != "" {
			return m[2]
		}
		return setting.ReplaceAllString(m[1], "$1 ")
	})
	text = reference.ReplaceAllStringFunc(text, func(s string) string {
		m := reference.FindStringSubmatch(s)
		label := m[3]
		switch m[1] {
		case "UUID", "Embed", "Actor", "Item", "JournalEntry", "Scene", "Compendium":
			target, _, _ := strings.Cut(m[2], "#")
			target, _, _ = strings.Cut(target, " ")
			if m[1] != "UUID" && m[1] != "Embed" {
				target = m[1] + "." + m[2]
			}
			name := add(target)
			if label == "" {
				if label = name; label == "" {
					label = "something"
				}
			}
		case "RollTable", "Macro", "Playlist", "Cards":
		default: // checks, damage, templates: the rule's term
			if label == "" {
				label, _, _ = strings.Cut(m[2], "|")
			}
		}
		return label
	})
	b.text, b.links = oneLine(text), keys
}

// oneLine returns a text as one line without invisible characters.
func oneLine(s string) string {
	s = strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case c == utf8.RuneError || !unicode.IsGraphic(c) && c != '\u200c' && c != '\u200d':
			return -1
		}
		return c
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// Sizes of a fact in bytes: shorter paragraphs are joined, longer ones split.
const (
	goodFact = 400
	mostFact = 800
)

var sentenceEnd = regexp.MustCompile(`[.!?…]["'”’)]* `)

// factSized joins and splits texts into pieces of a suitable size for facts.
func factSized(texts []string) (out []string) {
	at := ""
	for _, text := range texts {
		for len(text) > mostFact {
			cut := 0
			for _, m := range sentenceEnd.FindAllStringIndex(text[:mostFact], -1) {
				cut = m[1]
			}
			if cut == 0 {
				cut = strings.LastIndexByte(text[:mostFact], ' ') + 1
			}
			if cut == 0 {
				for cut = mostFact; !utf8.RuneStart(text[cut]); cut-- {
				}
			}
			if at != "" {
				out, at = append(out, at), ""
			}
			out, text = append(out, strings.TrimSpace(text[:cut])), strings.TrimSpace(text[cut:])
		}
		switch {
		case text == "":
		case at == "":
			at = text
		case len(at)+len(text) < goodFact:
			at += " " + text
		default:
			out, at = append(out, at), text
		}
	}
	if at != "" {
		out = append(out, at)
	}
	return out
}

// short returns a word of a file for an error message.
func short(s string) string {
	const most = 60
	s = oneLine(s)
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
