package play

import "github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"

// SourcesOf returns the sources for documents about a game.
func SourcesOf(g *Game) mcpserver.LibrarySources {
	return mcpserver.LibrarySources{
		Campaign: g.Config.Campaign.Name, System: g.Config.Campaign.System, Scene: g.World.Scene, NPCs: g.Cast(),
		Graph: g.Store, Log: g.Store, Rules: mcpserver.NewRuleReader(g.Registry.Rules), Latency: g.Registry.Host.Status,
	}
}
