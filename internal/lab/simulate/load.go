package simulate

import (
	"errors"
	"fmt"
	"time"
)

// Bounds of a [Load]. On most machines memory sets a lower bound: see
// [Load.Fits].
const (
	MaxTables = 10_000
	// MaxPlayers is about the capacity of a voice channel.
	MaxPlayers = 100
)

// Load is the load to simulate.
type Load struct {
	Tables int // 1 to [MaxTables]
	// Players is the number at each table, 1 to [MaxPlayers]. One in four has
	// an open microphone, which sends all the time.
	Players int
	// NPCs is the number at each table, 1 to [MaxNPCs].
	NPCs int
	// Engines says which engines they use.
	Engines Mix
	// Duration is the length of play, above 0.
	Duration time.Duration
}

// Check returns an error if l is invalid on every machine.
func (l Load) Check() error {
	switch {
	case l.Tables < 1:
		return errors.New("there has to be a table")
	case l.Tables > MaxTables:
		return fmt.Errorf("at most %d tables can be simulated", MaxTables)
	case l.Players < 1:
		return errors.New("there has to be a player at each table")
	case l.Players > MaxPlayers:
		return fmt.Errorf("at most %d players can sit at a simulated table", MaxPlayers)
	case l.NPCs < 1 || l.NPCs > MaxNPCs:
		return fmt.Errorf("a simulated table has 1 to %d NPCs", MaxNPCs)
	case min(l.Engines.Cascaded, l.Engines.SentenceCascade, l.Engines.S2S) < 0:
		return errors.New("no engine can have less than none of the NPCs")
	case l.Duration <= 0:
		return errors.New("the simulation has to take some time")
	}
	return nil
}

// Memory per table and per player, in bytes, measured with 50 tables of 4 and
// rounded up: buffers, queued sound, codecs, stacks. A player in a browser also
// has a connection, with streams and some thirty goroutines, measured with 25
// tables of 4.
const (
	tableMemory  = 1 << 20
	playerMemory = 512 << 10
	pageMemory   = 640 << 10
)

// Fits returns an error if l, which Check accepted, does not fit in this many
// bytes of memory. The players may be in browsers.
func (l Load) Fits(memory int64, inBrowsers bool) error {
	player := int64(playerMemory)
	if inBrowsers {
		player += pageMemory
	}
	each := tableMemory + int64(l.Players)*player
	if int64(l.Tables)*each <= memory {
		return nil
	}
	most := memory / each
	if most == 0 {
		return fmt.Errorf("a table of %d players takes %d MB, and there are %d MB here", l.Players, each>>20, memory>>20)
	}
	return fmt.Errorf("%d tables of %d players take %d MB, and there are %d MB here, enough for %d tables",
		l.Tables, l.Players, int64(l.Tables)*each>>20, memory>>20, most)
}
