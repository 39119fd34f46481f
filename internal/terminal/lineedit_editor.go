package terminal

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

const (
	// prompt stands before what is typed.
	prompt = "> "
	// maxUnshown bounds what was written and is not shown yet, in bytes; beyond that
	// Write waits, as it would for the terminal itself.
	maxUnshown = 1 << 20
	// maxUntaken bounds the lines that were entered and not taken yet; beyond that a line
	// stays where it is typed.
	maxUntaken = 64
	// maxTyped bounds a line in characters, about as a terminal without an editor does.
	maxTyped = 4096
)

// EditorOptions say how lines are edited.
type EditorOptions struct {
	// In and Out are the terminal.
	In  io.Reader
	Out io.Writer
	// History is the file that keeps what was entered. If empty, it is kept until Close.
	History string
	// Complete returns what may stand for the end of a text, from a byte on: nothing, if
	// nothing fits. If nil, nothing is completed.
	Complete func(text string) (from int, candidates []string)
	// Interrupt is called for Ctrl-C on an empty line, after which no line is read. If nil,
	// the input just ends.
	Interrupt func()
	// Colour lets the editor use it.
	Colour bool
}

// Editor reads lines from a terminal. It is safe for concurrent use.
type Editor struct {
	lines   chan string
	program *tea.Program
	out     io.Writer
	work    sync.WaitGroup
	ended   chan struct{} // closed once the terminal is as it was
	size    chan size     // the terminal's, the latest
	drawn   chan struct{} // closed once the line that is typed stands there

	mu       sync.Mutex // guards the fields below
	changed  *sync.Cond
	unshown  []byte
	shown    bool // nothing that was written is still on its way
	released bool // the terminal is as it was: what is written goes there directly
	err      error
}

// StartEditor takes over the terminal until Close, ctx ends, or the input does.
func StartEditor(ctx context.Context, o EditorOptions) *Editor {
	e := &Editor{lines: make(chan string, maxUntaken), out: o.Out, ended: make(chan struct{}), size: make(chan size, 1), drawn: make(chan struct{}), shown: true}
	e.changed = sync.NewCond(&e.mu)
	m := newModel(e, o)
	e.program = tea.NewProgram(m, tea.WithInput(o.In), tea.WithOutput(e.watchDrawing(o.Out)), tea.WithoutSignalHandler())
	e.work.Go(func() {
		defer close(e.lines)
		_, err := e.program.Run()
		close(e.ended)
		e.releaseTerminal(err)
	})
	e.work.Go(e.showWritten)
	stop := context.AfterFunc(ctx, func() { e.program.Send(leave{}) })
	e.work.Go(func() {
		<-e.ended
		stop()
	})
	return e
}

// Lines brings what is entered, and is closed when the input ends.
func (e *Editor) Lines() <-chan string { return e.lines }

// Write shows text above the line that is typed; what ends in no newline can go on.
func (e *Editor) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(e.unshown) > maxUnshown && !e.released {
		e.changed.Wait()
	}
	if e.released {
		if e.err != nil {
			return 0, e.err
		}
		return e.out.Write(p)
	}
	e.addLocked(string(p))
	return len(p), nil
}

// add shows text as Write does, and never waits.
func (e *Editor) add(text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.addLocked(text)
}

func (e *Editor) addLocked(text string) {
	e.unshown, e.shown = append(e.unshown, text...), false
	e.changed.Broadcast()
}

// Close shows what was written and gives the terminal back as it was.
func (e *Editor) Close() error {
	e.mu.Lock()
	for !e.shown && !e.released {
		e.changed.Wait()
	}
	e.mu.Unlock()
	e.program.Send(leave{})
	e.work.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

// releaseTerminal lets what is written go to the terminal itself from now on.
func (e *Editor) releaseTerminal(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.released = true
	if err != nil {
		e.err = fmt.Errorf("reading from the terminal: %w", err)
	}
	e.changed.Broadcast()
}

// standing is what stands unfinished above the line that is typed.
type standing struct {
	text string
	done chan struct{} // closed once it is shown
}

// usualWidth and usualHeight are those of a terminal that does not say how large it is.
const usualWidth, usualHeight = 80, 24

// size is the terminal's, in cells.
type size struct{ width, height int }

// showWritten brings what is written to the program, in whole rows, until the terminal is
// released.
func (e *Editor) showWritten() {
	var line string // what has no newline yet
	var s size
	for {
		text, ok := e.takeUnshown()
		if !ok {
			return
		}
		if s.width == 0 { // rows wait until it is known how long they may be
			s = e.awaitDrawing()
		}
		select {
		case s = <-e.size:
		default:
		}
		var rows []string
		all := strings.Split(line+text, "\n")
		for _, whole := range all[:len(all)-1] {
			rows = append(rows, wrapRows(whole, s.width)...)
		}
		last := wrapRows(all[len(all)-1], s.width)
		rows, line = append(rows, last[:len(last)-1]...), last[len(last)-1]
		e.showRows(rows, line, max(1, s.height/3))
	}
}

// file is what the program wants to know of a terminal.
type file interface {
	io.ReadWriteCloser
	Fd() uintptr
}

// watched is a terminal that tells when the line that is typed is drawn first: only then
// does the program know where above it is.
type watched struct {
	file
	tell func()
}

func (w watched) Write(p []byte) (int, error) {
	n, err := w.file.Write(p)
	if bytes.Contains(p, []byte(ansi.ShowCursor)) {
		w.tell()
	}
	return n, err
}

func (e *Editor) watchDrawing(out io.Writer) io.Writer {
	tell := sync.OnceFunc(func() { close(e.drawn) })
	if f, ok := out.(file); ok {
		return watched{f, tell}
	}
	tell()
	return out
}

// awaitDrawing returns the terminal's size once rows can be shown.
func (e *Editor) awaitDrawing() (s size) {
	select {
	case s = <-e.size:
	case <-e.ended:
		return s
	}
	select {
	case <-e.drawn:
	case <-e.ended:
	}
	return s
}

// showRows shows rows, at most so many at a time, and what stands behind them.
func (e *Editor) showRows(rows []string, line string, most int) {
	for some := range slices.Chunk(rows, most) {
		if some[len(some)-1] == "" { // the program takes an empty text for nothing to show
			some[len(some)-1] = " "
		}
		e.program.Send(tea.Println(strings.Join(some, "\n"))())
	}
	last := standing{text: line, done: make(chan struct{})}
	e.program.Send(last)
	e.mu.Lock()
	defer e.mu.Unlock()
	select {
	case <-last.done:
	case <-e.ended:
	}
	e.shown = len(e.unshown) == 0
	e.changed.Broadcast()
}

// takeUnshown waits for text; it reports false when there will be none.
func (e *Editor) takeUnshown() (string, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(e.unshown) == 0 && !e.released {
		e.changed.Wait()
	}
	text := string(e.unshown)
	e.unshown = nil
	if text == "" {
		return "", false
	}
	e.changed.Broadcast()
	return text, true
}

// wrapRows breaks a line at its words so that each row fits; at least one row. The last
// column stays empty: what a terminal does behind it differs.
func wrapRows(line string, width int) []string {
	if width < 2 {
		return []string{line}
	}
	return strings.Split(lipgloss.Wrap(line, width-1, ""), "\n")
}
