package speech

import "strings"

// maxCardinal is the greatest number that is read as words. Greater ones are read digit by digit.
const maxCardinal = 999_999_999_999

var enSmall = []string{
	"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
	"fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
}

var enTens = []string{"", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"}

// cardinalEN reads n in English, 0 to maxCardinal.
func cardinalEN(n int64) string {
	switch {
	case n < 20:
		return enSmall[n]
	case n < 100:
		if n%10 == 0 {
			return enTens[n/10]
		}
		return enTens[n/10] + "-" + enSmall[n%10]
	}
	for _, step := range []struct {
		size int64
		name string
	}{{1_000_000_000, "billion"}, {1_000_000, "million"}, {1000, "thousand"}, {100, "hundred"}} {
		if n < step.size {
			continue
		}
		text := cardinalEN(n/step.size) + " " + step.name
		if rest := n % step.size; rest > 0 {
			text += " " + cardinalEN(rest)
		}
		return text
	}
	return ""
}

// ordinalEN reads n as in "the third".
func ordinalEN(n int64) string {
	text := cardinalEN(n)
	cut := strings.LastIndexAny(text, " -") + 1
	head, last := text[:cut], text[cut:]
	switch last {
	case "one":
		return head + "first"
	case "two":
		return head + "second"
	case "three":
		return head + "third"
	case "five":
		return head + "fifth"
	case "eight":
		return head + "eighth"
	case "nine":
		return head + "ninth"
	case "twelve":
		return head + "twelfth"
	}
	if stem, ok := strings.CutSuffix(last, "y"); ok {
		return head + stem + "ieth"
	}
	return head + last + "th"
}

var deSmall = []string{
	"null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf", "dreizehn",
	"vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn",
}

var deTens = []string{"", "", "zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"}

// cardinalDE reads n in German, 0 to maxCardinal.
func cardinalDE(n int64) string {
	switch {
	case n >= 1_000_000_000:
		return largeDE(n, 1_000_000_000, "eine Milliarde", "Milliarden")
	case n >= 1_000_000:
		return largeDE(n, 1_000_000, "eine Million", "Millionen")
	case n >= 2000:
		return stemDE(n/1000) + "tausend" + germanRemainder(n%1000)
	case n >= 1000:
		return "tausend" + germanRemainder(n%1000)
	case n >= 200:
		return stemDE(n/100) + "hundert" + germanRemainder(n%100)
	case n >= 100:
		return "hundert" + germanRemainder(n%100)
	case n < 20:
		return deSmall[n]
	case n%10 == 0:
		return deTens[n/10]
	}
	return stemDE(n%10) + "und" + deTens[n/10]
}

// largeDE reads n, which is at least size.
func largeDE(n, size int64, one, many string) string {
	text := one
	if n/size > 1 {
		text = cardinalDE(n/size) + " " + many
	}
	if rest := n % size; rest > 0 {
		text += " " + cardinalDE(rest)
	}
	return text
}

// stemDE reads n before something it counts: "ein", "einundzwanzig".
func stemDE(n int64) string {
	return strings.TrimSuffix(cardinalDE(n), "s") + map[bool]string{true: "s"}[n%100 == 6]
}

func germanRemainder(n int64) string {
	switch {
	case n == 0:
		return ""
	case n >= 100 && n < 200: // after thousands
		return "ein" + cardinalDE(n)
	}
	return cardinalDE(n)
}

// ordinalDE reads n as in "der dritte", but without the ending: "dritt".
func ordinalDE(n int64) string {
	text := cardinalDE(n)
	switch rest := n % 100; {
	case rest == 1:
		return strings.TrimSuffix(text, "eins") + "erst"
	case rest == 3:
		return strings.TrimSuffix(text, "drei") + "dritt"
	case rest == 7:
		return strings.TrimSuffix(text, "sieben") + "siebt"
	case rest == 8:
		return text
	case rest > 0 && rest < 20:
		return text + "t"
	}
	return text + "st"
}
