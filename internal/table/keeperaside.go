package table

import (
	"errors"
	"fmt"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// save puts what waits into the aside, as far as it is not there yet, and returns where
// that is. What is not in it at the end is lost.
func (k *keeper) save() (where string, err error) {
	if k.aside == nil {
		return "", nil
	}
	k.asideMu.Lock()
	defer k.asideMu.Unlock()
	k.mu.Lock()
	var lines []memory.Line
	var some []*unkept
	for _, u := range k.waiting {
		if !u.saved {
			some, lines = append(some, u), append(lines, u.lines...)
		}
	}
	k.mu.Unlock()
	if where, err = k.aside.Add(lines); err != nil {
		return "", err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, u := range some {
		u.saved = true
	}
	return where, nil
}

// replaceSaved brings the aside up to date with what waits, after some of it was changed or
// is in the log. Else what was taken back could come again with the next start.
func (k *keeper) replaceSaved() error {
	if k.aside == nil {
		return nil
	}
	k.asideMu.Lock()
	defer k.asideMu.Unlock()
	k.mu.Lock()
	var lines []memory.Line
	for _, u := range k.waiting {
		if u.saved {
			lines = append(lines, u.lines...)
		}
	}
	k.mu.Unlock()
	return k.aside.Replace(lines)
}

// giveUp leaves what waits to the aside, tells what is lost, and ends the goroutine.
func (k *keeper) giveUp(err error, where string, unsaved error) {
	k.mu.Lock()
	saved, lost := 0, k.lost
	for _, u := range k.waiting {
		if u.saved {
			saved += len(u.lines)
		} else {
			lost += len(u.lines)
		}
	}
	k.waiting, k.lines, k.bytes, k.ended = nil, 0, 0, nil
	k.mu.Unlock()
	if saved > 0 {
		k.tell(kept{"warning", CodeAside, fmt.Sprintf("%s in %s, and will be in memory once it can be opened: %s", countLines(saved), where, reasonOf(err))})
	}
	if lost > 0 {
		k.tell(kept{"error", CodeLost, fmt.Sprintf("%s lost, since the session ends: %s", countLines(lost), reasonOf(errors.Join(err, unsaved)))})
	}
}
