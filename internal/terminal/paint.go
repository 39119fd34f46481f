package terminal

import (
	"hash/fnv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

var (
	paintFaint   = ansi.Style{}.Faint()
	paintBold    = ansi.Style{}.Bold()
	paintPlayer  = ansi.Style{}.Bold()
	paintWarning = ansi.Style{}.ForegroundColor(ansi.Yellow)
	// paintNames tell NPCs apart: colours that can be read on dark and on light.
	paintNames = []ansi.Style{
		ansi.Style{}.Bold().ForegroundColor(ansi.Cyan), ansi.Style{}.Bold().ForegroundColor(ansi.Magenta),
		ansi.Style{}.Bold().ForegroundColor(ansi.Green), ansi.Style{}.Bold().ForegroundColor(ansi.Blue),
		ansi.Style{}.Bold().ForegroundColor(ansi.Red),
	}
)

// paint has text look otherwise where the terminal wants colours.
func (s *screen) paint(text string, how ansi.Style) string {
	if !s.colour {
		return text
	}
	return how.Styled(text)
}

// paintName gives each name a colour of its own, the same every evening.
func (s *screen) paintName(name string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // never fails
	return s.paint(name, paintNames[h.Sum32()%uint32(len(paintNames))])
}

// plain is text that changes nothing of the terminal it is shown on: what an NPC says
// ends in no line of its own there.
func (s *screen) plain(text string) string {
	if !s.edited {
		return text
	}
	return strings.ReplaceAll(untrusted.Clean(text, 0), "\n", " ")
}

// switchTiming has timings shown, or not, or the other way round, and reports which.
func (s *screen) switchTiming(to string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch to {
	case "":
		s.timing = !s.timing
	case "on", "off":
		s.timing = to == "on"
	}
	return s.timing
}
