package diceroller

import "strconv"

// Limits of a dice expression.
const (
	// MaxTerms is the maximum number of terms (dice and numbers) in one expression.
	MaxTerms = 20
	// MaxDice is the maximum number of dice in one term, including dropped ones.
	MaxDice = 100
	// MaxSides is the maximum number of sides of a die.
	MaxSides = 1000
	// MaxConstant is the largest number that an expression may add or subtract.
	MaxConstant = 1_000_000
	// MaxLength is the maximum length of an expression, in bytes.
	MaxLength = 500
)

// Expr is a parsed dice expression. Equal expressions compare equal with ==. The zero Expr has no terms and
// rolls 0.
type Expr struct {
	terms [MaxTerms]term
	n     int
}

// term is a number, or dice of one kind.
type term struct {
	neg bool
	// low means that the lowest dice are kept, not the highest.
	low bool
	// count is the number of dice rolled, 1 to MaxDice. keep is how many of them count, 1 to count.
	count, keep uint8
	// sides is 0 if the term is the number in value.
	sides uint16
	value int32
}

func (t term) isDice() bool { return t.sides > 0 }

// appendTo appends the canonical form, such as "4d6kh3+1d4-2". Drops and advantage are written as the dice
// they keep: "4d6dl1" becomes "4d6kh3", and "d20adv" becomes "2d20kh1". Parsing the result yields the same
// Expr.
func (e *Expr) appendTo(b []byte) []byte {
	for i, t := range e.terms[:e.n] {
		switch {
		case t.neg:
			b = append(b, '-')
		case i > 0:
			b = append(b, '+')
		}
		b = t.appendTo(b)
	}
	if e.n == 0 {
		b = append(b, '0')
	}
	return b
}

// appendTo appends the term without its sign.
func (t term) appendTo(b []byte) []byte {
	if !t.isDice() {
		return strconv.AppendInt(b, int64(t.value), 10)
	}
	b = strconv.AppendInt(b, int64(t.count), 10)
	b = append(b, 'd')
	b = strconv.AppendInt(b, int64(t.sides), 10)
	if t.keep == t.count {
		return b
	}
	if t.low {
		b = append(b, "kl"...)
	} else {
		b = append(b, "kh"...)
	}
	return strconv.AppendInt(b, int64(t.keep), 10)
}

// diceTerms returns the number of terms that are dice.
func (e *Expr) diceTerms() int {
	n := 0
	for _, t := range e.terms[:e.n] {
		if t.isDice() {
			n++
		}
	}
	return n
}
