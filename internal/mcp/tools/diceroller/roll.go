package diceroller

import (
	"slices"
	"strconv"
)

// Source is a source of random numbers, such as *rand.Rand of math/rand/v2. IntN returns a uniformly
// distributed number from 0 to n-1, for n from 1 to [MaxSides].
type Source interface {
	IntN(n int) int
}

// Die is one rolled die.
type Die struct {
	// Value is the number rolled, from 1 to the number of sides.
	Value int
	// Dropped dice do not count.
	Dropped bool
}

// Outcome is the result of rolling an expression once.
type Outcome struct {
	Expr Expr
	// Dice holds all dice, in the order of the expression.
	Dice  []Die
	Total int
}

// rollOnto rolls the expression and appends its dice to dice. It is safe for concurrent use if src is.
func (e Expr) rollOnto(dice []Die, src Source) Outcome {
	total := 0
	for _, t := range e.terms[:e.n] {
		sum := int(t.value)
		if t.isDice() {
			first := len(dice)
			for range t.count {
				dice = append(dice, Die{Value: src.IntN(int(t.sides)) + 1})
			}
			if t.keep < t.count {
				drop(dice[first:], int(t.keep), t.low)
			}
			sum = sumKept(dice[first:])
		}
		if t.neg {
			sum = -sum
		}
		total += sum
	}
	return Outcome{Expr: e, Dice: dice, Total: total}
}

func sumKept(dice []Die) int {
	sum := 0
	for _, d := range dice {
		if !d.Dropped {
			sum += d.Value
		}
	}
	return sum
}

// drop marks all dice except the keep highest (or, if low, lowest) as dropped. If several dice tie for the
// last place, the first ones are kept.
func drop(dice []Die, keep int, low bool) {
	var values [MaxDice]int
	sorted := values[:len(dice)]
	for i, d := range dice {
		sorted[i] = d.Value
	}
	slices.Sort(sorted)
	kept := sorted[len(sorted)-keep:]
	edge := kept[0]
	if low {
		kept = sorted[:keep]
		edge = kept[keep-1]
	}
	ties := 0 // tied dice that can still be kept
	for _, v := range kept {
		if v == edge {
			ties++
		}
	}
	for i := range dice {
		v := dice[i].Value
		switch {
		case v == edge && ties > 0:
			ties--
		case v == edge, (v < edge) != low:
			dice[i].Dropped = true
		}
	}
}

// dropped reports whether any die was dropped.
func (o *Outcome) dropped() bool {
	return slices.ContainsFunc(o.Dice, func(d Die) bool { return d.Dropped })
}

// appendDetail appends how the total was computed, such as "4d6kh3: 6, 5, 4, (1) = 15" or "2d6+1d4-1: [3, 5]
// + [2] - 1 = 9". Dropped dice are in parentheses.
func (o *Outcome) appendDetail(b []byte) []byte {
	b = o.Expr.appendTo(b)
	b = append(b, ": "...)
	dice := o.Dice
	for i, t := range o.Expr.terms[:o.Expr.n] {
		switch {
		case i > 0 && t.neg:
			b = append(b, " - "...)
		case i > 0:
			b = append(b, " + "...)
		case t.neg:
			b = append(b, '-')
		}
		if !t.isDice() {
			b = t.appendTo(b)
			continue
		}
		b = appendThrow(b, dice[:t.count], o.Expr.n > 1 || t.neg)
		dice = dice[t.count:]
	}
	b = append(b, " = "...)
	return strconv.AppendInt(b, int64(o.Total), 10)
}

func appendThrow(b []byte, dice []Die, bracket bool) []byte {
	if bracket {
		b = append(b, '[')
	}
	for i, d := range dice {
		if i > 0 {
			b = append(b, ", "...)
		}
		if d.Dropped {
			b = append(b, '(')
		}
		b = strconv.AppendInt(b, int64(d.Value), 10)
		if d.Dropped {
			b = append(b, ')')
		}
	}
	if bracket {
		b = append(b, ']')
	}
	return b
}
