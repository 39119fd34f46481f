package address

// group reports whether the utterance calls everyone, or several people without names.
func (u *utterance) group() bool {
	for i, t := range u.tokens {
		if t.quoted {
			continue
		}
		if t.text == "y'all" || u.allOfYou(i) {
			return true
		}
	}
	for first := 0; first < len(u.tokens); {
		end := first + 1
		for end < len(u.tokens) && !u.tokens[end].opens {
			end++
		}
		if !u.tokens[first].quoted && u.callsCrowd(first, end) {
			return true
		}
		first = end
	}
	return false
}

// allOfYou reports whether "both of you", "you two", "ihr alle" or a similar phrase begins at token i.
func (u *utterance) allOfYou(i int) bool {
	word := func(k int) string {
		if i+k >= len(u.tokens) || k > 0 && u.tokens[i+k].opens {
			return ""
		}
		return u.tokens[i+k].text
	}
	switch word(0) {
	case "both", "all", "two", "three":
		return word(1) == "of" && word(2) == "you"
	case "alle":
		return u.tokens[i].opens && word(1) == "mal"
	case "kommt", "hört", "geht", "bleibt", "lauft", "seid":
		return u.tokens[i].opens && word(1) == "alle"
	case "you", "ihr", "euch":
		switch word(1) {
		case "both", "two", "three", "guys", "folks", "lot", "beide", "beiden", "alle", "zwei", "drei", "allen":
			return true
		case "all":
			return word(2) != "right" && word(2) != "alone" && word(2) != "set"
		}
	}
	return false
}

// everything are words for a group of people that alone mean all things.
var everything = map[string]bool{"all": true, "alle": true, "zusammen": true}

// callsCrowd reports whether a clause calls a group of people: "Friends, …", "good evening everyone", "danke
// Leute".
func (u *utterance) callsCrowd(first, end int) bool {
	if u.tokens[end-1].class&crowd == 0 {
		return false
	}
	i := end - 1
	if i == first && everything[u.tokens[i].text] {
		return false
	}
	for i > first && u.tokens[i-1].class&(crowd|joins|honorific|opener) != 0 {
		i--
	}
	return i == first || u.tokens[i-1].class&tail != 0
}
