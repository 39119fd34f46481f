package gemini

import (
	"regexp"
	"strconv"
	"strings"
)

// traits are what a family of models can do.
type traits struct {
	// updates: tools change in mid-session by a context update.
	updates bool
	// content: what was said before is taken as a conversation. Otherwise it goes
	// into the instruction: older models do not recall such content when they are
	// spoken to, or never answer after it, and 3.1 takes it only if it was announced.
	content bool
	// behavior is what declarations of tools say; empty if models do not know it.
	behavior string
	// scheduling: results of tools say how they are to be taken.
	scheduling bool
	// async: a model goes on while its tools run, and answers their results anew.
	async bool
}

// version finds a model's version in names such as "gemini-3.8-live",
// "gemini-3.1-flash-live-preview" and "gemini-live-2.5-flash-preview".
var version = regexp.MustCompile(`^gemini-(?:live-)?(\d{1,3})\.(\d{1,3})(?:\D|$)`)

// traitsOf tells a model by its name. One it does not know is trusted with what all
// of them can do.
func traitsOf(model string) traits {
	found := version.FindStringSubmatch(strings.TrimPrefix(model, "models/"))
	if found == nil {
		return traits{}
	}
	major, err := strconv.Atoi(found[1])
	if err != nil {
		return traits{}
	}
	minor, err := strconv.Atoi(found[2])
	if err != nil {
		return traits{}
	}
	switch {
	case major < 3, major == 3 && minor < 8:
		return traits{}
	case strings.Contains(model, "extended-thinking"): // it knows no blocking tools
		return traits{updates: true, content: true, behavior: nonBlocking, scheduling: true, async: true}
	}
	return traits{updates: true, content: true, behavior: blocking, scheduling: true}
}
