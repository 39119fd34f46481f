package sqlstore

// This part says how the rows of a store hold what has no column type of its own, the
// same for all stores. It does no I/O.

import (
	"errors"
	"fmt"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Frame separates the ids in a column visible.
const Frame = "\x1f"

// viewerKeys returns what a list contains of which viewer may see the row: itself, or a
// group of its. Who is nobody sees all, by a key that is part of every list.
func viewerKeys(viewer string, groups *memory.Groups) []string {
	if viewer == "" {
		return []string{""}
	}
	keys := []string{}
	for _, id := range append([]string{viewer}, groups.Of(viewer)...) {
		if id != "" && !strings.Contains(id, Frame) { // else it is in no list
			keys = append(keys, Frame+id+Frame)
		}
	}
	return keys
}

// Day is what the columns day and date are given.
func Day(d memory.Date) (day any, date string) {
	if d.IsZero() {
		return nil, ""
	}
	return d.Day, d.Text
}

// Visible encodes a list of NPC ids. An empty id is refused: dropping it
// could turn a secret into common knowledge.
func Visible(ids []string) (string, error) {
	if len(ids) == 0 {
		return "", nil
	}
	for _, id := range ids {
		if id == "" {
			return "", errors.New("visible lists an empty NPC id")
		}
		if strings.Contains(id, Frame) {
			return "", fmt.Errorf("visible lists %q, which is no NPC id", id)
		}
	}
	return Frame + strings.Join(ids, Frame) + Frame, nil
}

// VisibleList decodes what [Visible] encoded.
func VisibleList(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.Trim(s, Frame), Frame)
}
