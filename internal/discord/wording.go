package discord

import (
	"fmt"
	"strings"
)

// Language is one that the bot speaks.
type Language uint8

// Languages. English is for everybody whose own is none of them.
const (
	English Language = iota
	German
)

// LanguageOf returns the language for a tag such as de-AT, or for a locale of
// Discord's.
func LanguageOf(tag string) Language {
	main, _, _ := strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	if strings.EqualFold(main, "de") {
		return German
	}
	return English
}

// Text is something to say, as a format in every language.
type Text struct{ EN, DE string }

// In says it in a language. Of args, phrases and errors are put into it, too.
func (t Text) In(l Language, args ...any) string {
	format := t.EN
	if l == German {
		format = t.DE
	}
	if len(args) == 0 {
		return format
	}
	filled := make([]any, len(args))
	for i, a := range args {
		if err, ok := a.(error); ok {
			a = inPart(l, err)
		}
		filled[i] = a
	}
	return fmt.Sprintf(format, filled...)
}

// With is the text with what is filled in, to be said later.
func (t Text) With(args ...any) *Phrase { return &Phrase{t, args} }

// Phrase is a text with what is filled in. As an error it wraps the errors among
// that.
type Phrase struct {
	text Text
	args []any
}

// In says it in a language.
func (p *Phrase) In(l Language) string { return p.text.In(l, p.args...) }

// Error is the phrase in English.
func (p *Phrase) Error() string { return p.In(English) }

// IsText reports whether the phrase is of the same text as another, whatever is filled in.
func (p *Phrase) Is(other error) bool {
	o, ok := other.(*Phrase)
	return ok && o.text == p.text
}

// Unwrap returns the errors among what is filled in.
func (p *Phrase) Unwrap() (all []error) {
	for _, a := range p.args {
		if err, ok := a.(error); ok {
			all = append(all, err)
		}
	}
	return all
}

// Say puts an error into a language: a phrase, or what another part of the program says,
// see [Translate]. What is not known in that language is quoted in a sentence that says so.
func Say(l Language, err error) string {
	if p, ok := err.(*Phrase); ok {
		return p.In(l)
	}
	text := err.Error()
	if said, ok := inGerman(text, maxNested); ok && l == German {
		return said
	}
	return englishOnly.In(l, text)
}

// inPart puts an error into a language where it is a part of a sentence.
func inPart(l Language, err error) string {
	if p, ok := err.(*Phrase); ok {
		return p.In(l)
	}
	return Translate(l, err.Error())
}

// Count is something that is counted: One for 1, which names no number or takes it,
// and More for any other.
type Count struct{ One, More Text }

// Of is a number of what is counted.
func (c Count) Of(n int) *Phrase {
	if n == 1 {
		return c.One.With()
	}
	return c.More.With(n)
}

// In says a number of what is counted in a language.
func (c Count) In(l Language, n int) string { return c.Of(n).In(l) }
