package fileio_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/fileio"
)

// store is a pair of tools over a directory.
type store struct {
	dir         string
	write, read tools.Tool
}

func newStore(t testing.TB, dir string, opts ...fileio.Option) store {
	t.Helper()
	list := fileio.NewTools(dir, opts...)
	find := func(name string) tools.Tool {
		at := slices.IndexFunc(list, func(tool tools.Tool) bool { return tool.Definition.Name == name })
		if at < 0 {
			t.Fatalf("there is no tool %q", name)
		}
		return list[at]
	}
	return store{dir: dir, write: find("write_file"), read: find("read_file")}
}

func (s store) put(ctx context.Context, path, content string) (string, error) {
	args, err := json.Marshal(map[string]string{"path": path, "content": content})
	if err != nil {
		return "", err
	}
	return s.write.Handler(ctx, string(args))
}

func (s store) get(ctx context.Context, path string) (string, error) {
	args, err := json.Marshal(map[string]string{"path": path})
	if err != nil {
		return "", err
	}
	return s.read.Handler(ctx, string(args))
}

// onDisk returns the bytes and the number of files in the directory, including temporary
// ones.
func (s store) onDisk(t testing.TB) (size int64, files int) {
	t.Helper()
	err := filepath.Walk(s.dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			size += info.Size()
			files++
		}
		return err
	})
	if err != nil {
		t.Fatalf("walking the store: %v", err)
	}
	return size, files
}

func TestDefinitions(t *testing.T) {
	s := newStore(t, t.TempDir())
	for _, row := range []struct {
		name        string
		tool        tools.Tool
		required    []string
		readOnly    bool
		destructive bool
		effect      tools.Effect
		permission  string
	}{
		{"write_file", s.write, []string{"path", "content"}, false, true, tools.EffectAtCommit, "files.write"},
		{"read_file", s.read, []string{"path"}, true, false, tools.EffectNow, "files.read"},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := row.tool.Definition
			if row.tool.DeclaredP50 != 20 || row.tool.DeclaredMax != 100 || d.EstimatedDurationMs != 20 || d.MaxDurationMs != 100 {
				t.Errorf("latencies = %d/%d and %d/%d, want 20/100", row.tool.DeclaredP50, row.tool.DeclaredMax, d.EstimatedDurationMs, d.MaxDurationMs)
			}
			if got := d.Parameters["required"].([]string); !slices.Equal(got, row.required) {
				t.Errorf("required = %v, want %v", got, row.required)
			}
			if row.tool.ReadOnly != row.readOnly || row.tool.Destructive != row.destructive || row.tool.Effect != row.effect {
				t.Errorf("ReadOnly, Destructive, Effect = %v, %v, %v, want %v, %v, %v",
					row.tool.ReadOnly, row.tool.Destructive, row.tool.Effect, row.readOnly, row.destructive, row.effect)
			}
			if row.tool.Permission != row.permission {
				t.Errorf("Permission = %q, want %q", row.tool.Permission, row.permission)
			}
			if !d.Idempotent || d.CacheableSeconds != 0 || row.tool.Inline || row.tool.OutputSchema == nil || row.tool.Title == "" {
				t.Errorf("tool = %+v, want an idempotent, uncached one with title and output schema, not inline", row.tool)
			}
		})
	}
}

func TestWriteThenRead(t *testing.T) {
	s := newStore(t, filepath.Join(t.TempDir(), "not", "there", "yet"))
	for _, row := range []struct{ name, path, clean, content string }{
		{"plain", "notes.txt", "notes.txt", "The barkeep lied."},
		{"empty", "empty.txt", "empty.txt", ""},
		{"in_new_folders", "a/b/c.md", "a/b/c.md", "deep"},
		{"dotted_path", "./a//b/./d.md", "a/b/d.md", "cleaned"},
		{"overwritten", "notes.txt", "notes.txt", "The barkeep lied twice."},
		{"unicode", "Schurken/Größe.txt", "Schurken/Größe.txt", "<b>&\u2028🐉\ufffd</b>\x00"},
		{"dot_file", ".hidden", ".hidden", "x"},
		{"largest", "large.txt", "large.txt", strings.Repeat("x", fileio.MaxFileSize)},
	} {
		t.Run(row.name, func(t *testing.T) {
			out, err := s.put(t.Context(), row.path, row.content)
			if err != nil {
				t.Fatalf("write: %v", err)
			}
			if want := fmt.Sprintf(`{"path":%q,"bytes_written":%d}`, row.clean, len(row.content)); out != want {
				t.Errorf("write = %s, want %s", out, want)
			}
			out, err = s.get(t.Context(), row.path)
			if err != nil {
				t.Fatalf("read: %v", err)
			}
			var got struct {
				Path    string `json:"path"`
				Content string `json:"content"`
				Size    int    `json:"size"`
			}
			if err := json.Unmarshal([]byte(out), &got); err != nil {
				t.Fatalf("result is no JSON: %v", err)
			}
			if got.Path != row.clean || got.Content != row.content || got.Size != len(row.content) {
				t.Errorf("read = %q, %d bytes, size %d, want %q, %d bytes", got.Path, len(got.Content), got.Size, row.clean, len(row.content))
			}
		})
	}
	if _, files := s.onDisk(t); files != 7 {
		t.Errorf("files on disk = %d, want the 7 written and no temporary one", files)
	}
}

func TestRejectedPaths(t *testing.T) {
	parent := t.TempDir()
	if err := os.WriteFile(filepath.Join(parent, "secret.txt"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newStore(t, filepath.Join(parent, "box"))
	if _, err := s.put(t.Context(), "dir/file.txt", "x"); err != nil {
		t.Fatalf("write: %v", err)
	}
	for _, row := range []struct{ name, path string }{
		{"empty", ""},
		{"dot", "."},
		{"parent", "../secret.txt"},
		{"parent_inside", "dir/../../secret.txt"},
		{"parent_that_stays_inside", "dir/../dir/file.txt"},
		{"parent_alone", ".."},
		{"absolute", "/etc/passwd"},
		{"absolute_windows", `C:\Windows\win.ini`},
		{"drive_relative", "C:secret.txt"},
		{"backslashes", `..\secret.txt`},
		{"nul", "a\x00.txt"},
		{"line_break", "a\nb.txt"},
		{"right_to_left_override", "a\u202etxt.exe"},
		{"zero_width", "a\u200b.txt"},
		{"trailing_slash", "dir/"},
		{"folder", "dir"},
		{"file_as_folder", "dir/file.txt/x"},
		{"trailing_dot", "file.txt."},
		{"trailing_space", "file.txt "},
		{"leading_space", " file.txt"},
		{"long_name", strings.Repeat("x", 256)},
		{"long_path", strings.Repeat("x/", 600) + "y"},
		{"deep_path", strings.Repeat("x/", 16) + "y"},
		{"temporary_name", "dir/.glyphoxa-tmp-x"},
		{"temporary_name_in_capitals", ".GLYPHOXA-TMP-X"},
		{"temporary_folder", ".glyphoxa-tmp-x/y"},
	} {
		t.Run(row.name, func(t *testing.T) {
			for op, call := range map[string]func() (string, error){
				"write": func() (string, error) { return s.put(t.Context(), row.path, "x") },
				"read":  func() (string, error) { return s.get(t.Context(), row.path) },
			} {
				out, err := call()
				if !errors.Is(err, mcp.ErrInvalidArguments) {
					t.Errorf("%s = %q, %v, want ErrInvalidArguments", op, out, err)
					continue
				}
				if strings.Contains(err.Error(), parent) {
					t.Errorf("%s error %q reveals the host's path", op, err)
				}
			}
		})
	}
	if _, files := s.onDisk(t); files != 1 {
		t.Errorf("files on disk = %d, want 1", files)
	}
}

func TestRejectedArguments(t *testing.T) {
	s := newStore(t, t.TempDir())
	if err := os.WriteFile(filepath.Join(s.dir, "binary"), []byte{0xff, 0xfe}, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "large"), make([]byte, fileio.MaxFileSize+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name string
		tool tools.Tool
		args string
		want string
	}{
		{"write_without_path", s.write, `{"content":"x"}`, "required"},
		{"write_without_content", s.write, `{"path":"x"}`, "required"},
		{"write_no_json", s.write, `x`, "invalid character"},
		{"write_wrong_type", s.write, `{"path":"x","content":5}`, "content"},
		{"write_invalid_utf8", s.write, "{\"path\":\"x\",\"content\":\"\xff\"}", "UTF-8"},
		{"write_half_a_surrogate", s.write, `{"path":"x","content":"\ud83d"}`, "UTF-8"},
		{"write_surrogates_swapped", s.write, `{"path":"x","content":"\uDC09\uD83D"}`, "UTF-8"},
		{"write_too_large", s.write, `{"path":"x","content":"` + strings.Repeat("x", fileio.MaxFileSize+1) + `"}`, "split it"},
		{"read_without_path", s.read, `{}`, "must not be empty"},
		{"read_missing_file", s.read, `{"path":"missing.txt"}`, "no such file"},
		{"read_missing_folder", s.read, `{"path":"missing/x.txt"}`, "no such file"},
		{"read_binary", s.read, `{"path":"binary"}`, "not a text file"},
		{"read_too_large", s.read, `{"path":"large"}`, "1048577 bytes"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := row.tool.Handler(t.Context(), row.args)
			if !errors.Is(err, mcp.ErrInvalidArguments) || !strings.Contains(err.Error(), row.want) {
				t.Errorf("error = %v, want ErrInvalidArguments that mentions %q", err, row.want)
			}
		})
	}
}

func TestWholeSurrogatePairsAreText(t *testing.T) {
	s := newStore(t, t.TempDir())
	if _, err := s.write.Handler(t.Context(), `{"path":"x","content":"\ud83d\uDC09 \\ud83d \ufffd"}`); err != nil {
		t.Fatalf("write: %v", err)
	}
	got, err := os.ReadFile(filepath.Join(s.dir, "x"))
	if want := "🐉 \\ud83d \ufffd"; err != nil || string(got) != want {
		t.Errorf("file = %q, %v, want %q", got, err, want)
	}
}

func TestReadBeforeAnyWrite(t *testing.T) {
	s := newStore(t, filepath.Join(t.TempDir(), "box"))
	if _, err := s.get(t.Context(), "a"); !errors.Is(err, mcp.ErrInvalidArguments) {
		t.Errorf("error = %v, want ErrInvalidArguments", err)
	}
	if _, err := os.Stat(s.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Stat after a read = %v, want no directory yet", err)
	}
}

func TestUnusableDirectory(t *testing.T) {
	parent := t.TempDir()
	file := filepath.Join(parent, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ name, dir string }{
		{"none_configured", ""},
		{"is_a_file", file},
		{"below_a_file", filepath.Join(file, "box")},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newStore(t, row.dir)
			_, err := s.put(t.Context(), "a", "x")
			if err == nil || errors.Is(err, mcp.ErrInvalidArguments) || strings.Contains(err.Error(), parent) {
				t.Errorf("write error = %v, want a failure that is not the input's and names no host path", err)
			}
		})
	}
}

func TestCancelledCall(t *testing.T) {
	s := newStore(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.put(ctx, "a", "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("write error = %v, want context.Canceled", err)
	}
	if _, err := s.get(ctx, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("read error = %v, want context.Canceled", err)
	}
	if _, files := s.onDisk(t); files != 0 {
		t.Errorf("files on disk = %d, want none", files)
	}
}

func BenchmarkWriteFile(b *testing.B) {
	s := newStore(b, b.TempDir())
	content := strings.Repeat("The barkeep lied. ", 50)
	for b.Loop() {
		if _, err := s.put(b.Context(), "notes/session.md", content); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadFile(b *testing.B) {
	s := newStore(b, b.TempDir())
	if _, err := s.put(b.Context(), "notes/session.md", strings.Repeat("The barkeep lied. ", 50)); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := s.get(b.Context(), "notes/session.md"); err != nil {
			b.Fatal(err)
		}
	}
}
