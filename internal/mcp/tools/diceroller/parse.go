package diceroller

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// SyntaxError says where and why an expression is invalid. It matches [mcp.ErrInvalidArguments].
type SyntaxError struct {
	Expression string
	// Pos is the position of the character where the problem starts, counted from 1. If something is missing
	// at the end, it is one past the last character.
	Pos int
	// Part is the invalid part, or empty if the problem is at the end.
	Part string
	// Reason describes the problem and gives valid forms.
	Reason string
}

// Error returns a message with the position and a suggested fix.
func (e *SyntaxError) Error() string {
	where := "at the end"
	if e.Part != "" {
		where = fmt.Sprintf("at character %d, %q", e.Pos, untrusted.Clip(e.Part, 20))
	}
	return fmt.Sprintf("%v: dice expression %q, %s: %s",
		mcp.ErrInvalidArguments, untrusted.Clip(e.Expression, 60), where, e.Reason)
}

// Unwrap returns [mcp.ErrInvalidArguments].
func (e *SyntaxError) Unwrap() error { return mcp.ErrInvalidArguments }

// Parse reads a dice expression: terms joined by + and -.
//
//	4            a number, 0 to 1,000,000
//	2d6 2W6 d8   dice; one if no count stands before the d (or German W)
//	d%           a hundred-sided die
//	4d6kh3       keeps the three highest; kl the lowest; k is short for kh
//	4d6dl1       drops the lowest; dh the highest
//	d20adv       advantage: keeps the better of two dice; 2d20adv says the
//	             same, 3d20adv keeps the best of three
//	d20dis       disadvantage: the worst instead
//
// The number after kh, kl, dh and dl is 1 if left out. "advantage" and
// "disadvantage" may be spelled out, with or without "with" before them. Case
// does not matter, spaces may stand between all parts, a term may carry a
// sign of its own ("1d20+-1"), and the typographic minus and dash count as -.
//
// An expression has at most [MaxTerms] terms of at most [MaxDice] dice with at
// most [MaxSides] sides. Errors are of type [*SyntaxError].
func Parse(s string) (Expr, error) {
	var e Expr
	p := parser{src: s}
	if len(s) > MaxLength {
		return e, p.fault(0, len(s), "an expression has at most %d characters", MaxLength)
	}
	p.space()
	if p.atEnd() {
		return e, p.fault(p.pos, p.pos, "nothing to roll; ask for something like 2d6+3")
	}
	for !p.atEnd() {
		neg, err := p.operator(e.n == 0)
		if err != nil {
			return Expr{}, err
		}
		start := p.pos
		t, err := p.term()
		if err != nil {
			return Expr{}, err
		}
		if e.n == MaxTerms {
			return Expr{}, p.fault(start, p.pos, "an expression has at most %d terms", MaxTerms)
		}
		t.neg = neg
		e.terms[e.n] = t
		e.n++
		p.space()
	}
	return e, nil
}

type parser struct {
	src string
	pos int
}

func (p *parser) atEnd() bool { return p.pos >= len(p.src) }

// fault returns an error about src[from:to].
func (p *parser) fault(from, to int, format string, args ...any) error {
	return &SyntaxError{
		Expression: p.src,
		Pos:        utf8.RuneCountInString(p.src[:from]) + 1,
		Part:       p.src[from:to],
		Reason:     fmt.Sprintf(format, args...),
	}
}

// here returns an error about the next character, or about the end of the expression.
func (p *parser) here(format string, args ...any) error {
	_, size := utf8.DecodeRuneInString(p.src[p.pos:])
	return p.fault(p.pos, p.pos+size, format, args...)
}

// space skips white space, including the no-break space.
func (p *parser) space() {
	for !p.atEnd() {
		switch p.src[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			if !strings.HasPrefix(p.src[p.pos:], "\u00a0") {
				return
			}
			p.pos += len("\u00a0")
		}
	}
}

// operator reads the operator that joins a term to the previous one, and the term's own sign if it has one.
func (p *parser) operator(first bool) (neg bool, err error) {
	neg, ok := p.sign()
	if first {
		return neg, nil
	}
	if !ok {
		return false, p.here("put + or - between two terms")
	}
	own, _ := p.sign()
	return neg != own, nil
}

// sign reads a plus or minus, if there is one, and the space after it.
func (p *parser) sign() (neg, ok bool) {
	for _, s := range [...]struct {
		text string
		neg  bool
	}{{"+", false}, {"-", true}, {"−", true}, {"–", true}} {
		if strings.HasPrefix(p.src[p.pos:], s.text) {
			p.pos += len(s.text)
			p.space()
			return s.neg, true
		}
	}
	return false, false
}

// readNumber reads digits. For a number with too many digits it returns a value above every limit.
func (p *parser) readNumber() (n int, ok bool) {
	const enough = 100 * MaxConstant
	start := p.pos
	for ; !p.atEnd() && '0' <= p.src[p.pos] && p.src[p.pos] <= '9'; p.pos++ {
		n = min(n*10+int(p.src[p.pos]-'0'), enough)
	}
	return n, p.pos > start
}

// word reads ASCII letters.
func (p *parser) word() string {
	start := p.pos
	for ; !p.atEnd() && 'a' <= p.src[p.pos]|0x20 && p.src[p.pos]|0x20 <= 'z'; p.pos++ {
	}
	return p.src[start:p.pos]
}

func (p *parser) term() (term, error) {
	start := p.pos
	n, ok := p.readNumber()
	stop := p.pos
	p.space()
	if !p.atEnd() && strings.IndexByte("dDwW", p.src[p.pos]) >= 0 {
		if !ok {
			n = 1
		}
		if n < 1 || n > MaxDice {
			return term{}, p.fault(start, stop, "roll 1 to %d dice at a time", MaxDice)
		}
		p.pos++
		return p.dice(n)
	}
	if !ok {
		return term{}, p.here("dice such as 2d6 or a number belong here")
	}
	if n > MaxConstant {
		return term{}, p.fault(start, stop, "a number is at most %d", MaxConstant)
	}
	return term{value: int32(n)}, nil
}

// dice reads the text after the d of count dice.
func (p *parser) dice(count int) (term, error) {
	p.space()
	start := p.pos
	sides, ok := p.readNumber()
	switch {
	case ok:
	case !p.atEnd() && p.src[p.pos] == '%':
		p.pos++
		sides = 100
	default:
		return term{}, p.here("the number of sides belongs after the d, as in d20 or d%%")
	}
	if sides < 1 || sides > MaxSides {
		return term{}, p.fault(start, p.pos, "a die has 1 to %d sides", MaxSides)
	}
	t := term{count: uint8(count), keep: uint8(count), sides: uint16(sides)}
	p.space()
	if err := p.ending(&t); err != nil {
		return term{}, err
	}
	return t, nil
}

// ending reads the suffix that says which of the dice count, if there is one.
func (p *parser) ending(t *term) error {
	start := p.pos
	word := p.word()
	if strings.EqualFold(word, "with") {
		p.space()
		word = p.word()
		if !isAdvantage(word) && !isDisadvantage(word) {
			return p.fault(start, p.pos, "advantage or disadvantage belongs after with")
		}
	}
	switch {
	case word == "":
		return nil
	case isAdvantage(word):
		t.count, t.keep = max(t.count, 2), 1
	case isDisadvantage(word):
		t.count, t.keep, t.low = max(t.count, 2), 1, true
	case strings.EqualFold(word, "k"), strings.EqualFold(word, "kh"):
		return p.keep(t, start, false, false)
	case strings.EqualFold(word, "kl"):
		return p.keep(t, start, true, false)
	case strings.EqualFold(word, "dl"):
		return p.keep(t, start, false, true)
	case strings.EqualFold(word, "dh"):
		return p.keep(t, start, true, true)
	default:
		return p.fault(start, p.pos, "dice may end in kh3, kl3, dh1, dl1, adv or dis; put + or - before more dice")
	}
	return nil
}

func isAdvantage(w string) bool {
	return strings.EqualFold(w, "adv") || strings.EqualFold(w, "advantage")
}

func isDisadvantage(w string) bool {
	return strings.EqualFold(w, "dis") || strings.EqualFold(w, "disadvantage")
}

// keep reads the number after kh, kl, dh or dl, a suffix that begins at start. low means that the lowest dice
// are kept. drop means that the number counts the dropped dice, not the kept ones.
func (p *parser) keep(t *term, start int, low, drop bool) error {
	stop := p.pos
	p.space()
	n, ok := p.readNumber()
	if ok {
		stop = p.pos
	} else {
		n = 1
	}
	count := int(t.count)
	if drop {
		if n < 1 || n >= count {
			return p.fault(start, stop, "of %d dice at least one must be dropped and one stay", count)
		}
		n = count - n
	}
	if n < 1 || n > count {
		return p.fault(start, stop, "keep 1 to %d of %d dice", count, count)
	}
	t.keep, t.low = uint8(n), low && n < count
	return nil
}
