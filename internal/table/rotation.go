package table

// maxInRow is how many items of one owner are next in a row while another owner's wait.
const maxInRow = 2

// Rotation decides whose item is next in a queue, so that owners take turns however many items one
// of them has waiting. It keeps no queue itself. The zero value begins with the oldest item. It is
// not safe for concurrent use.
type Rotation struct {
	last  string // owner of the last item
	count int    // items of that owner in a row
}

// Next returns the index of the next of n waiting items, ordered from the oldest; n is at least 1.
// That is the oldest, or after two items of the same owner the oldest of another one.
func (r *Rotation) Next(n int, owner func(i int) string) int {
	if r.count < maxInRow {
		return 0
	}
	for i := range n {
		if owner(i) != r.last {
			return i
		}
	}
	return 0
}

// Record records that an item of an owner was removed from the queue.
func (r *Rotation) Record(owner string) {
	if owner != r.last {
		r.last, r.count = owner, 0
	}
	r.count++
}
