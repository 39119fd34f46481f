package discord

import (
	"fmt"
	"strings"
)

// Language is a language of the bot's texts.
type Language uint8

// Languages. English is the default.
const (
	English Language = iota
	German
)

// LanguageOf returns the language for a tag such as de-AT, or for a Discord locale.
func LanguageOf(tag string) Language {
	main, _, _ := strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	if strings.EqualFold(main, "de") {
		return German
	}
	return English
}

// Text is a format in every language.
type Text struct{ EN, DE string }

// In formats the text in a language. Arguments that are phrases or errors are translated.
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

// With returns the text with its arguments, to be formatted later.
func (t Text) With(args ...any) *Phrase { return &Phrase{t, args} }

// Phrase is a text with its arguments. As an error, it wraps the errors among them.
type Phrase struct {
	text Text
	args []any
}

// In formats the phrase in a language.
func (p *Phrase) In(l Language) string { return p.text.In(l, p.args...) }

// Error returns the phrase in English.
func (p *Phrase) Error() string { return p.In(English) }

// Is reports whether other is a phrase with the same text, whatever its arguments.
func (p *Phrase) Is(other error) bool {
	o, ok := other.(*Phrase)
	return ok && o.text == p.text
}

// Unwrap returns the errors among the arguments.
func (p *Phrase) Unwrap() (all []error) {
	for _, a := range p.args {
		if err, ok := a.(error); ok {
			all = append(all, err)
		}
	}
	return all
}

// TranslateError translates an error: a phrase, or an English text of another package, see [Translate]. An unknown text
// is quoted in a sentence that says it is in English.
func TranslateError(l Language, err error) string {
	if p, ok := err.(*Phrase); ok {
		return p.In(l)
	}
	text := err.Error()
	if said, ok := inGerman(text, maxNested); ok && l == German {
		return said
	}
	return englishOnly.In(l, text)
}

// inPart translates an error that is part of a sentence.
func inPart(l Language, err error) string {
	if p, ok := err.(*Phrase); ok {
		return p.In(l)
	}
	return Translate(l, err.Error())
}

// Count is a text with a number: One for 1, without an argument, and More for all others.
type Count struct{ One, More Text }

// Of returns the phrase for a number.
func (c Count) Of(n int) *Phrase {
	if n == 1 {
		return c.One.With()
	}
	return c.More.With(n)
}

// In formats the phrase for a number in a language.
func (c Count) In(l Language, n int) string { return c.Of(n).In(l) }
