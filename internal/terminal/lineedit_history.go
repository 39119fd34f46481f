package terminal

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxKept bounds the lines of a history, and maxFile its file in bytes.
const (
	maxKept = 1000
	maxFile = 1 << 20
)

// history is the entered lines, latest last. It is not safe for concurrent use.
type history struct {
	file  string // empty without a file
	lines []string
	at    int    // the shown line; len(lines) for the line being typed
	typed string // the line being typed
}

// openHistory reads the history file. It ignores errors, because the history is only a convenience and the
// transcript has the lines.
func openHistory(file string) *history {
	h := &history{file: file}
	if file == "" {
		return h
	}
	f, err := os.Open(file)
	if err != nil {
		return h
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 4*maxTyped+1)
	kept := 0
	for lines.Scan() {
		h.lines = append(h.lines, lines.Text())
		if kept++; len(h.lines) > maxKept {
			h.lines = h.lines[1:]
		}
	}
	if info, err := f.Stat(); kept > maxKept || err == nil && info.Size() > maxFile {
		h.shrinkFile()
	}
	h.at = len(h.lines)
	return h
}

// shrinkFile replaces the file atomically with the kept lines.
func (h *history) shrinkFile() {
	size := 0
	for i := len(h.lines) - 1; i >= 0; i-- {
		if size += len(h.lines[i]) + 1; size > maxFile/2 {
			h.lines = h.lines[i+1:]
			break
		}
	}
	f, err := os.CreateTemp(filepath.Dir(h.file), ".history-*") // readable only by its owner
	if err != nil {
		return
	}
	_, err = f.WriteString(strings.Join(append(slices.Clone(h.lines), ""), "\n"))
	if closed := f.Close(); err != nil || closed != nil || os.Rename(f.Name(), h.file) != nil {
		_ = os.Remove(f.Name())
	}
}

// add adds a line, unless it is empty, begins with a blank, or repeats the previous one.
func (h *history) add(line string) {
	if line != "" && line[0] != ' ' && (len(h.lines) == 0 || h.lines[len(h.lines)-1] != line) {
		h.lines = append(h.lines, line)
		if len(h.lines) > maxKept {
			h.lines = h.lines[1:]
		}
		h.append(line)
	}
	h.at, h.typed = len(h.lines), ""
}

// append appends a line to the file and ignores errors.
func (h *history) append(line string) {
	if h.file == "" {
		return
	}
	f, err := os.OpenFile(h.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	_, _ = f.WriteString(line + "\n")
	_ = f.Close()
}

// older returns the previous line that begins with the typed text.
func (h *history) older(shown string) (string, bool) {
	if h.at == len(h.lines) {
		h.typed = shown
	}
	for i := h.at - 1; i >= 0; i-- {
		if strings.HasPrefix(h.lines[i], h.typed) && h.lines[i] != shown {
			h.at = i
			return h.lines[i], true
		}
	}
	return "", false
}

// newer returns the next such line, or the typed text.
func (h *history) newer(shown string) (string, bool) {
	if h.at >= len(h.lines) {
		return "", false
	}
	for i := h.at + 1; i < len(h.lines); i++ {
		if strings.HasPrefix(h.lines[i], h.typed) && h.lines[i] != shown {
			h.at = i
			return h.lines[i], true
		}
	}
	h.at = len(h.lines)
	return h.typed, true
}
