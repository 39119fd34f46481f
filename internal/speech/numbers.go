package speech

import (
	"slices"
	"strings"
	"unicode"
)

// readNumber reads a number, a date, a time or anything else that begins with a digit.
func (r *reader) readNumber() {
	if r.readMilitary() || r.readDuration() || r.readShortYears() || r.readAngle() || r.readISODate() || r.readPhone() || r.readClock() || r.readSlashDate() || r.readDottedDate() || r.readMonthDay() || r.readFraction() || r.readMixedSign() {
		return
	}
	whole, rest, end := r.numeralAt(r.i)
	start := r.i
	r.i = end
	if rest == "" && (r.readOrdinal(whole) || r.readDecade(whole) || r.readYear(whole, start)) {
		return
	}
	if c := r.at(r.i); c == 'k' && rest == "" && !isWord(r.at(r.i+1)) && len(whole) < 7 {
		whole += "000"
		r.i++
	}
	r.readCount(whole, rest, start)
}

// numeralAt returns the digits before and after the decimal separator of the number at i, and the index after
// it. Further separators stay in rest.
func (r *reader) numeralAt(i int) (whole, rest string, end int) {
	group, decimal := ',', '.'
	if r.lex.german {
		group, decimal = '.', ','
	}
	end = r.digitsEnd(i)
	digits := r.text[i:end:end]
	if end-i <= 3 && r.at(i) != '0' {
		apart := group
		if r.at(end) == '′' || r.at(end) == ' ' && r.hasSpacedGroups(end) { // 12'000 and 10 000
			apart = r.at(end)
		}
		for r.at(end) == apart && r.digitsEnd(end+1) == end+4 {
			digits = append(digits, r.text[end+1:end+4]...)
			end += 4
		}
	}
	whole = string(digits)
	var parts strings.Builder
	for (r.at(end) == decimal || r.at(end) == '.') && isDigit(r.at(end+1)) {
		next := r.digitsEnd(end + 1)
		parts.WriteString("." + string(r.text[end+1:next]))
		end = next
	}
	return whole, parts.String(), end
}

// hasSpacedGroups reports whether spaces separate groups of thousands from i on: there are several groups, or
// the last one is round.
func (r *reader) hasSpacedGroups(i int) bool {
	groups := 0
	for r.at(i) == ' ' && r.digitsEnd(i+1) == i+4 && groups < 3 {
		groups++
		i += 4
	}
	next := r.at(i)
	return groups > 0 && (groups > 1 || r.at(i-1) == '0' && r.at(i-2) == '0') && !isWord(next) && !strings.ContainsRune("-/", next)
}

// readCount reads a number and the unit after it.
func (r *reader) readCount(whole, rest string, start int) {
	n, ok := r.valueOf(whole)
	u, end, counted := r.unitAt(r.i)
	described := !r.lex.german && (r.at(r.i) == '-' || determiners[strings.ToLower(r.last)] || r.described && (r.last == "by" || r.last == "to"))
	r.described = described
	point := r.lex.point
	if last := strings.ToLower(r.last); r.lex.german && (versions[last] || !counted && unicode.IsUpper(firstOf(r.last)) && !r.lex.grammar[last] && r.at(start+len(whole)) == '.') {
		point = r.lex.dot
	}
	if _, coin := r.lex.money[r.at(end-1)]; counted && coin {
		r.i = end
		r.addPrice(whole, rest, u, r.at(end-1))
		return
	}
	one := ok && n == 1 && rest == ""
	if r.lex.german && !one && strictDatives[strings.ToLower(r.last)] {
		u.many = dativePlural(u.many)
	}
	switch {
	case !ok:
		r.addWords(r.lex.spellDigits(whole))
	case one && r.lex.german && counted:
		r.addWords(r.germanUnitOne(u))
	case one && r.lex.german && r.beginsRange():
		r.addWords("ein")
	case one && r.lex.german && r.beforeNoun():
		r.addWords(r.germanOne())
	default:
		r.addWords(r.lex.cardinal(n))
	}
	for _, part := range strings.Split(rest, ".")[1:] {
		r.addWords(point + " " + r.lex.spellDigits(part))
	}
	switch {
	case counted && described && r.isSize(end):
	case counted && (one || r.beforeMeasured(end) || described && (r.at(r.i) == '-' || r.countsNext(end))):
		r.addWords(u.one)
	case counted:
		r.addWords(u.many)
	default:
		r.readSuffix(start)
		return
	}
	r.i, r.units = end, true
}

// versions are German words after which numbers have points instead of commas.
var versions = wordSet("patch update firmware software version edition regelwerk ausgabe v")

// beforeNoun reports whether a die or a noun follows, before which the German "eins" becomes "ein".
func (r *reader) beforeNoun() bool {
	c, next := r.at(r.i), r.at(r.i+1)
	if c == ' ' {
		return unicode.IsUpper(next) && unicode.IsLower(r.at(r.i+2))
	}
	return strings.ContainsRune("dDwW", c) && isDigit(next)
}

// germanOne returns "ein" before a noun, inflected as far as its case can be told.
func (r *reader) germanOne() string {
	if noun := r.nounAt(r.i + 1); r.at(r.i) == ' ' && noun != "Uhr" {
		g, known := genderOf(noun)
		return r.oneFor(g, known)
	}
	return "ein"
}

// readSuffix reads the signs directly after the number that began at start, such as %, x and a range.
func (r *reader) readSuffix(start int) {
	c, next := r.at(r.i), r.at(r.i+1)
	switch {
	case c == '%', c == ' ' && next == '%':
		r.addWords(r.lex.percent)
		r.i += 1 + map[bool]int{true: 1}[c == ' ']
	case c == '‰', c == ' ' && next == '‰':
		r.addWords(r.lex.permille)
		r.i += 1 + map[bool]int{true: 1}[c == ' ']
	case c == '²', c == '³':
		r.addWords(r.lex.powers[c])
		r.i++
	case r.isDivision():
		r.addWords(r.lex.by)
		r.i += strings.IndexRune(string(r.text[r.i:r.i+2]), ':') + 1
	case (c == 'x' || c == 'X' || c == '×') && !unicode.IsLetter(next):
		r.addWords(r.byOrTimes(r.i))
		r.i++
	case c == ' ' && (next == 'x' || next == 'X' || next == '×') && isDigit(r.after(r.i+2)) && !unicode.IsLetter(r.at(r.i+2)):
		r.addWords(r.byOrTimes(r.i + 1))
		r.i += 2
	case c == '-' && isDigit(next) && (r.isDie(start-1) || r.after(r.digitsEnd(r.i+1)) == '='):
		r.addWords(r.lex.minus)
		r.i++
	case (c == '-' || c == '–') && isDigit(next):
		r.addWords(r.lex.to)
		r.i++
	case c == ' ' && (next == '-' || next == '–') && r.rises(start):
		r.addWords(r.lex.to)
		r.i += 2
	case c == ':' && isDigit(next):
		r.addWords(r.lex.ratio)
		r.i++
	case c == '/' && isDigit(next):
		r.addWords(r.strokeBetween(start))
		r.i++
	}
}

// strokeBetween returns the word for the slash between two numbers, for example "of" in 24/31 HP, or "" for
// none. The first number began at start.
func (r *reader) strokeBetween(start int) string {
	end := r.digitsEnd(r.i + 1)
	text := string(r.text[start:min(len(r.text), end)])
	switch {
	case fixedPairs[text]:
		return ""
	case r.isDie(end), r.isDie(start - 1), strings.Count(string(r.text[start:min(len(r.text), end+1)]), "/") > 1, r.at(start-1) == '/',
		r.lex.spans[strings.ToLower(r.wordBefore(start))], isStreet(r.wordBefore(start)):
		return r.lex.slash
	case r.digitsEnd(start) == r.i && r.i-start < 8 && end-r.i < 9 && r.smallNumber(start, r.i) > r.smallNumber(r.i+1, end):
		return r.lex.slash
	}
	return r.lex.of
}

// fixedPairs are read without a word between their numbers.
var fixedPairs = wordSet("24/7 50/50 20/20 60/40 9/11 70/30 80/20 4/4")

// rises reports whether the number that began at start is the lower end of a range with spaces, rather than
// the minuend of a subtraction.
func (r *reader) rises(start int) bool {
	if r.at(r.i+2) != ' ' || start < 0 || r.i-start > 4 || r.i <= start || r.isDie(start-1) {
		return false
	}
	end := r.digitsEnd(r.i + 3)
	if end == r.i+3 || end-r.i-3 > 4 || r.after(end) == '=' {
		return false
	}
	return r.digitsEnd(start) == r.i && r.smallNumber(start, r.i) < r.smallNumber(r.i+3, end)
}

// byOrTimes returns the word for the x at i after a number. English uses "by" for the two sides of an area.
func (r *reader) byOrTimes(i int) string {
	if d := strings.TrimRight(string(r.text[max(0, i-4):i]), " 0123456789"); d != "" && strings.ContainsRune("dDwW", rune(d[len(d)-1])) {
		return r.lex.times // 3d4x10
	}
	for range maxGroups {
		i++
		if r.at(i) == ' ' {
			i++
		}
		end := r.digitsEnd(i)
		if r.lex.german || end == i {
			break
		}
		if _, _, ok := r.unitAt(end); ok || r.countsNext(end) {
			return "by"
		}
		i = end
		if r.at(i) == ' ' {
			i++
		}
		if c := r.at(i); c != 'x' && c != 'X' && c != '×' {
			break
		}
	}
	return r.lex.times
}

// readBareDecimal reads ".5".
func (r *reader) readBareDecimal() bool {
	prev := r.at(r.i - 1)
	if r.lex == nil || r.effort == noSigns || !isDigit(r.at(r.i+1)) || prev != ' ' && prev != '(' && prev != '-' && prev != '+' && prev != '−' {
		return false
	}
	end := r.digitsEnd(r.i + 1)
	digits := string(r.text[r.i+1 : end])
	words := r.lex.point + " " + r.lex.spellDigits(digits)
	if r.lex.german {
		words = r.lex.cardinal(0) + " " + words
	}
	r.i = end
	r.addWords(words)
	if u, end, ok := r.unitAt(r.i); ok {
		r.i = end
		r.addWords(u.many)
		r.units = true
	} else {
		r.readSuffix(end)
	}
	return true
}

// addNumber adds a number with its decimals.
func (r *reader) addNumber(whole, rest string) {
	if n, ok := r.valueOf(whole); ok {
		r.addWords(r.lex.cardinal(n))
	} else {
		r.addWords(r.lex.spellDigits(whole))
	}
	for _, part := range strings.Split(rest, ".")[1:] {
		r.addWords(r.lex.point + " " + r.lex.spellDigits(part))
	}
}

// readPluralNumber reads "100s of men", "6s and 7s" and "the roaring 20s". n is the number before the s.
func (r *reader) readPluralNumber(n int64) bool {
	if r.lex.german || r.at(r.i) != 's' || isWord(r.at(r.i+1)) || timeBefore[strings.ToLower(r.last)] {
		return false
	}
	before := r.wordsBefore(2)
	article := len(before) > 1 && determiners[strings.ToLower(before[1])] && !isDigit(firstOf(before[0]))
	switch {
	case (n == 100 || n == 1000) && r.wordAt(r.i+2, "of"):
		r.addWords(map[int64]string{100: "hundreds", 1000: "thousands"}[n])
	case n >= 20 && n < 100 && n%10 == 0 && article, n > 0 && n <= 20 && (r.last == "and" || r.last == "the" || r.last == "or" || r.last == "size" || r.wordAt(r.i+2, "and") || r.last == "all"):
		words := r.lex.cardinal(n)
		if stem, ok := strings.CutSuffix(words, "y"); ok {
			words = stem + "ie"
		} else if strings.HasSuffix(words, "x") {
			words += "e"
		}
		r.addWords(words + "s")
	default:
		return false
	}
	r.i++
	return true
}

// timeBefore are words after which "30s" means seconds.
var timeBefore = wordSet("for within after wait waits waited every takes took lasts lasted about another last")

// beginsRange reports whether the last number begins a range of counted things, for example "1-2 Tage".
func (r *reader) beginsRange() bool {
	i := r.skipSpace(r.i)
	if c := r.at(i); c != '-' && c != '–' {
		return false
	}
	i = r.skipSpace(i + 1)
	end := r.digitsEnd(i)
	if end == i || end-i > 3 {
		return false
	}
	_, _, unit := r.unitAt(end)
	return unit || r.at(end) == ' ' && unicode.IsUpper(r.at(end+1)) && unicode.IsLower(r.at(end+2))
}

// isScore reports whether an abbreviation in capitals follows, as in "3/8 HP".
func (r *reader) isScore(i int) bool {
	return r.at(i) == ' ' && unicode.IsUpper(r.at(i+1)) && unicode.IsUpper(r.at(i+2))
}

// joinsNumber reports whether German joins word to the number before it.
func joinsNumber(word string) bool {
	for _, stem := range []string{
		"fach", "mal", "jährig", "tägig", "köpfig", "stündig", "minütig", "monatig", "wöchig", "seitig", "armig", "beinig", "äugig", "händig",
		"stufig", "teilig", "stöckig", "prozentig", "schneidig", "eckig", "stellig", "sekündig", "fältig",
	} {
		if strings.HasPrefix(word, stem) {
			return true
		}
	}
	return false
}

// readGermanSuffix reads what German joins to a number: "1350er", "3fach", "4-köpfig", "100%ig".
func (r *reader) readGermanSuffix(whole string) bool {
	n, ok := r.valueOf(whole)
	if !ok {
		return false
	}
	number := stemDE(n)
	if len(whole) == 4 {
		number = strings.TrimSuffix(r.yearWords(whole), "s")
	}
	i := r.i
	switch word := r.wordFrom(i); {
	case word == "er":
		r.readGermanEr(number)
		return true
	case word == "ern" && n%10 == 0:
		r.i += len("ern")
		r.addWords(titleFirst(number) + "ern")
		return true
	case joinsNumber(word):
		r.i += len([]rune(word))
		r.addWords(stemDE(n) + word)
		return true
	case r.readCompound(n):
		return true
	case r.at(i) == '-' && unicode.IsLower(r.at(i+1)) && n < 1000 && !isDieWord(r.wordFrom(i+1)):
		word = r.wordFrom(i + 1)
		r.i += 1 + len([]rune(word))
		r.addWords(stemDE(n) + word)
		return true
	case r.at(i) == '%' && r.at(i+1) == 'i' && r.at(i+2) == 'g':
		word = r.wordFrom(i + 1)
		r.i += 1 + len([]rune(word))
		r.addWords(stemDE(n) + "prozent" + word)
		return true
	case word == "x" && !isDigit(r.after(i+1)) && strings.ContainsRune(" /", r.at(i+1)):
		r.i++
		r.addWords(stemDE(n) + "mal")
		return true
	}
	return false
}

// readGermanEr reads "1350er Jahre" and "6er-Gruppe".
func (r *reader) readGermanEr(number string) {
	r.i += len("er")
	if strings.HasSuffix(number, "ein") {
		number += "s"
	}
	word := number + "er"
	noun := r.nounAt(r.i + 1)
	if r.at(r.i) == '-' && noun != "" && !strings.HasPrefix(noun, "Jahr") {
		r.i += 1 + len([]rune(noun))
		word = titleFirst(word) + strings.ToLower(noun)
	}
	r.addWords(word)
}

// oneFor returns "ein" for a noun of gender g after the last word. It uses the accusative only if the gender
// is known.
func (r *reader) oneFor(g gender, known bool) string {
	word := strings.ToLower(r.last)
	switch {
	case strictDatives[word] && g == feminine:
		return "einer"
	case strictDatives[word]:
		return "einem"
	case g == feminine:
		return "eine"
	case g == masculine && known && (slices.Contains(accusativePrepositions, word) || accusativeVerbs[word]):
		return "einen"
	}
	return "ein"
}

// accusativeVerbs are German verbs whose object is often counted.
var accusativeVerbs = wordSet("nimm nehmt nehme nimmt gib gebt gibt gebe brauche brauchst braucht brauchen habe hast hat haben hatte hatten kostet kosten kostete " +
	"zahl zahlt zahle zahlen kauf kauft kaufe kaufen wirf werft werfe wirft würfle würfelt trink trinkt verliere verlierst verliert bekommst bekommt erhältst erhält findet findest finde je pro")

// strictDatives are German prepositions that require the dative, always or before a measure.
var strictDatives = wordSet("mit nach bei von aus seit zu ab außer gegenüber in vor samt")
