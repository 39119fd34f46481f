package world

import (
	"bytes"
	"regexp"
	"runtime"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

const (
	// partSize is the size of the parts in which large files are read, because parsing takes forty times a
	// part's size in memory.
	partSize = 64 << 10
	// partsPerSweep is the number of parts between garbage collections. Otherwise a program that collects
	// rarely would keep the garbage of all parts.
	partsPerSweep = 6
)

// listKey matches a line that begins a list with entries below it.
var listKey = regexp.MustCompile(`^(entities|relations|facts):[ \t]*(#.*)?\r?\n?$`)

// listing is a part of a campaign file: entries of one of its lists.
type listing struct {
	_         struct{}           `noun:"the campaign"`
	Entities  []entity           `yaml:"entities"`
	Relations []campaignRelation `yaml:"relations"`
	Facts     []fact             `yaml:"facts"`
}

// readParts reads a valid file in parts, with a fraction of ParseCampaign's memory. It returns false for a
// file with problems or unusual syntax, whose problems must be found by reading it as a whole.
func readParts(file string, data []byte, size int) (w *world, doc *userfile.Document, ok bool) {
	head, parts, ok := splitParts(data, size)
	if !ok {
		return nil, nil, false
	}
	var problems userfile.Problems
	w = new(world)
	doc = userfile.ReadYAML(file, head, w, &options, &problems)
	for i, p := range parts {
		if len(problems) > 0 {
			return nil, nil, false
		}
		var l listing
		userfile.ReadYAML(file, append([]byte(p.key+":\n"), data[p.start:p.end]...), &l, &options, &problems)
		above := p.line - 2 // the first line of the part is the second one parsed
		for j := range l.Entities {
			l.Entities[j].Line += above
		}
		for j := range l.Relations {
			l.Relations[j].Line += above
		}
		for j := range l.Facts {
			l.Facts[j].Line += above
		}
		w.Entities = append(w.Entities, l.Entities...)
		w.Relations = append(w.Relations, l.Relations...)
		w.Facts = append(w.Facts, l.Facts...)
		if i%partsPerSweep == partsPerSweep-1 {
			runtime.GC()
		}
	}
	if len(problems) > 0 {
		return nil, nil, false
	}
	var c checker
	c.check(w)
	return w, doc, !c.faulty
}

// part is the position of some entries of a list in a file.
type part struct {
	key        string
	start, end int
	line       int // of the first entry
}

// splitParts splits the lists of a file into parts of about the given size. head is the file without the
// parts, with unchanged line numbers. A split in a wrong place, such as within a quoted string over several
// lines, leaves a quote or bracket open, so that parsing the part fails.
func splitParts(data []byte, size int) (head []byte, parts []part, ok bool) {
	if hasOddBreaks(data) {
		return nil, nil, false
	}
	seen := map[string]bool{}
	var at *part        // the part being filled
	key := ""           // the current list
	dash := []byte(nil) // the beginning of its entries
	start := 0
	for line := 1; start < len(data); line++ {
		end := start + 1 + bytes.IndexByte(data[start:], '\n')
		if end == start {
			end = len(data)
		}
		text := data[start:end]
		body := bytes.TrimLeft(text, " ")
		blank := len(bytes.TrimSpace(body)) == 0 || body[0] == '#'
		switch indent := len(text) - len(body); {
		case !blank && indent == 0 && body[0] != '-':
			key, at, dash = "", nil, nil
			if m := listKey.FindSubmatch(text); m != nil {
				key = string(m[1])
				if seen[key] {
					return nil, nil, false
				}
				seen[key] = true
			}
		case blank || key == "":
		case dash == nil && !beginsEntry(body):
			key = "" // the key's value is not a list
		default:
			if dash == nil {
				dash = text[:indent+1]
			}
			if bytes.HasPrefix(text, dash) && beginsEntry(body) && (at == nil || start-at.start >= size) {
				parts = append(parts, part{key: key, start: start, line: line})
				at = &parts[len(parts)-1]
			}
		}
		if at != nil {
			at.end = end
			if end > start && text[len(text)-1] == '\n' {
				head = append(head, '\n')
			}
		} else {
			head = append(head, text...)
		}
		start = end
	}
	return head, parts, len(parts) > 0
}

// beginsEntry reports whether a line without its indentation begins a list entry.
func beginsEntry(body []byte) bool {
	return body[0] == '-' && (len(body) == 1 || bytes.IndexByte([]byte(" \t\r\n"), body[1]) >= 0)
}

// hasOddBreaks reports whether a text has unusual line breaks that YAML recognises.
func hasOddBreaks(data []byte) bool {
	for i, c := range data {
		if c == '\r' && (i+1 == len(data) || data[i+1] != '\n') {
			return true
		}
	}
	return bytes.Contains(data, []byte("\u0085")) || bytes.Contains(data, []byte("\u2028")) || bytes.Contains(data, []byte("\u2029"))
}
