package world

import (
	"bytes"
	"regexp"
	"runtime"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

const (
	// partSize is how much of a large file is read at a time: what is being read
	// takes forty times its size.
	partSize = 64 << 10
	// partsPerSweep is how many parts are read before what they left behind is given
	// back. A program that collects garbage lazily would keep that of all of them.
	partsPerSweep = 6
)

// listKey is a line that begins a list whose entries stand below it.
var listKey = regexp.MustCompile(`^(entities|relations|facts):[ \t]*(#.*)?\r?\n?$`)

// listing is a part of a campaign file: some entries of one of its lists.
type listing struct {
	_         struct{}           `noun:"the campaign"`
	Entities  []entity           `yaml:"entities"`
	Relations []campaignRelation `yaml:"relations"`
	Facts     []fact             `yaml:"facts"`
}

// readParts reads a sound file part by part, as Parse does as a whole but with a
// fraction of the memory. It reports false for a file with anything wrong or unusual
// about it, whose problems are then told from the whole.
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
		above := p.line - 2 // its first line is the second of what was read
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

// part is where some entries of a list are in a file.
type part struct {
	key        string
	start, end int
	line       int // of the first
}

// splitParts cuts the lists of a file into parts of about a size. head is the file
// without what is in the parts, with its lines where they were. A cut in the wrong
// place, such as within quotes over several lines, leaves a quote or bracket open, so
// that reading the part fails.
func splitParts(data []byte, size int) (head []byte, parts []part, ok bool) {
	if hasOddBreaks(data) {
		return nil, nil, false
	}
	seen := map[string]bool{}
	var at *part        // the part that is being filled
	key := ""           // of the list we are in
	dash := []byte(nil) // what its entries begin with
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
			key = "" // something else is in the place of a list
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

// beginsEntry reports whether a line without its indentation begins an entry of a
// list.
func beginsEntry(body []byte) bool {
	return body[0] == '-' && (len(body) == 1 || bytes.IndexByte([]byte(" \t\r\n"), body[1]) >= 0)
}

// hasOddBreaks reports whether a text has line breaks that YAML knows beside the
// usual ones.
func hasOddBreaks(data []byte) bool {
	for i, c := range data {
		if c == '\r' && (i+1 == len(data) || data[i+1] != '\n') {
			return true
		}
	}
	return bytes.Contains(data, []byte("\u0085")) || bytes.Contains(data, []byte("\u2028")) || bytes.Contains(data, []byte("\u2029"))
}
