// Package fileio provides the tools write_file and read_file, which store text files in a single directory.
//
//	for _, t := range fileio.NewTools("/var/lib/glyphoxa/files") {
//		// Register t with the host.
//	}
//
// Every access goes through an os.Root, so neither ".." nor a symbolic link can leave the directory. A file
// holds UTF-8 text of at most 1 MiB, and a quota limits the total size of all files. Each process keeps its
// own count towards the quota: if two processes share a directory, each notices the other's files only when
// it counts again.
package fileio

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

const (
	// MaxFileSize is the maximum size of a file that can be read or written, in bytes.
	MaxFileSize = 1 << 20

	// DefaultQuota is the default limit on the total size of all files, in bytes. [WithQuota] changes it.
	DefaultQuota = 64 << 20

	// MaxEntries is the maximum number of files and directories. It prevents many tiny files from using up
	// the directory space of the disk.
	MaxEntries = 10_000
)

// Option configures [NewTools].
type Option func(*sandbox)

// WithQuota limits the total size of all files, in bytes. Zero or less means [DefaultQuota].
func WithQuota(bytes int64) Option {
	return func(s *sandbox) {
		if bytes > 0 {
			s.quota = bytes
		}
	}
}

// NewTools returns write_file and read_file for baseDir. The directory need not exist, because the first
// write creates it. If it exists, NewTools counts its contents and removes files that a crash left
// unfinished. If it cannot be read, the calls of the tools report that.
func NewTools(baseDir string, opts ...Option) []tools.Tool {
	s := newSandbox(baseDir)
	for _, o := range opts {
		o(s)
	}
	s.prepare()
	return []tools.Tool{writeTool(s), readTool(s)}
}

var (
	pathBounds = map[string]any{"minLength": 1, "maxLength": maxPath}
	sizeBounds = map[string]any{"minimum": 0, "maximum": MaxFileSize}
)

type writeArgs struct {
	Path    *string `json:"path" jsonschema:"Path inside the file store, with \"/\" between folders, e.g. \"notes/session-3.md\"."`
	Content *string `json:"content" jsonschema:"The whole text of the file."`
}

type writeResult struct {
	Path         string `json:"path"`
	BytesWritten int    `json:"bytes_written" jsonschema:"Size in bytes."`
}

func writeTool(s *sandbox) tools.Tool {
	return tools.Writing(tools.Tool{
		Definition: llm.ToolDefinition{
			Name: "write_file",
			Description: "Write a text file to the campaign's file store, replacing a file of that path. " +
				"Missing folders are created. At most 1 MiB.",
			Parameters:          tools.SchemaOf[writeArgs](tools.Bounds{"path": pathBounds}),
			EstimatedDurationMs: 20, MaxDurationMs: 100, Idempotent: true,
		},
		Title: "Write file", Permission: "files.write", Destructive: true, Floor: mcp.BudgetFast, Own: isNote,
		OutputSchema: tools.SchemaOf[writeResult](tools.Bounds{"bytes_written": sizeBounds}),
		Handler:      textOnly(tools.JSON(s.runWrite)),
	})
}

// NotesDir is the directory where NPCs keep their own notes.
const NotesDir = "notes"

// isNote reports whether a call writes a file below [NotesDir].
func isNote(_, args string) bool {
	var a writeArgs
	if json.Unmarshal([]byte(args), &a) != nil || a.Path == nil {
		return false
	}
	name, err := cleanPath(*a.Path)
	return err == nil && strings.HasPrefix(name, NotesDir+"/")
}

func (s *sandbox) runWrite(ctx context.Context, a writeArgs) (writeResult, error) {
	if a.Path == nil || a.Content == nil {
		return writeResult{}, reject("path and content are both required")
	}
	name, err := cleanPath(*a.Path)
	if err != nil {
		return writeResult{}, err
	}
	if len(*a.Content) > MaxFileSize {
		return writeResult{}, reject("content has %d bytes, more than the %d a file may have; split it", len(*a.Content), MaxFileSize)
	}
	if err := s.write(ctx, name, *a.Content); err != nil {
		return writeResult{}, fmt.Errorf("writing %q: %w", name, err)
	}
	return writeResult{name, len(*a.Content)}, nil
}

type readArgs struct {
	Path string `json:"path" jsonschema:"Path inside the file store, with \"/\" between folders, e.g. \"notes/session-3.md\"."`
}

type readResult struct {
	Path    string `json:"path"`
	Content string `json:"content"`
	Size    int    `json:"size" jsonschema:"Size in bytes."`
}

func readTool(s *sandbox) tools.Tool {
	return tools.Reading(tools.Tool{
		Definition: llm.ToolDefinition{
			Name:                "read_file",
			Description:         "Read a text file from the campaign's file store. Files larger than 1 MiB are rejected.",
			Parameters:          tools.SchemaOf[readArgs](tools.Bounds{"path": pathBounds}),
			EstimatedDurationMs: 20, MaxDurationMs: 100,
		},
		Title: "Read file", Permission: "files.read", Floor: mcp.BudgetFast,
		OutputSchema: tools.SchemaOf[readResult](tools.Bounds{"size": sizeBounds}),
		Handler:      textOnly(tools.JSON(s.runRead)),
	})
}

func (s *sandbox) runRead(_ context.Context, a readArgs) (readResult, error) {
	name, err := cleanPath(a.Path)
	if err != nil {
		return readResult{}, err
	}
	content, err := s.readText(name)
	if err != nil {
		return readResult{}, fmt.Errorf("reading %q: %w", name, err)
	}
	return readResult{name, content, len(content)}, nil
}

// textOnly rejects arguments that JSON decoding would silently alter.
func textOnly(h tools.Handler) tools.Handler {
	return func(ctx context.Context, args string) (string, error) {
		if !utf8.ValidString(args) || loneSurrogate(args) {
			return "", reject("arguments are not valid UTF-8 text; binary data cannot be stored")
		}
		return h(ctx, args)
	}
}

// loneSurrogate reports whether the JSON text s contains an escape for half of a UTF-16 surrogate pair
// without the other half.
func loneSurrogate(s string) bool {
	for {
		at := strings.IndexByte(s, '\\')
		if at < 0 || at+1 >= len(s) {
			return false
		}
		s = s[at:]
		half := surrogate(s)
		switch {
		case half == 0:
			s = s[2:]
		case half == lowHalf || surrogate(s[6:]) != lowHalf:
			return true
		default:
			s = s[12:]
		}
	}
}

const (
	highHalf = 1 + iota
	lowHalf
)

// surrogate says which half of a surrogate pair the escape at the beginning of s stands for, if any.
func surrogate(s string) int {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' || s[2]|0x20 != 'd' {
		return 0
	}
	switch c := s[3] | 0x20; {
	case c == '8' || c == '9' || c == 'a' || c == 'b':
		return highHalf
	case c >= 'c' && c <= 'f':
		return lowHalf
	}
	return 0
}
