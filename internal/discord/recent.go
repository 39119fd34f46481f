package discord

// maxRecent bounds the remembered ids. It exceeds the number of events that the gateway replays.
const maxRecent = 2048

// recentIDs remembers the latest ids, each with a note. It is not safe for concurrent use.
type recentIDs struct {
	known map[string]string
	order []string
}

// find returns the note of an id, and whether the id is remembered.
func (r *recentIDs) find(id string) (note string, is bool) {
	note, is = r.known[id]
	return note, is
}

// record records an id with a record, and drops the oldest id beyond maxRecent.
func (r *recentIDs) record(id, note string) {
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
