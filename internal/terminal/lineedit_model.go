package terminal

import (
	"cmp"
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"
)

// quitMessage ends the program and keeps the unfinished row.
type quitMessage struct{}

// model is the input line and the rows around it. Only the program uses it.
type model struct {
	editor  *Editor
	options EditorOptions
	size    size
	input   textinput.Model
	history *history
	// standing is the unfinished row above.
	standing string
	choices  choices
	notice   string // shown below until a key is pressed
	leaving  bool
}

// choices are the completions for Tab; the zero value has none.
type choices struct {
	all    []string
	at     int
	prefix string // text before the choice
	rest   string // text after it
}

func newModel(e *Editor, o EditorOptions) *model {
	in := textinput.New()
	in.Prompt, in.CharLimit = "", maxTyped
	in.KeyMap.Paste = key.NewBinding() // the terminal handles pasting
	in.SetVirtualCursor(false)
	in.Focus()
	return &model{editor: e, options: o, input: in, history: openHistory(o.History)}
}

// Init implements tea.Model.
func (m *model) Init() tea.Cmd { return nil }

// Update implements tea.Model.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.size = size{cmp.Or(msg.Width, usualWidth), cmp.Or(msg.Height, usualHeight)}
		select { // keep only the latest
		case <-m.editor.size:
		default:
		}
		m.editor.size <- m.size
		return m, nil
	case standing:
		m.standing = msg.text
		close(msg.done)
		return m, nil
	case quitMessage:
		return m, m.endInput()
	case tea.KeyPressMsg:
		m.notice = ""
		return m, m.press(msg)
	case tea.PasteMsg:
		m.choices = choices{}
	}
	var cmd tea.Cmd
	m.input, cmd = m.input.Update(msg)
	return m, cmd
}

// endInput ends the program. The unfinished row becomes a row of its own.
func (m *model) endInput() tea.Cmd {
	if m.leaving {
		return nil
	}
	m.leaving = true
	if m.standing != "" {
		return tea.Sequence(tea.Println(m.standing), tea.Quit)
	}
	return tea.Quit
}

// press handles a key.
func (m *model) press(k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	switch name {
	case "tab", "shift+tab":
		m.complete(name == "tab")
		return nil
	}
	m.choices = choices{}
	switch name {
	case "enter", "ctrl+j", "ctrl+m":
		m.enter()
		return nil
	case "ctrl+c":
		if m.input.Value() != "" {
			m.setText("")
			return nil
		}
		if m.options.Interrupt != nil {
			m.options.Interrupt()
		}
		return m.endInput()
	case "ctrl+d":
		if m.input.Value() == "" {
			return m.endInput()
		}
	case "ctrl+z":
		return tea.Suspend
	case "ctrl+l":
		return tea.ClearScreen
	case "up", "ctrl+p":
		m.recall(m.history.older(m.input.Value()))
		return nil
	case "down", "ctrl+n":
		m.recall(m.history.newer(m.input.Value()))
		return nil
	}
	before := m.input.Position()
	var cmd tea.Cmd
	m.input, cmd = m.input.Update(k)
	m.alignCursor(name, before)
	return cmd
}

// alignCursor moves the cursor by grapheme clusters.
func (m *model) alignCursor(name string, before int) {
	runes := []rune(m.input.Value())
	switch name {
	case "left", "ctrl+b", "right", "ctrl+f":
		at := m.input.Position()
		for at > 0 && at < len(runes) && !isBoundary(runes, at) {
			if at < before {
				at--
			} else {
				at++
			}
		}
		m.input.SetCursor(at)
	}
}

// isBoundary reports whether a grapheme cluster begins at runes[at].
func isBoundary(runes []rune, at int) bool {
	if at <= 0 || at >= len(runes) {
		return true
	}
	g := uniseg.NewGraphemes(string(runes))
	for n := 0; g.Next(); n += len(g.Runes()) {
		if n >= at {
			return n == at
		}
	}
	return false
}

func (m *model) setText(text string) {
	m.input.SetValue(text)
	m.input.CursorEnd()
}

// recall replaces the typed text with a line of the history, if found.
func (m *model) recall(line string, found bool) {
	if found {
		m.setText(line)
	}
}

// enter moves the line above, where its results follow, and sends it.
func (m *model) enter() {
	line := strings.TrimRight(m.input.Value(), " ")
	if len(m.editor.lines) == cap(m.editor.lines) { // only this goroutine sends
		m.notice = "still busy with the earlier lines; press Enter again in a moment"
		return
	}
	shown := prompt + line
	if m.options.Colour {
		shown = ansi.Style{}.Faint().Styled(shown)
	}
	if shown += "\n"; m.standing != "" {
		shown = "\n" + shown
	}
	m.editor.add(shown)
	m.editor.lines <- line
	m.history.add(line)
	m.setText("")
}

// complete inserts the next or the previous completion at the cursor.
func (m *model) complete(forward bool) {
	c := &m.choices
	if len(c.all) == 0 {
		if m.options.Complete == nil {
			return
		}
		runes := []rune(m.input.Value())
		text := string(runes[:m.input.Position()])
		from, all := m.options.Complete(text)
		if len(all) == 0 {
			return
		}
		*c = choices{all: all, prefix: text[:from], rest: string(runes[m.input.Position():]), at: -1}
		if !forward {
			c.at = 0
		}
	}
	if forward {
		c.at++
	} else {
		c.at--
	}
	c.at = (c.at + len(c.all)) % len(c.all)
	before := c.prefix + c.all[c.at]
	m.input.SetValue(before + c.rest)
	m.input.SetCursor(len([]rune(before)))
	if len(c.all) == 1 {
		*c = choices{}
	}
}

// View implements tea.Model.
func (m *model) View() tea.View {
	if m.leaving || m.size.width == 0 {
		return tea.NewView("")
	}
	var rows []string
	if m.standing != "" {
		rows = append(rows, m.standing)
	}
	runes := []rune(m.input.Value())
	before := strings.Split(ansi.Hardwrap(prompt+string(runes[:m.input.Position()]), m.size.width, true), "\n")
	cursor := tea.NewCursor(ansi.StringWidth(before[len(before)-1]), len(rows)+len(before)-1)
	if cursor.X >= m.size.width {
		cursor.X, cursor.Y = 0, cursor.Y+1
	}
	rows = append(rows, strings.Split(ansi.Hardwrap(prompt+m.input.Value(), m.size.width, true), "\n")...)
	if cursor.Y >= len(rows) {
		rows = append(rows, "")
	}
	if hint := m.hint(); hint != "" {
		rows = append(rows, hint)
	}
	v := tea.NewView(strings.Join(rows, "\n"))
	v.Cursor = cursor
	return v
}

// hint returns the row below: completions or a notice.
func (m *model) hint() string {
	text := m.notice
	if text == "" && len(m.choices.all) > 0 {
		all := append([]string(nil), m.choices.all[m.choices.at:]...)
		text = "  " + strings.Join(all, "  ")
	}
	text = ansi.Truncate(text, m.size.width, "…")
	if m.options.Colour && text != "" {
		text = ansi.Style{}.Faint().Styled(text)
	}
	return text
}
