// Package mcpbench holds the host to what a tool call through it may cost. Its
// tests call one small tool through the bare SDK, through mark3labs/mcp-go and
// through the host, taking turns, and fail when the host costs too much more
// than the SDK it stands on. Others have tools, entities and audit records become more,
// and fail where that costs more than it should.
//
// Nothing imports it; it has no code but its tests.
package mcpbench
