package speech

import (
	"strings"
	"unicode"
)

// readAngle reads an angle in degrees, minutes and seconds, as of a place on a map.
func (r *measureReader) readAngle() bool {
	whole, rest, end := r.numeralAt(r.i, r.lex.german)
	if r.at(end) != '°' || rest != "" {
		return false
	}
	minutes, next, ok := r.partOfAngle(end+1, '′')
	if !ok {
		return false
	}
	seconds, last, ok := r.partOfAngle(next, '″')
	r.addDegrees(whole, r.lex.degree)
	r.addDegrees(minutes, r.lex.minute)
	r.i = next
	if ok {
		r.addDegrees(seconds, r.lex.second)
		r.i = last
	}
	r.units = true
	return true
}

// partOfAngle returns the digits before the sign of a part of an angle.
func (r *measureReader) partOfAngle(i int, sign rune) (digits string, next int, ok bool) {
	i = after(r.source, i)
	end := r.digitsEnd(i)
	if end == i || end-i > 2 || r.at(end) != sign {
		return "", 0, false
	}
	return string(r.source[i:end]), end + 1, true
}

// addDegrees says a part of an angle.
func (r *measureReader) addDegrees(digits string, u unit) {
	n, ok := r.valueOf(strings.TrimPrefix(digits, "0"))
	if !ok {
		r.addWords(r.lex.spellDigits(digits) + " " + u.many)
		return
	}
	r.addOf(n, u)
}

// maxCompass is the length of the longest point of a compass.
const maxCompass = 3

// compassPoint returns the name of a point of the compass written in capitals, such as
// NNW; beyond says that in German what lies there is told of something else: "nördlich von".
func (l *lexicon) compassPoint(letters string, beyond bool) string {
	const poles, sides = "NS", "EOW"
	n := len(letters)
	if n == 0 || n > maxCompass || n > 1 && (!strings.Contains(poles, letters[n-2:n-1]) || !strings.Contains(sides, letters[n-1:])) {
		return ""
	}
	var name strings.Builder
	for i, c := range letters {
		word := l.compass[c]
		switch {
		case word == "":
			return ""
		case i == n-1 && beyond && l.german:
			word = map[rune]string{'N': "nördlich", 'S': "südlich", 'W': "westlich"}[c]
			if word == "" {
				word = "östlich"
			}
		case i > 0 || beyond:
			word = strings.ToLower(word)
		}
		name.WriteString(word)
		if i == 0 && n == maxCompass && !l.german {
			name.WriteByte('-')
		}
	}
	return name.String()
}

// readCompass reads "10 km S", "47° 9′ S", "N. of here" and "500 N. Main St.".
func (r *shortReader) readCompass() bool {
	if !strings.ContainsRune("NSEOW", r.at(r.i)) {
		return false
	}
	word := r.wordFrom(r.i)
	if len(word) > maxCompass {
		return false
	}
	end := r.i + len(word)
	dot := r.at(end) == '.'
	next := end
	if dot {
		next++
	}
	follow := r.wordFrom(after(r.source, next))
	beyond := follow == "of" || r.lex.german && (follow == "von" || follow == "der" || follow == "des" || follow == "vom")
	name := r.lex.compassPoint(word, beyond)
	street := dot && !r.lex.german && isDigit(r.before(r.i-1)) && (unicode.IsUpper(r.after(next)) || isDigit(r.after(next)))
	cued := len(word) > 1 && (r.lex.courses[strings.ToLower(r.last)] || len(word) == 3 && !r.lex.shouted[strings.ToLower(word)])
	if name == "" || !(r.units || street || beyond && (dot || len(word) > 1) || cued) {
		return false
	}
	if r.units && r.mark == '.' {
		r.mark = 0 // the unit's own
	}
	if dot && !r.endsAt(next) {
		end = next
	}
	r.i = end
	r.addWords(name)
	return true
}
