package sqlite

import (
	"errors"
	"fmt"
	"strings"
)

// frame separates the ids in a column visible.
const frame = "\x1f"

// Conditions on what a viewer may see; the parameter is what viewerKey
// returns. The empty key is part of every list, which is how the operator sees
// all.
const (
	visibleFact     = `(f.visible = '' OR instr(f.visible, ?) > 0)`
	visibleEntity   = `(e.visible = '' OR instr(e.visible, :viewer) > 0)`
	visibleRelation = `(r.visible = '' OR instr(r.visible, :viewer) > 0)`
)

// viewerKey returns what a visible column contains if viewer may see the row.
func viewerKey(viewer string) string {
	if viewer == "" {
		return ""
	}
	if strings.Contains(viewer, frame) {
		return frame + frame // in no list, since no id is empty
	}
	return frame + viewer + frame
}

// packVisible encodes a list of NPC ids. An empty id is refused: dropping it
// could turn a secret into common knowledge.
func packVisible(ids []string) (string, error) {
	if len(ids) == 0 {
		return "", nil
	}
	for _, id := range ids {
		if id == "" {
			return "", errors.New("visible lists an empty NPC id")
		}
		if strings.Contains(id, frame) {
			return "", fmt.Errorf("visible lists %q, which is no NPC id", id)
		}
	}
	return frame + strings.Join(ids, frame) + frame, nil
}

func unpackVisible(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.Trim(s, frame), frame)
}
