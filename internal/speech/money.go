package speech

import "strings"

// readAmount reads a sum after a currency sign, which may be a range: "$5-10".
func (r *reader) readAmount(sign rune) {
	whole, rest, end := r.numeralAt(r.i)
	r.i = end
	u := r.lex.money[sign]
	if next, ok := r.rangeOfMoney(sign); ok {
		r.addNumber(whole, rest)
		r.addWords(r.lex.to)
		r.i = next
		r.readAmount(sign)
		return
	}
	if scale := r.readScale(); scale != "" {
		r.addNumber(whole, rest)
		r.addWords(scale + " " + u.many)
		return
	}
	r.addPrice(whole, rest, u, sign)
}

// rangeOfMoney returns where the second sum of a range begins.
func (r *reader) rangeOfMoney(sign rune) (next int, ok bool) {
	i := r.i
	if c := r.at(i); c != '-' && c != '–' {
		return 0, false
	}
	i++
	if r.at(i) == sign {
		i++
	}
	return i, isDigit(r.at(i))
}

func isCurrency(c rune) bool { return strings.ContainsRune("$€£¥", c) }

// readScale skips the thousands or millions after a sum and returns their word.
func (r *reader) readScale() string {
	end := r.skipSpace(r.i)
	word := r.wordFrom(end)
	name := r.lex.scales[word]
	if name == "" || len(word) == 1 && end > r.i {
		return ""
	}
	r.i = end + len([]rune(word))
	if r.at(r.i) == '.' && !r.endsAt(r.i+1) && len(word) < 4 {
		r.i++
	}
	return name
}

// addPrice reads a sum of money: "three euros fifty".
func (r *reader) addPrice(whole, rest string, u unit, sign rune) {
	n, ok := r.valueOf(whole)
	name := u.many
	cents, small := r.valueOf(strings.TrimPrefix(strings.TrimPrefix(rest, "."), "0"))
	small = small && len(rest) == len(".00")
	coin := r.lex.money['¢']
	if !r.lex.german && sign == '£' {
		coin = unit{"penny", "pence", ""}
	}
	if ok && n == 0 && small && cents > 0 && sign != '¥' {
		r.addOf(cents, coin)
		return
	}
	switch {
	case !ok:
		r.addWords(r.lex.spellDigits(whole))
	case n == 1 && r.lex.german && rest == "":
		r.addWords(r.germanUnitOne(u))
	case n == 1 && r.lex.german:
		r.addWords(u.article)
	default:
		r.addWords(r.lex.cardinal(n))
	}
	if n == 1 {
		name = u.one
	}
	if small {
		r.addWords(name)
		if cents > 0 {
			r.addWords(r.lex.cardinal(cents))
		}
		return
	}
	for _, part := range strings.Split(rest, ".")[1:] {
		r.addWords(r.lex.point + " " + r.lex.spellDigits(part))
		name = u.many
	}
	r.addWords(name)
}

// scaled reports whether the last word was a scale such as "million".
func (r *reader) scaled() bool {
	return r.last != "" && len(r.last) > 3 && r.lex.scales[r.last] != ""
}

// isPrice reports whether the last word announces a sum of money, for example "costs".
func (r *reader) isPrice() bool { return r.lex.sums[strings.ToLower(r.last)] }
