// Package terminal is a table in a terminal or on a pipe: a console that reads lines and orders, a screen
// that shows events, players heard through this machine, and voices played on it. It makes no decisions about
// turns. To play in a terminal:
//
//	err := terminal.Play(ctx, game, terminal.Options{Terminal: true, In: os.Stdin, Out: os.Stdout})
//
// An [Editor] reads typed lines with history and completion, while output appears above the line.
package terminal

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// maxLine bounds a typed line in bytes. Longer lines are truncated with a notice.
const maxLine = 1 << 20

// Options configure a table in the terminal.
type Options struct {
	// NPC, if not empty, is the only NPC at the table.
	NPC string
	// WAV is a file that records the voices; Aloud plays them.
	WAV   string
	Aloud bool
	// Speaker is the speaker of lines without a name.
	Speaker string
	// Hear lists the players with sound: [NAME=]mic or [NAME=]FILE.wav. Without a name, it is Speaker.
	Hear []string
	JSON bool
	// Terminal means that a human types. Otherwise the input is a script, where each line waits for the
	// previous turn.
	Terminal bool
	// Edit enables line editing; In and Out must be one capable terminal. Colour enables colours.
	Edit, Colour bool
	// Timing shows the timing after each answer.
	Timing bool
	// Interrupt is called for Ctrl-C during line editing.
	Interrupt func()
	// Guests are the players who join in a browser; nil if no one can.
	Guests Guests
	In     io.Reader
	Out    io.Writer
	// Err is the writer of other output to the terminal; nil if there is none.
	Err *Redirect
}

// Play runs a table on typed lines and players' speech until the input ends, /quit or ctx ends. A script also
// waits for the end of all players' sound.
func Play(ctx context.Context, game *play.Game, o Options) (err error) {
	players, err := openCaptures(game.Config, o.Hear, o.Speaker)
	if err == nil {
		err = refuseOverwriting(players, o.WAV)
	}
	if err != nil {
		return err
	}
	var lines *Editor
	if o.Edit && !o.JSON {
		editing, stop := context.WithCancel(ctx)
		defer stop()
		lines = StartEditor(editing, EditorOptions{
			In: o.In, Out: o.Out, Colour: o.Colour, Interrupt: o.Interrupt,
			History: filepath.Join(game.Config.DataDir, "history"), Complete: completer(game),
		})
		o.Out = lines
		defer func() { err = errors.Join(err, lines.Close()) }()
		defer o.Err.To(lines)()
	}
	screen := newScreen(o.Out, o.JSON, o.Terminal && lines == nil)
	screen.edited, screen.colour, screen.timing = lines != nil, o.Colour && lines != nil, o.Timing
	p := &console{game: game, screen: screen, o: o, editor: lines}
	screen.nameOf = p.nameOf
	heard := outlets{notify: screen.showNotice}
	defer func() { err = errors.Join(err, heard.Close()) }()
	listening := captures{all: players, screen: screen}
	if err := listening.openDetection(game.Config.Hearing); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, listening.closeDetection()) }()
	session := play.SessionOptions{NPC: o.NPC, Sink: screen, Notify: screen.showNotice}
	if o.WAV != "" || o.Aloud {
		session.OpenSound = func() (play.Sound, error) { return heard.openOutlets(o) }
	}
	s, err := game.StartSession(ctx, session)
	if err != nil {
		return err
	}
	p.session, p.captures = s, &listening
	p.introduceTable(ctx)
	listening.reportDetection(game.Config.Hearing.Detection)
	err = p.admitSpeaker(ctx)
	if err == nil {
		err = listening.seatPlayers(ctx, s.Table)
	}
	if err == nil {
		err = p.run(ctx)
	}
	listening.stopCaptures()
	if err := errors.Join(err, s.Close()); err != nil {
		return err
	}
	return screen.writeError()
}

// console reads lines and turns them into utterances and orders.
type console struct {
	game     *play.Game
	session  *play.Session
	screen   *screen
	o        Options
	captures *captures
	editor   *Editor // nil without line editing
}

// introduceTable shows the NPCs and notices. A script waits until all tools are available and measured, so
// that its first line can use them.
func (p *console) introduceTable(ctx context.Context) {
	if !p.o.JSON {
		status, err := p.session.Table.Status(ctx)
		if err == nil {
			p.screen.showCast(p.game.Config.Campaign.Name, p.game.Scene(), status)
		}
	}
	for _, n := range p.session.Notices {
		p.screen.showNotice("info", n)
	}
	if p.o.Terminal {
		p.game.InBackground(func(context.Context) { p.game.Prepare(ctx, p.screen.showNotice) })
		return
	}
	p.game.Prepare(ctx, p.screen.showNotice)
}

// typed is a line of the input.
type typed struct {
	text string
	cut  bool // the line was longer than maxLine
	err  error
}

func (p *console) run(ctx context.Context) error {
	lines := make(chan typed)
	stop := make(chan struct{})
	defer close(stop)
	defer p.screen.endOutput()
	if p.editor != nil {
		go passLines(p.editor.Lines(), lines, stop) // ends with stop
	} else {
		// A blocked read, for example from a terminal, cannot be interrupted. The goroutine then ends with
		// the process.
		go readLines(p.o.In, lines, stop)
	}
	p.screen.showPrompt()
	for {
		var l typed
		var more bool
		select {
		case <-ctx.Done():
			return nil
		case <-p.screen.broken: // the output has failed
			return p.screen.writeError()
		case l, more = <-lines:
		}
		if !more {
			return p.awaitLastTurns(ctx)
		}
		p.screen.recordEntered()
		if l.err != nil {
			return fmt.Errorf("reading the input: %w", l.err)
		}
		if l.cut {
			p.screen.showNotice("warning", fmt.Sprintf("a line was longer than %d bytes; the rest of it was dropped", maxLine))
		}
		quit, err := p.handleLine(ctx, l.text)
		if err != nil {
			p.screen.showNotice("error", err.Error())
		}
		if quit { // do not wait for an answer
			return nil
		}
		if !p.o.Terminal {
			if err := p.screen.awaitQuiet(ctx); err != nil {
				return err
			}
		}
		p.screen.showPrompt()
	}
}

// passLines forwards entered lines, and closes lines at the end.
func passLines(entered <-chan string, lines chan<- typed, stop <-chan struct{}) {
	defer close(lines)
	for text := range entered {
		select {
		case lines <- typed{text: text}:
		case <-stop:
			return
		}
	}
}

// readLines sends the input line by line, and closes lines at the end.
func readLines(in io.Reader, lines chan<- typed, stop <-chan struct{}) {
	defer close(lines)
	send := func(l typed) bool {
		select {
		case lines <- l:
			return true
		case <-stop:
			return false
		}
	}
	r := bufio.NewReaderSize(in, 64<<10)
	var line []byte
	cut := false
	for {
		piece, err := r.ReadSlice('\n')
		if room := maxLine - len(line); len(piece) > room {
			piece, cut = piece[:max(room, 0)], true
		}
		line = append(line, piece...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if len(line) > 0 && !send(typed{text: strings.TrimRight(string(line), "\r\n"), cut: cut}) {
			return
		}
		line, cut = line[:0], false
		if err != nil {
			if !errors.Is(err, io.EOF) {
				send(typed{err: err})
			}
			return
		}
	}
}

// handleLine handles a typed line and reports whether it ends the play.
func (p *console) handleLine(ctx context.Context, text string) (quit bool, err error) {
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "":
		return false, nil
	case strings.HasPrefix(trimmed, "/"):
		return p.runOrder(ctx, trimmed)
	case p.o.Terminal && barewords[strings.ToLower(trimmed)] != "":
		p.screen.showNotice("info", barewords[strings.ToLower(trimmed)])
		return false, nil
	}
	if !utf8.ValidString(text) {
		p.screen.showNotice("warning", "some characters of the line could not be read and were replaced; send text in UTF-8")
	}
	u, err := p.utteranceOf(ctx, trimmed)
	if err != nil {
		p.screen.showNotice("warning", err.Error())
		return false, nil
	}
	p.screen.expectTurn()
	if err := p.session.Table.Hear(ctx, u); err != nil {
		p.screen.unexpectTurn()
		if ctx.Err() != nil {
			return true, nil
		}
		return true, err
	}
	return false, nil
}

// utteranceOf converts a typed line for the table. It returns an error if the line has a name that could pass
// for another's.
func (p *console) utteranceOf(ctx context.Context, line string) (table.Utterance, error) {
	u := table.Utterance{Speaker: p.o.Speaker, Text: line}
	called, rest, ok := p.splitSpeaker(line)
	if !ok {
		return u, nil
	}
	shown, err := p.session.Table.Admit(ctx, called, "")
	switch {
	case err == nil:
		u.Speaker, u.Text = shown, rest
	case ctx.Err() != nil || errors.Is(err, table.ErrClosed): // Hear reports it
	default:
		return u, fmt.Errorf("that was not said: %w; start the line with another player's name, or leave the name out", err)
	}
	return u, nil
}

// admitSpeaker registers the name of the speaker of lines without a name.
func (p *console) admitSpeaker(ctx context.Context) error {
	p.o.Speaker = cmp.Or(p.o.Speaker, "Player")
	shown, err := p.session.Table.Admit(ctx, p.o.Speaker, "")
	switch {
	case err == nil:
		p.o.Speaker = shown
		return nil
	case ctx.Err() != nil:
		return nil
	}
	return userfile.Usage(fmt.Errorf("--speaker %q: %w; give the player another name, or name the game master in table.leads in glyphoxa.yaml", p.o.Speaker, err))
}

// speakerLine matches "Name: text", with a name of one to three capitalised words.
var speakerLine = regexp.MustCompile(`^(\p{Lu}[\p{L}\p{N}'’-]*(?: \p{Lu}[\p{L}\p{N}'’-]*){0,2}): +(.+)$`)

// splitSpeaker splits "Name: text", unless the name is an NPC's, which means that the line addresses it.
func (p *console) splitSpeaker(text string) (name, rest string, ok bool) {
	m := speakerLine.FindStringSubmatch(text)
	if m == nil {
		return "", "", false
	}
	for _, n := range p.game.Cast() {
		for _, name := range append([]string{n.Name}, n.Aliases...) {
			if strings.EqualFold(name, m[1]) {
				return "", "", false
			}
		}
	}
	return m[1], m[2], true
}
