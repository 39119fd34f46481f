package vendor

import (
	"errors"
	"math"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// ErrAddress means that a base address is invalid.
var ErrAddress = errors.New("the address is no ws, wss, http or https URL")

// Address appends path to base, unless the path of base already ends with it. A version at the start of path
// is not repeated.
func Address(base, path string) (*url.URL, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return nil, ErrAddress
	}
	switch u.Scheme {
	case "ws", "wss", "http", "https":
	default:
		return nil, ErrAddress
	}
	own := strings.TrimRight(u.Path, "/")
	if !strings.HasSuffix(own, path) {
		u.Path = strings.TrimSuffix(own, "/v1") + path
	}
	return u, nil
}

// Keyterms returns the first terms that fit into a request: at most number terms, bytes in total and runes
// per term; a zero bytes or runes means no limit. It cleans the terms and removes duplicates.
func Keyterms(terms []string, number, bytes, runes int) []string {
	var kept []string
	seen := map[string]bool{}
	total := 0
	for _, term := range terms {
		term = untrusted.Line(term, 0)
		if term == "" || seen[term] || runes > 0 && utf8.RuneCountInString(term) > runes {
			continue
		}
		if len(kept) == number || bytes > 0 && total+len(term) > bytes {
			break
		}
		seen[term] = true
		total += len(term)
		kept = append(kept, term)
	}
	return kept
}

// longest is the maximum position within a stream.
const longest = 30 * 24 * time.Hour

// Seconds converts a vendor's seconds to a duration, clamped to between 0 and 30 days.
func Seconds(s float64) time.Duration {
	if !(s > 0) { // also NaN
		return 0
	}
	return time.Duration(math.Min(s, longest.Seconds()) * float64(time.Second))
}

// Confidence clamps a vendor's confidence to between 0 and 1.
func Confidence(c float64) float64 {
	if !(c > 0) { // also NaN
		return 0
	}
	return min(c, 1)
}
