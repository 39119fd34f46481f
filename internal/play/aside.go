package play

import (
	"context"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/plural"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// importSpilled imports lines into the store that it rejected earlier, and reports how many. Lines that still
// cannot be imported stay where they are.
func importSpilled(ctx context.Context, cfg *config.Config, log memory.SessionLog, tell func(string)) {
	forgotten, err := ReadForgotten(ForgottenUsersFile(cfg))
	n := 0
	if err == nil {
		n, err = ImportSpilled(ctx, SpillDir(cfg), log, forgotten)
	}
	if n > 0 {
		tell(plural.Count(n, "line of an earlier session that could not be saved then is", "lines of an earlier session that could not be saved then are") + " in memory now")
	}
	if err != nil {
		tell(userfile.OneLine(err))
	}
}
