package app

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/play"
)

// clientsEvery is how often the configuration is checked for changed tokens.
const clientsEvery = time.Second

// followClients makes keeper refuse the tokens of clients that are removed from the configuration file, and
// accept new ones, until ctx ends. An invalid file is reported once and changes nothing.
func (a *App) followClients(ctx context.Context, keeper *access.Gatekeeper) {
	file := a.Config.File
	if file == "" || file == config.BuiltIn {
		return
	}
	known := fileSeen(file)
	last := known
	if now, err := play.LoadConfig(file); err == nil { // it may have changed since it was read
		a.setClients(keeper, now)
	}
	ticker := time.NewTicker(clientsEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		seen := fileSeen(file)
		settled := seen == last // a file that is still being written may be incomplete
		last = seen
		if seen == known || !settled {
			continue
		}
		known = seen
		now, err := play.LoadConfig(file)
		if err != nil {
			a.log.Warn("the changed configuration cannot be read; the old tokens stay valid", "reason", err)
			continue
		}
		a.setClients(keeper, now)
	}
}

func (a *App) setClients(keeper *access.Gatekeeper, now *config.Config) {
	if err := keeper.SetClients(now.Server.Clients); err != nil {
		a.log.Warn("the clients of the changed configuration cannot be used; the old tokens stay valid", "reason", err)
	}
}

// fileSeen returns a text that identifies the state of a file. A file that cannot be read counts as missing.
func fileSeen(file string) string {
	info, err := os.Stat(file)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}
