// Package mcpbench bounds the cost of a tool call through the host. Its tests
// call one small tool through the bare SDK, through mark3labs/mcp-go and
// through the host, in turns, and fail if the host costs too much more than its
// SDK. Other tests increase the number of tools, entities and audit records,
// and fail if the cost grows too much.
//
// No package imports it; it contains only tests.
package mcpbench
