package ruleslookup

import "strings"

// speakable summarises a result in at most two sentences, beginning with its name.
func speakable(h Hit) string {
	text := h.Summary
	for from, sentences := 0, 0; ; {
		at := strings.Index(text[from:], ". ")
		if at < 0 {
			break
		}
		if sentences++; sentences == 2 {
			text = text[:from+at+1]
			break
		}
		from += at + 2
	}
	if strings.Contains(strings.ToLower(text), strings.ToLower(h.Name)) {
		return text
	}
	return h.Name + ": " + text
}
