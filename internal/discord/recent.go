package discord

// maxRecent bounds the ids that are remembered: more than come again, as the gateway
// replays what it told last.
const maxRecent = 2048

// recentIDs remembers the last ids that were noted, each with what is known of it. It is
// for one goroutine at a time.
type recentIDs struct {
	known map[string]string
	order []string
}

// find returns what is known of an id, and whether it is one of the last.
func (r *recentIDs) find(id string) (note string, is bool) {
	note, is = r.known[id]
	return note, is
}

// note notes an id, and forgets the oldest beyond maxRecent.
func (r *recentIDs) note(id, note string) {
	if r.known == nil {
		r.known = map[string]string{}
	}
	if _, is := r.known[id]; !is {
		r.order = append(r.order, id)
	}
	r.known[id] = note
	if len(r.order) > maxRecent {
		delete(r.known, r.order[0])
		r.order = r.order[1:]
	}
}
