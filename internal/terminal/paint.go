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
	// paintNames distinguish NPCs by colours that are legible on dark and light backgrounds.
	paintNames = []ansi.Style{
		ansi.Style{}.Bold().ForegroundColor(ansi.Cyan), ansi.Style{}.Bold().ForegroundColor(ansi.Magenta),
		ansi.Style{}.Bold().ForegroundColor(ansi.Green), ansi.Style{}.Bold().ForegroundColor(ansi.Blue),
		ansi.Style{}.Bold().ForegroundColor(ansi.Red),
	}
)

// paint styles text if colours are enabled.
func (s *screen) paint(text string, how ansi.Style) string {
	if !s.colour {
		return text
	}
	return how.Styled(text)
}

// paintName gives each name a colour, which is the same in all sessions.
func (s *screen) paintName(name string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // never fails
	return s.paint(name, paintNames[h.Sum32()%uint32(len(paintNames))])
}

// plain removes control characters and line breaks from text if lines are edited, so that an NPC's words
// cannot affect the terminal.
func (s *screen) plain(text string) string {
	if !s.edited {
		return text
	}
	return strings.ReplaceAll(untrusted.Clean(text, 0), "\n", " ")
}

// switchTiming sets or toggles the timing, and returns the new value.
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
