package engine

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// Instructions for the models in addition to the NPC's prompt. The regular expression mark matches the marks
// at the beginning.
const (
	opening = `Say only the first sentence of your answer now, in character and in the language you are spoken to, in at most fifteen words. It is heard while you are still thinking.
It may greet, react to what was said, or win a moment in your own manner. It states and promises nothing: no fact, number, name, roll, rule or decision, neither yes nor no, since you do not know them yet.
Begin with [MORE] and then say it. Only if nothing at all has to follow, as with a greeting, thanks, a farewell or idle small talk, begin with [DONE] instead.`

	closing = `Something keeps you from going on with what you were about to say. End the conversation for now with one short sentence in character and in the language you are spoken to. It claims nothing.`

	declining = `
Only if the line is not meant for you, as said above, begin with neither: ` + speech.SilentRule + `.`

	continuing = `You have already begun your answer with the sentence above; it has been heard. Go on right after it. Do not repeat it, do not greet again, and do not mention that you paused.`
)

const (
	// openerTokens is more than a sentence of fifteen words needs in any language.
	openerTokens = 80
	// maxOpener bounds an opener in bytes.
	maxOpener = 250
	// markLength is how many bytes show whether there is a mark. maxMark bounds a mark with everything around
	// it.
	markLength, maxMark = 10, 32
)

var (
	errSlow    = errors.New("the first sentence took too long")
	errNoWords = errors.New("the first sentence was empty")
	errCutOff  = errors.New("the first sentence was not complete")
	errSilent  = errors.New("the first sentence was silence")
)

// opener is a sentence of the fast model.
type opener struct {
	text string
	// complete says that nothing has to follow.
	complete bool
}

// requestOpener asks the fast model for one sentence, and ignores anything after that.
func (t *cascade) requestOpener(ctx context.Context, instruction string) (opener, error) {
	e := t.engine
	ctx, cancel := context.WithTimeoutCause(ctx, e.o.Patience, errSlow)
	defer cancel()
	req := llm.Request{
		Messages: t.promptWith(instruction),
		Persona:  t.req.Persona, Hurry: true, MaxTokens: openerTokens, Temperature: e.o.Opener.Temperature,
	}
	if m := e.o.Opener.MaxTokens; m > 0 {
		req.MaxTokens = min(req.MaxTokens, m)
	}
	r := openerReader{scrub: speech.NewScrubber(&speech.Options{Names: t.req.Names, Tools: t.toolNames()})}
	cut := false
	for chunk, err := range e.fast.Stream(ctx, req) {
		if ctx.Err() != nil {
			err = context.Cause(ctx) // whatever the model's error is
		}
		if err != nil {
			return opener{}, err
		}
		if !t.started && chunk.Text != "" {
			t.started = true
			if err := t.emit(FirstToken{After: time.Since(t.began)}); err != nil {
				return opener{}, err
			}
		}
		complete := r.push(chunk.Text)
		if r.silent && complete {
			return opener{}, errSilent
		}
		if len(r.text) > maxOpener || !complete && r.size > maxOpener {
			return opener{}, errCutOff
		}
		if complete {
			return r.opener, nil
		}
		cut = cut || chunk.FinishReason == "length"
	}
	switch {
	case ctx.Err() != nil:
		return opener{}, context.Cause(ctx)
	case !r.flush() && r.silent:
		return opener{}, errSilent
	case r.text == "":
		return opener{}, errNoWords
	case cut:
		return opener{}, errCutOff
	}
	return r.opener, nil
}

// promptWith returns the prompt with the text spoken so far and an instruction.
func (t *cascade) promptWith(instruction string) []llm.Message {
	all := slices.Clip(t.req.Messages)
	if t.opener != "" {
		all = append(all, llm.Message{Role: llm.RoleAssistant, Content: t.opener})
	}
	return append(all, llm.Message{Role: llm.RoleSystem, Content: instruction})
}

func (t *cascade) toolNames() (names []string) {
	for _, d := range t.req.Tools.Definitions() {
		names = append(names, d.Name)
	}
	return names
}

// openerReader reads an opener from a stream, piece by piece.
type openerReader struct {
	opener
	scrub     *speech.Scrubber
	split     speech.Splitter
	head      string // text before the mark is known
	markKnown bool
	size      int
	// silent says that the text so far means silence.
	silent bool
}

// push handles a piece and reports whether the sentence is complete, or there will be none.
func (r *openerReader) push(text string) bool {
	r.size += len(text)
	if r.markKnown {
		return r.storeSentence(r.split.Push(r.scrub.Push(text)))
	}
	r.head += text
	if r.silent = speech.DeclaresSilence(r.head); r.silent {
		return true
	}
	if n := len(strings.TrimLeft(r.head, "\t\n\f\r ")); n < markLength || n < maxMark && len(mark.FindString(r.head)) == len(r.head) {
		return false
	}
	return r.readMark()
}

// flush ends the stream and reports whether there was a sentence.
func (r *openerReader) flush() bool {
	if !r.markKnown && r.readMark() {
		return true
	}
	return r.storeSentence(append(r.split.Push(r.scrub.Flush()), r.split.Flush()...))
}

// mark matches the beginning of an opener. Models are not exact about brackets.
var mark = regexp.MustCompile(`^\s*(?:[^\pL\pN]{0,2}(DONE|MORE)[^\pL\pN\s]{1,4}|[\[(](?i:(done)|more)[\])])\s*`)

// readMark removes the mark from the head.
func (r *openerReader) readMark() bool {
	r.markKnown = true
	if m := mark.FindStringSubmatch(r.head); m != nil {
		r.complete = m[1] == "DONE" || m[2] != ""
		r.head = r.head[len(m[0]):]
	}
	return r.storeSentence(r.split.Push(r.scrub.Push(r.head)))
}

// storeSentence stores the first sentence with words, and reports whether there is one.
func (r *openerReader) storeSentence(sentences []string) bool {
	for _, s := range sentences {
		s = speech.WithoutSilence(s)
		r.silent = r.silent || s == ""
		if len(wordsOf(s)) > 0 {
			r.text, r.silent = s, false
			return true
		}
	}
	return false
}
