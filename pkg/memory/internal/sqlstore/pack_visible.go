package sqlstore

// This file encodes values that have no column type of their own, in the same way for all stores. It does no
// I/O.

import (
	"errors"
	"fmt"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Frame separates the ids in the column visible.
const Frame = "\x1f"

// viewerKeys returns the texts that a column visible contains if viewer may see the row: one for the viewer
// and one for each of its groups. An empty viewer sees all, so its key is the empty text, which every list
// contains.
func viewerKeys(viewer string, groups *memory.Groups) []string {
	if viewer == "" {
		return []string{""}
	}
	keys := []string{}
	for _, id := range append([]string{viewer}, groups.Of(viewer)...) {
		if id != "" && !strings.Contains(id, Frame) { // no list contains such an id
			keys = append(keys, Frame+id+Frame)
		}
	}
	return keys
}

// Day returns the values of the columns day and date.
func Day(d memory.Date) (day any, date string) {
	if d.IsZero() {
		return nil, ""
	}
	return d.Day, d.Text
}

// Visible encodes a list of ids. It rejects an empty id, because dropping it could make a secret visible to
// everyone.
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

// VisibleList decodes the encoding of [Visible].
func VisibleList(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.Trim(s, Frame), Frame)
}
