package openai

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	oai "github.com/sashabaranov/go-openai"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// Values of [Accepts].System: where an endpoint accepts system messages.
const (
	SystemAny   = "any"   // anywhere
	SystemFirst = "first" // several, but only before all other messages
	SystemOne   = "one"   // only one, and only as the first message
	SystemNone  = "none"  // nowhere
)

// Values of [Accepts].Length: the field that bounds the length of an answer.
const (
	LengthOld  = "max_tokens"
	LengthNew  = "max_completion_tokens"
	LengthNone = "none"
)

// Values of [Accepts].Schemas: the JSON Schema of a tool's arguments.
const (
	SchemasFull  = "full"  // as the tool declares it
	SchemasPlain = "plain" // reduced to what all vendors accept
)

// Accepts describes what an endpoint accepts in a request. A field with the zero value is left to what is
// known about the model, and to what the endpoint's refusals teach.
type Accepts struct {
	// System is one of the System constants.
	System string
	// Alternate means that messages of user and assistant must alternate, beginning with the user's.
	Alternate *bool
	// Length is one of the Length constants.
	Length string
	// Tools, Stream and StreamOptions tell whether the endpoint accepts these fields.
	Tools, Stream, StreamOptions *bool
	// Schemas is one of the Schemas constants.
	Schemas string
	// Reasoning tells whether the reasoning that came with a tool call is sent back with it.
	Reasoning *bool
}

// check returns an error that names the first field with an unknown value.
func (a Accepts) check() error {
	for _, f := range []struct {
		name, value string
		known       []string
	}{
		{"system", a.System, []string{SystemAny, SystemFirst, SystemOne, SystemNone}},
		{"length", a.Length, []string{LengthOld, LengthNew, LengthNone}},
		{"schemas", a.Schemas, []string{SchemasFull, SchemasPlain}},
	} {
		if f.value != "" && !slices.Contains(f.known, f.value) {
			return fmt.Errorf("%q is not a value of %s; use one of %s", f.value, f.name, strings.Join(f.known, ", "))
		}
	}
	return nil
}

// asText tells which tool calls of a conversation are sent as plain text.
type asText int

const (
	noCalls      asText = iota
	foreignCalls        // those without an attachment of this endpoint
	allCalls
)

// form is how the schema of a tool is sent.
type form int

const (
	formFull form = iota
	formPlain
	formLeftOut
)

// allTools is the key of terms.forms for tools that have no entry of their own.
const allTools = ""

// terms is what is known about an endpoint: which requests it accepts. A published value is never modified.
// The zero value fits an endpoint like OpenAI's.
type terms struct {
	system      string // one of the System constants; empty means any
	alternate   bool
	noNoteAfter bool // no user message may follow a tool's result directly
	singleCalls bool // a message may hold only one call
	onlyCalls   bool // a message with calls may hold no text
	resultNames bool // results of tools need the tool's name
	callsAsText asText
	shortIDs    bool    // IDs of calls have nine letters and digits
	content     *string // text of messages that hold only calls; nil leaves the field out
	// textWithoutTools means that calls are sent as text in a request without tools.
	textWithoutTools bool
	placeholder      bool // every message of the assistant needs reasoning_content
	dropped          []string
	noTools          bool
	maxTools         int // 0 means no limit
	forms            map[string]form
	length           string // one of the Length constants; empty means max_tokens
	otherLength      bool   // the other length field was tried
	longest          int    // greatest accepted length, 0 if unknown
	noTemperature    bool
	effort           string // replaces the configured reasoning effort; "-" leaves it out
	whole            bool   // no streaming
	noUsage          bool   // no stream_options
	reasoningStays   bool   // attached reasoning is not sent back
}

// leftOut is the value of terms.effort that leaves the field out.
const leftOut = "-"

func (t *terms) clone() *terms {
	next := *t
	next.dropped = slices.Clone(t.dropped)
	next.forms = maps.Clone(t.forms)
	return &next
}

// lost counts the restrictions that make an NPC do less.
func (t *terms) lost() int {
	n := 0
	if t.maxTools > 0 {
		n++
	}
	if t.noTools {
		n++
	}
	for _, f := range t.forms {
		if f == formLeftOut {
			n++
		}
	}
	return n
}

// formOf returns how the schema of a tool is sent.
func (t *terms) formOf(tool string) form { return max(t.forms[tool], t.forms[allTools]) }

// reduce sends the schema of a tool in the next simpler form and reports whether there is one. The tool's name
// may be [allTools], which is never left out as a whole.
func (t *terms) reduce(tool string) bool {
	now := t.formOf(tool)
	if now == formLeftOut || tool == allTools && now == formPlain {
		return false
	}
	if t.forms == nil {
		t.forms = map[string]form{}
	}
	t.forms[tool] = now + 1
	return true
}

// knownTerms returns what is known about a model by its name and the host that serves it.
func knownTerms(model, host string) *terms {
	t := &terms{}
	name := strings.ToLower(model[strings.LastIndex(model, "/")+1:])
	reasoning := isReasoning(model)
	switch {
	case reasoning || host == "api.openai.com":
		t.length, t.noTemperature = LengthNew, reasoning
	}
	for _, k := range []struct {
		prefix string
		set    func()
	}{
		{"o1-mini", func() { t.system = SystemNone }},
		{"o1-preview", func() { t.system = SystemNone }},
		{"gemini-3", func() { t.callsAsText = foreignCalls }}, // it refuses calls without a thought signature
		{"deepseek-reasoner", func() { t.alternate = true }},
		{"sonar", func() { t.system, t.alternate = SystemOne, true }},
	} {
		if strings.HasPrefix(name, k.prefix) {
			k.set()
		}
	}
	if host == "api.mistral.ai" {
		t.shortIDs = true
	}
	if model == oai.GPT6Sol || model == oai.GPT6Luna {
		t.effort = oai.ReasoningEffortNone // these two accept tools here only with reasoning disabled
	}
	return t
}

// configured returns t with the configured values.
func (t *terms) configured(o *Options) *terms {
	a := o.Accepts
	next := t.clone()
	next.system = cmp.Or(a.System, t.system)
	next.length = cmp.Or(a.Length, t.length)
	set := func(to *bool, value *bool, inverse bool) {
		if value != nil {
			*to = *value != inverse
		}
	}
	set(&next.alternate, a.Alternate, false)
	set(&next.noTools, a.Tools, true)
	set(&next.whole, a.Stream, true)
	set(&next.noUsage, a.StreamOptions, true)
	set(&next.reasoningStays, a.Reasoning, true)
	if a.Schemas == SchemasPlain {
		next.reduce(allTools)
	}
	if o.ReasoningEffort != "" {
		next.effort = o.ReasoningEffort
	}
	return next
}

// isReasoning reports whether model belongs to OpenAI's reasoning models, which have a fixed temperature and
// accept only max_completion_tokens.
func isReasoning(model string) bool {
	for _, family := range []string{"o1", "o3", "o4", "gpt-5", "gpt-6"} {
		if strings.HasPrefix(model, family) {
			return true
		}
	}
	return false
}

// lengthOf returns the values of max_tokens and max_completion_tokens.
func (t *terms) lengthOf(req llm.Request) (old, current int) {
	n := max(req.MaxTokens, 0)
	if t.longest > 0 {
		n = min(n, t.longest)
	}
	switch t.length {
	case LengthNew:
		return 0, n
	case LengthNone:
		return 0, 0
	}
	return n, 0
}
