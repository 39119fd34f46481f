package scenario

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// piece is a part of a player's line without a pause.
type piece struct {
	text  string
	pause time.Duration // after it
}

var pauseForm = regexp.MustCompile(`\[([^\]]*)\]`)

// parseLine splits a line such as "Bart, [800ms] hold the door" at its pauses.
func parseLine(line string) ([]piece, error) {
	var out []piece
	at := 0
	for _, m := range pauseForm.FindAllStringSubmatchIndex(line, -1) {
		d, err := time.ParseDuration(line[m[2]:m[3]])
		if err != nil || d <= 0 || d > time.Minute {
			return nil, fmt.Errorf("%q is no pause", line[m[0]:m[1]])
		}
		if text := strings.TrimSpace(line[at:m[0]]); text != "" {
			out = append(out, piece{text: text})
		}
		if len(out) == 0 {
			return nil, errors.New("it begins with a pause")
		}
		out[len(out)-1].pause += d
		at = m[1]
	}
	if text := strings.TrimSpace(line[at:]); text != "" {
		out = append(out, piece{text: text})
	}
	if len(out) == 0 {
		return nil, errors.New("there is nothing to say")
	}
	return out, nil
}

const (
	// perLetter and leastSpoken make generated speech about as long as a
	// person's.
	perLetter   = 65 * time.Millisecond
	leastSpoken = 240 * time.Millisecond
)

// spokenFor returns the length of a text's generated speech.
func spokenFor(text string) time.Duration {
	return max(leastSpoken, time.Duration(utf8.RuneCountInString(text))*perLetter)
}
