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
	// prompt precedes the typed line.
	prompt = "> "
	// maxUnshown bounds the output that is not shown yet, in bytes. At the limit, Write blocks, as it would
	// for the terminal.
	maxUnshown = 1 << 20
	// maxUntaken bounds the entered lines that were not received yet. At the limit, Enter has no effect.
	maxUntaken = 64
	// maxTyped bounds a line in characters, similar to a terminal without an editor.
	maxTyped = 4096
)

// EditorOptions configure an Editor.
type EditorOptions struct {
	// In and Out are the terminal.
	In  io.Reader
	Out io.Writer
	// History is the file with the entered lines. If empty, the history lasts until Close.
	History string
	// Complete returns completions for the end of a text, starting at byte from. If nil, there is no
	// completion.
	Complete func(text string) (from int, candidates []string)
	// Interrupt is called for Ctrl-C on an empty line, which ends the input. It may be nil.
	Interrupt func()
	// Colour enables colours.
	Colour bool
}

// Editor reads lines from a terminal. It is safe for concurrent use.
type Editor struct {
	lines   chan string
	program *tea.Program
	out     io.Writer
	work    sync.WaitGroup
	ended   chan struct{} // closed when the terminal is restored
	size    chan size     // the terminal's latest size
	drawn   chan struct{} // closed when the input line was drawn first

	mu            sync.Mutex // guards the fields below
	changed       *sync.Cond
	pendingOutput []byte
	shown         bool // all output is shown
	released      bool // the terminal is restored, and output goes to it directly
	err           error
}

// StartEditor takes over the terminal until Close, or until ctx or the input ends.
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
	stop := context.AfterFunc(ctx, func() { e.program.Send(quitMessage{}) })
	e.work.Go(func() {
		<-e.ended
		stop()
	})
	return e
}

// Lines returns the channel of entered lines. It is closed when the input ends.
func (e *Editor) Lines() <-chan string { return e.lines }

// Write shows text above the input line. Text without a final newline can be continued.
func (e *Editor) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(e.pendingOutput) > maxUnshown && !e.released {
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

// add is like Write, but never blocks.
func (e *Editor) add(text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.addLocked(text)
}

func (e *Editor) addLocked(text string) {
	e.pendingOutput, e.shown = append(e.pendingOutput, text...), false
	e.changed.Broadcast()
}

// Close shows the remaining output and restores the terminal.
func (e *Editor) Close() error {
	e.mu.Lock()
	for !e.shown && !e.released {
		e.changed.Wait()
	}
	e.mu.Unlock()
	e.program.Send(quitMessage{})
	e.work.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

// releaseTerminal directs output to the terminal itself from now on.
func (e *Editor) releaseTerminal(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.released = true
	if err != nil {
		e.err = fmt.Errorf("reading from the terminal: %w", err)
	}
	e.changed.Broadcast()
}

// standing is the unfinished row above the input line.
type standing struct {
	text string
	done chan struct{} // closed when shown
}

// usualWidth and usualHeight are the size of a terminal that does not report one.
const usualWidth, usualHeight = 80, 24

// size is a terminal's size in cells.
type size struct{ width, height int }

// showWritten passes output to the program in whole rows until the terminal is released.
func (e *Editor) showWritten() {
	var line string // text without a newline yet
	var s size
	for {
		text, ok := e.nextOutput()
		if !ok {
			return
		}
		if s.width == 0 { // rows need a known width
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

// file is the program's interface to a terminal.
type file interface {
	io.ReadWriteCloser
	Fd() uintptr
}

// watched is a terminal that reports when the input line is first drawn, because only then does the program
// know where to insert rows above it.
type watched struct {
	file
	notify func()
}

func (w watched) Write(p []byte) (int, error) {
	n, err := w.file.Write(p)
	if bytes.Contains(p, []byte(ansi.ShowCursor)) {
		w.notify()
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

// awaitDrawing returns the terminal's size when rows can be shown.
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

// showRows shows rows, at most most at a time, and the unfinished row after them.
func (e *Editor) showRows(rows []string, line string, most int) {
	for some := range slices.Chunk(rows, most) {
		if some[len(some)-1] == "" { // the program ignores an empty text
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
	e.shown = len(e.pendingOutput) == 0
	e.changed.Broadcast()
}

// nextOutput waits for output; it returns false when there will be none.
func (e *Editor) nextOutput() (string, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(e.pendingOutput) == 0 && !e.released {
		e.changed.Wait()
	}
	text := string(e.pendingOutput)
	e.pendingOutput = nil
	if text == "" {
		return "", false
	}
	e.changed.Broadcast()
	return text, true
}

// wrapRows wraps a line at words into at least one row. The last column stays empty, because terminals behave
// differently after it.
func wrapRows(line string, width int) []string {
	if width < 2 {
		return []string{line}
	}
	return strings.Split(lipgloss.Wrap(line, width-1, ""), "\n")
}
