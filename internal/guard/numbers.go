package guard

import "strconv"

var (
	numbersEN = []string{
		"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
		"fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
	}
	tensEN    = []string{"", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"}
	numbersDE = []string{
		"null", "eins", "zwei", "drei", "vier", "funf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwolf", "dreizehn",
		"vierzehn", "funfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn",
	}
	tensDE = []string{"", "", "zwanzig", "dreissig", "vierzig", "funfzig", "sechzig", "siebzig", "achtzig", "neunzig"}
)

// numbers maps folded number words of both languages to their values, including "a six", "sixes", "eine
// Sechs" and "Sechser".
var numbers = makeNumbers()

func makeNumbers() map[string]int {
	m := map[string]int{
		"nought": 0, "hundred": 100, "thousand": 1000, "hundert": 100, "tausend": 1000, "einhundert": 100, "zwo": 2, "sixes": 6,
		"ein": 1, "eine": 1, "einen": 1, "einem": 1, "einer": 1, "hundreds": 100, "dozen": 12, "dutzend": 12,
	}
	for n, w := range numbersEN {
		m[w] = n
	}
	for t, w := range tensEN {
		if t >= 2 {
			m[w] = 10 * t
		}
	}
	for n, w := range numbersDE {
		m[w] = n
		if n > 1 {
			m[w+"er"], m[w+"en"], m[w+"ern"] = n, n, n
			m[w+"hundert"], m[w+"tausend"] = 100*n, 1000*n
		}
	}
	for t, w := range tensDE {
		if t < 2 {
			continue
		}
		m[w], m[w+"er"] = 10*t, 10*t
		m["einund"+w] = 10*t + 1
		for n := 2; n < 10; n++ {
			m[numbersDE[n]+"und"+w] = 10*t + n
		}
	}
	m["einser"], m["einsen"] = 1, 1
	return m
}

// numberOf returns the value of a folded word, or -1 if it is not a number.
func numberOf(w string) int {
	if n, ok := numbers[w]; ok {
		return n
	}
	if w[0] < '0' || w[0] > '9' || len(w) > 6 {
		return -1
	}
	if n, err := strconv.Atoi(w); err == nil {
		return n
	}
	return -1
}

// articleNumber reports whether a number word may be only an article.
func articleNumber(w string) bool {
	switch w {
	case "ein", "eine", "einen", "einem", "einer", "one":
		return true
	}
	return false
}

// numberAt reads the number at word i, such as "two hundred" or "twenty-one", and returns how many words it
// has; 0 if there is no number.
func (s *sentence) numberAt(i int) (value, size int) {
	value = s.words[i].number
	if value < 0 {
		return 0, 0
	}
	size = 1
	for i+size < len(s.words) {
		next := s.words[i+size].number
		switch between := s.gap(i + size); {
		case between != " " && between != "-" || next < 0:
			return value, size
		case (next == 100 || next == 1000) && value < next && value > 0:
			value *= next
		case value%10 == 0 && value >= 20 && value < 100 && next > 0 && next < 10 && value <= 90 && !articleNumber(s.at(i+size)):
			value += next
		default:
			return value, size
		}
		size++
	}
	return value, size
}
