package gemini

import (
	"regexp"
	"strconv"
	"strings"
)

// traits describe the abilities of a family of models.
type traits struct {
	// updates: tools can change in an open session by a context update.
	updates bool
	// content: the history can be sent as a conversation. Otherwise it is part of the instruction, because
	// older models do not recall such content when spoken to, or never answer after it, and 3.1 accepts it
	// only if announced.
	content bool
	// behavior is the value for tool declarations; empty if the models do not support it.
	behavior string
	// scheduling: tool results can specify how to handle them.
	scheduling bool
	// async: the model continues while its tools run, and answers their results separately.
	async bool
}

// version matches the version in names such as "gemini-3.8-live", "gemini-3.1-flash-live-preview" and
// "gemini-live-2.5-flash-preview".
var version = regexp.MustCompile(`^gemini-(?:live-)?(\d{1,3})\.(\d{1,3})(?:\D|$)`)

// traitsOf returns the traits of a model by its name. For an unknown model it assumes only what all models
// support.
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
	case strings.Contains(model, "extended-thinking"): // it does not support blocking tools
		return traits{updates: true, content: true, behavior: nonBlocking, scheduling: true, async: true}
	}
	return traits{updates: true, content: true, behavior: blocking, scheduling: true}
}
