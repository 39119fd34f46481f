// Package roundrobin lets those who wait take turns, however much one of them has
// waiting. It keeps no queue itself and is not safe for concurrent use.
package roundrobin

// inRow is how many of one owner are taken in a row while somebody else's wait.
const inRow = 2

// Order is whose turn it is. The zero value begins with the oldest.
type Order struct {
	last  string // whose were taken last
	count int    // in a row
}

// Next returns which of n that wait, the oldest first, is taken next, at least one: the
// oldest, or the oldest of somebody else after two of the same owner.
func (o *Order) Next(n int, owner func(i int) string) int {
	if o.count < inRow {
		return 0
	}
	for i := range n {
		if owner(i) != o.last {
			return i
		}
	}
	return 0
}

// Took notes that one of an owner was taken.
func (o *Order) Took(owner string) {
	if owner != o.last {
		o.last, o.count = owner, 0
	}
	o.count++
}
