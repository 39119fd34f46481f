package mcpserver_test

import "github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"

func pageSize(n int) func(*mcpserver.Options) {
	return func(o *mcpserver.Options) { o.PageSize = n }
}

func compact(o *mcpserver.Options) { o.Compact = true }

func prefixed(o *mcpserver.Options) { o.Prefixed = true }
