package main_test

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	numbers "encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/syndtr/goleveldb/leveldb/journal"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// mostMemory bounds the memory of any import or restore in bytes, whatever the
// file contains.
const mostMemory = 512 << 20

// TestHostileFiles lets commands read files that decode to many times their
// size, and measures the memory of the whole process.
func TestHostileFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes and reads gigabytes")
	}
	for _, row := range []struct {
		name string
		make func(h *program) (args []string)
		code int
		want []string
	}{
		{"backup_of_one_endless_record", func(h *program) []string {
			h.packed("hostile.gz", func(w io.Writer) {
				_, _ = io.WriteString(w, backupHead+`["line",1,1,1,"`)
				writeMany(w, strings.Repeat("a", 1<<20), 4800)
				_, _ = io.WriteString(w, `"]`+"\n")
			})
			return []string{"restore", "hostile.gz"}
		}, 1, []string{"hostile.gz", "a record is larger than 16 MB", "use another one"}},
		{"backup_of_many_columns", func(h *program) []string {
			h.packed("hostile.gz", func(w io.Writer) {
				_, _ = io.WriteString(w, backupHead+`["line"`)
				writeMany(w, ",1", 7_000_000)
				_, _ = io.WriteString(w, "]\n")
			})
			return []string{"restore", "hostile.gz"}
		}, 1, []string{"hostile.gz", "32 columns at most"}},
		{"backup_with_an_endless_end", func(h *program) []string {
			h.packed("hostile.gz", func(w io.Writer) {
				_, _ = io.WriteString(w, backupHead+`{"tally":{"a":{}`)
				for i := range 1_000_000 {
					fmt.Fprintf(w, `,"%d":{}`, i)
				}
				_, _ = io.WriteString(w, "}}\n")
			})
			return []string{"restore", "hostile.gz"}
		}, 1, []string{"hostile.gz", "not a complete backup"}},
		{"backup_of_the_longest_record", func(h *program) []string {
			h.packed("large.gz", func(w io.Writer) {
				all := memory.Tally{}
				_, _ = io.WriteString(w, backupHead)
				for i := range 3 {
					writeRecord(h.t, w, all, memory.Record{Kind: "fact", Values: []any{
						int64(i + 1), "", fmt.Sprint(i) + strings.Repeat("a < ", 700_000), int64(0), int64(0), nil, "", "", int64(0), nil, "",
					}})
				}
				writeRecord(h.t, w, all, memory.Record{Kind: "indexed", Values: []any{int64(0)}})
				writeTally(h.t, w, all)
			})
			return []string{"restore", "large.gz"}
		}, 0, nil},
		{"backup_of_very_many_lines", func(h *program) []string {
			h.packed("large.gz", func(w io.Writer) { writeLines(h.t, w, 100_000) })
			return []string{"restore", "large.gz"}
		}, 0, nil},
		{"objects_without_end", func(h *program) []string {
			h.written("hostile.json", func(w io.Writer) {
				_, _ = io.WriteString(w, "[{}")
				writeMany(w, ",{}", 20_000_000)
				_, _ = io.WriteString(w, "]")
			})
			return []string{"import", "hostile.json"}
		}, 2, []string{"hostile.json", "more than 500000 entries", "export less"}},
		{"nested_without_end", func(h *program) []string {
			h.written("hostile.json", func(w io.Writer) { writeMany(w, "[", 60_000_000) })
			return []string{"import", "hostile.json"}
		}, 2, []string{"hostile.json"}},
		{"one_text_of_500_MB", func(h *program) []string {
			h.written("hostile.json", func(w io.Writer) {
				_, _ = io.WriteString(w, `{"name":"`)
				writeMany(w, strings.Repeat("a", 1<<20), 500)
				_, _ = io.WriteString(w, `"}`)
			})
			return []string{"import", "hostile.json"}
		}, 2, []string{"hostile.json", "more than 64 MB", "export less"}},
		{"one_text_that_fits", func(h *program) []string {
			h.written("large.json", func(w io.Writer) {
				_, _ = io.WriteString(w, `{"_id":"a","name":"A","pages":[],"content":"<p>`)
				for i := range 900_000 {
					fmt.Fprintf(w, "The marsh remembers who crossed it on day %d. ", i)
				}
				_, _ = io.WriteString(w, `</p>"}`)
			})
			return []string{"import", "large.json"}
		}, 0, nil},
		{"the_largest_world", func(h *program) []string {
			h.written("large.json", func(w io.Writer) {
				_, _ = io.WriteString(w, `[{"_id":"x","name":"X","pages":[]}`)
				const n = 70_000
				for i := range n {
					fmt.Fprintf(w, `,{"_id":"x%[1]d","name":"Entry %[1]d","pages":[],"content":"<p>%[2]s @JournalEntry[x%[3]d]{n} @JournalEntry[x%[4]d]{n}</p>%[1]d"}`,
						i, strings.Repeat("The marsh remembers who crossed it. ", 16), (i+1)%n, (i+2)%n)
				}
				_, _ = io.WriteString(w, "]")
			})
			return []string{"import", "large.json"}
		}, 0, nil},
		{"keys_without_end", func(h *program) []string {
			h.written("hostile.json", func(w io.Writer) {
				_, _ = io.WriteString(w, `{"name":"A"`)
				for i := range 5_000_000 {
					fmt.Fprintf(w, `,"%d":1`, i)
				}
				_, _ = io.WriteString(w, "}")
			})
			return []string{"import", "hostile.json"}
		}, 2, []string{"hostile.json", "more than 10000 keys"}},
		{"a_sheet_without_end", func(h *program) []string {
			h.written("hostile.json", func(w io.Writer) {
				_, _ = io.WriteString(w, `{"_id":"a","name":"A","prototypeToken":{},"system":{"a":[0`)
				writeMany(w, ",{}", 15_000_000)
				_, _ = io.WriteString(w, "]}}")
			})
			return []string{"import", "hostile.json"}
		}, 2, []string{"hostile.json", "more values than any document"}},
		{"characters_without_end", func(h *program) []string {
			h.written("hostile.json", func(w io.Writer) {
				_, _ = io.WriteString(w, `{"R20Exporter_format":"1","chat_archive":[0`)
				writeMany(w, ",{}", 7_000_000)
				_, _ = io.WriteString(w, `],"characters":[{}`)
				writeMany(w, ",{}", 7_000_000)
				_, _ = io.WriteString(w, "]}")
			})
			return []string{"import", "hostile.json"}
		}, 2, []string{"hostile.json", "more than 500000 entries"}},
		{"attributes_without_end", func(h *program) []string {
			h.written("hostile.json", func(w io.Writer) {
				_, _ = io.WriteString(w, `{"R20Exporter_format":"1","characters":[{"name":"A","attributes":[{}`)
				writeMany(w, ",{}", 15_000_000)
				_, _ = io.WriteString(w, "]}]}")
			})
			return []string{"import", "hostile.json"}
		}, 2, []string{"hostile.json", "more values than any document"}},
		{"documents_a_line_without_end", func(h *program) []string {
			h.write("world/world.json", `{"title":"T"}`)
			h.written("world/data/journal.db", func(w io.Writer) {
				for i := range 3_000_000 {
					fmt.Fprintf(w, `{"_id":"%d"}`+"\n", i)
				}
			})
			return []string{"import", "world"}
		}, 2, []string{"journal.db", "more than 100000 documents"}},
		{"tags_without_end", func(h *program) []string {
			h.written("hostile.json", func(w io.Writer) {
				_, _ = io.WriteString(w, `{"_id":"a","name":"A","pages":[],"content":"`)
				writeMany(w, "<p>a", 10_000_000)
				_, _ = io.WriteString(w, `"}`)
			})
			return []string{"import", "hostile.json"}
		}, 2, []string{"hostile.json", "more than 250000 tags"}},
		{"a_zip_that_unpacks_to_gigabytes", func(h *program) []string {
			h.zipped("hostile.zip", func(z *zip.Writer) {
				for _, name := range []string{"actors", "items", "journal", "scenes"} {
					w, err := z.Create("data/" + name + ".db")
					if err != nil {
						h.t.Fatal(err)
					}
					writeMany(w, strings.Repeat(" ", 1<<20), 1000)
				}
				if _, err := z.Create("world.json"); err != nil {
					h.t.Fatal(err)
				}
			})
			return []string{"import", "hostile.zip"}
		}, 2, []string{"hostile.zip"}},
		{"a_zip_of_very_many_names", func(h *program) []string {
			h.zipped("hostile.zip", func(z *zip.Writer) {
				for i := range 1_000_000 {
					if _, err := z.CreateRaw(&zip.FileHeader{Name: fmt.Sprintf("%d", i)}); err != nil {
						h.t.Fatal(err)
					}
				}
			})
			return []string{"import", "hostile.zip"}
		}, 2, []string{"hostile.zip", "list of files", "export less"}},
		{"a_block_that_unpacks_to_gigabytes", func(h *program) []string {
			// Snappy data begins with its decoded length, here 4 GB.
			h.level(block(append(numbers.AppendUvarint(nil, 0xffffffff), 0), 1), 7, 0)
			return []string{"import", "world"}
		}, 2, []string{"world", "a document has more than 32 MB"}},
		{"a_block_of_terabytes", func(h *program) []string {
			h.level(block(entries([]byte("!journal!a"), []byte("{}")), 0), 7, 1<<40)
			return []string{"import", "world"}
		}, 2, []string{"world", "the database is broken"}},
		{"a_level_of_terabytes", func(h *program) []string {
			h.level(block(entries([]byte("!journal!a"), []byte("{}")), 0), 1<<36, 0)
			return []string{"import", "world"}
		}, 2, []string{"world", "the database is broken"}},
		{"yaml_of_very_many_values", func(h *program) []string {
			h.written("hostile.yaml", func(w io.Writer) {
				_, _ = io.WriteString(w, "name: A\nentities: [a")
				writeMany(w, ",a", 8_000_000)
				_, _ = io.WriteString(w, "]\n")
			})
			return []string{"import", "hostile.yaml"}
		}, 2, []string{"hostile.yaml", "500000 values", "split it"}},
		{"yaml_of_very_many_lines", func(h *program) []string {
			h.written("hostile.yaml", func(w io.Writer) {
				_, _ = io.WriteString(w, "name: A\nentities:\n")
				writeMany(w, "- a\n", 4_000_000)
			})
			return []string{"check", "hostile.yaml"}
		}, 2, []string{"hostile.yaml"}},
		{"a_billion_laughs", func(h *program) []string {
			text := "name: A\na0: &a0 [lol,lol,lol,lol,lol,lol,lol,lol,lol]\n"
			for i := range 30 {
				text += fmt.Sprintf("a%d: &a%d [%s*a%d]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d,", i), 8), i)
			}
			h.write("hostile.yaml", text)
			return []string{"import", "hostile.yaml"}
		}, 2, []string{"hostile.yaml"}},
		{"a_configuration_of_very_many_values", func(h *program) []string {
			h.written("glyphoxa.yaml", func(w io.Writer) {
				_, _ = io.WriteString(w, "npcs: [a")
				writeMany(w, ",a", 2_000_000)
				_, _ = io.WriteString(w, "]\n")
			})
			return []string{"check"}
		}, 2, []string{"glyphoxa.yaml", "500000 values"}},
		{"a_recording_that_says_4_GB", func(h *program) []string {
			h.hears()
			h.wave("hostile.wav", 6<<30)
			return []string{"play", "--hear", "Ana=hostile.wav"}
		}, 2, []string{"hostile.wav", "cut it"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			h := newProgram(t)
			h.limit = 9 * time.Minute
			cmd := h.command(row.make(h)...)
			var out, complaint bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &complaint
			err := cmd.Run()
			// The system also counts the memory the test used when it started
			// the program.
			most := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
			t.Logf("%d MB", most>>20)
			if most > mostMemory {
				t.Errorf("it took %d MB, want %d at most", most>>20, mostMemory>>20)
			}
			if code := exitCode(t, cmd, err); code != row.code {
				t.Errorf("exit code %d, want %d; %.500s", code, row.code, complaint.String())
			}
			for _, word := range row.want {
				if !strings.Contains(complaint.String(), word) {
					t.Errorf("the complaint %.500q does not say %q", complaint.String(), word)
				}
			}
		})
	}
}

// backupHead is the beginning of a backup.
const backupHead = `{"format":"glyphoxa memory","version":1,"made":"2026-01-02T03:04:05Z","from":"a test"}` + "\n"

// written creates a file in the working directory.
func (h *program) written(name string, write func(io.Writer)) {
	h.t.Helper()
	f, err := os.Create(h.write(name, ""))
	if err != nil {
		h.t.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	write(w)
	if err := w.Flush(); err != nil {
		h.t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		h.t.Fatal(err)
	}
}

// packed is written with gzip compression.
func (h *program) packed(name string, write func(io.Writer)) {
	h.t.Helper()
	h.written(name, func(f io.Writer) {
		z := gzip.NewWriter(f)
		w := bufio.NewWriterSize(z, 1<<20)
		write(w)
		if err := w.Flush(); err != nil {
			h.t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			h.t.Fatal(err)
		}
	})
}

func (h *program) zipped(name string, write func(*zip.Writer)) {
	h.t.Helper()
	h.written(name, func(f io.Writer) {
		z := zip.NewWriter(f)
		write(z)
		if err := z.Close(); err != nil {
			h.t.Fatal(err)
		}
	})
}

// wave writes a recording of silence as a sparse file.
func (h *program) wave(name string, size int64) {
	h.t.Helper()
	head := []byte("RIFF\xff\xff\xff\xffWAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x80\xbb\x00\x00\x00\x77\x01\x00\x02\x00\x10\x00data\xff\xff\xff\xff")
	if err := os.Truncate(h.write(name, string(head)), size); err != nil {
		h.t.Fatal(err)
	}
}

// writeMany writes a text many times. Closing the file reports errors.
func writeMany(w io.Writer, text string, times int) {
	for range times {
		_, _ = io.WriteString(w, text)
	}
}

func writeRecord(t testing.TB, w io.Writer, all memory.Tally, r memory.Record) {
	t.Helper()
	line, err := r.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if err := all.Add(r); err != nil {
		t.Fatal(err)
	}
	_, _ = w.Write(append(line, '\n'))
}

func writeTally(t testing.TB, w io.Writer, all memory.Tally) {
	t.Helper()
	var parts []string
	for _, k := range memory.Kinds() {
		if c := all[k.Name]; c.Records > 0 {
			parts = append(parts, fmt.Sprintf(`%q:{"records":%d,"sum":%q}`, k.Name, c.Records, c.Sum))
		}
	}
	fmt.Fprintf(w, "{\"tally\":{%s}}\n", strings.Join(parts, ","))
}

// writeLines writes a backup of a session of n lines.
func writeLines(t testing.TB, w io.Writer, n int) {
	t.Helper()
	all := memory.Tally{}
	_, _ = io.WriteString(w, backupHead)
	writeRecord(t, w, all, memory.Record{Kind: "session", Values: []any{int64(1), "one", "", int64(1), nil}})
	for i := range n {
		writeRecord(t, w, all, memory.Record{Kind: "line", Values: []any{
			int64(i + 1), int64(1), int64(i), fmt.Sprintf("Speaker %d", i), "", "", fmt.Sprintf("Line %d: the marsh remembers who crossed it.", i),
			int64(i), fmt.Sprintf("user%d", i), "", int64(0), int64(0), nil, "",
		}})
	}
	writeRecord(t, w, all, memory.Record{Kind: "indexed", Values: []any{int64(n)}})
	writeTally(t, w, all)
}

// level writes a world whose journal is a LevelDB database with one block. The
// manifest names a table at a level; the index gives the block's length unless
// it is 0.
func (h *program) level(data []byte, level, length uint64) {
	h.t.Helper()
	if length == 0 {
		length = uint64(len(data) - 5)
	}
	table := bytes.Clone(data)
	add := func(b []byte) []byte { // returns the block's handle
		at := numbers.AppendUvarint(nil, uint64(len(table)))
		table = append(table, b...)
		return numbers.AppendUvarint(at, uint64(len(b)-5))
	}
	meta := add(block(entries(nil, nil), 0))
	const last = "!journal!z\x01\x00\x00\x00\x00\x00\x00\x00" // with a sequence number and the kind of a value
	index := add(block(entries([]byte(last), numbers.AppendUvarint([]byte{0}, length)), 0))
	foot := make([]byte, 48)
	copy(foot, append(meta, index...))
	copy(foot[40:], "\x57\xfb\x80\x8b\x24\x75\x47\xdb")
	table = append(table, foot...)

	var record []byte
	number := func(all ...uint64) {
		for _, n := range all {
			record = numbers.AppendUvarint(record, n)
		}
	}
	text := func(s string) { number(uint64(len(s))); record = append(record, s...) }
	number(1)
	text("leveldb.BytewiseComparator")
	number(2, 4, 3, 5, 4, 1, 7, level, 3, uint64(len(table)))
	text("!journal!a\x01\x00\x00\x00\x00\x00\x00\x00")
	text(last)
	var manifest bytes.Buffer
	w := journal.NewWriter(&manifest)
	next, err := w.Next()
	if err == nil {
		_, err = next.Write(record)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		h.t.Fatal(err)
	}
	h.write("world/world.json", `{"title":"T"}`)
	h.write("world/data/journal/CURRENT", "MANIFEST-000002\n")
	h.write("world/data/journal/MANIFEST-000002", manifest.String())
	h.write("world/data/journal/000003.ldb", string(table))
}

// block encodes a block of a table with its trailer.
func block(data []byte, kind byte) []byte {
	data = append(bytes.Clone(data), kind)
	sum := crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
	return numbers.LittleEndian.AppendUint32(data, (sum>>15|sum<<17)+0xa282ead8)
}

// entries encodes the content of a block: one entry or none, and the positions
// of whole keys.
func entries(key, value []byte) (b []byte) {
	if key != nil {
		b = numbers.AppendUvarint([]byte{0}, uint64(len(key)))
		b = numbers.AppendUvarint(b, uint64(len(value)))
		b = append(append(b, key...), value...)
	}
	return append(b, 0, 0, 0, 0, 1, 0, 0, 0)
}

// TestPipesAreRefused passes a pipe wherever a command takes a file, and checks
// that no command waits for it.
func TestPipesAreRefused(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	h.hears()
	if err := syscall.Mkfifo(h.path("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"world", "world/data", "rules", "workflows"} {
		if err := os.MkdirAll(h.path(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"world/data/journal.db", "world/world.json", "rules/pipe.yaml", "workflows/pipe.yaml"} {
		if err := syscall.Mkfifo(h.path(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h.write("rules.yaml", "rules_dirs: [{system: house, path: rules}]\n")
	h.write("workflows.yaml", "server: {workflows: workflows}\n")
	h.packed("fine.gz", func(w io.Writer) { writeLines(h.t, w, 1) })
	for _, args := range [][]string{
		{"check", "pipe"}, {"check", "--config", "pipe"}, {"check", "--config", "/dev/zero"}, {"import", "pipe"}, {"import", "/dev/zero"}, {"import", "world"},
		{"restore", "pipe"}, {"restore", "/dev/zero"}, {"transcribe", "pipe"}, {"play", "--hear", "pipe"},
		{"play", "--config", "pipe"}, {"run", "--config", "pipe"}, {"doctor", "--config", "pipe"},
		{"backup", "--from", "pipe", "out.gz"}, {"migrate", "pipe", "out.db"},
		{"check", "--config", "workflows.yaml"}, {"check", "--config", "rules.yaml"}, {"restore", "--withheld", "pipe", "fine.gz"},
	} {
		t.Run(strings.Join(args, "_"), func(t *testing.T) {
			r := h.run("", args...)
			if r.code == 0 || !strings.Contains(r.stderr+r.stdout, "regular file") {
				t.Errorf("exit code %d, %q %q; want a refusal of what is no regular file", r.code, r.stdout, r.stderr)
			}
		})
	}
}

// TestSignalsEndReading checks that commands interrupted in the middle of large
// files end in order and keep none of the data read.
func TestSignalsEndReading(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	for _, row := range []struct {
		name string
		make func(h *program) (args []string)
	}{
		{"restore", func(h *program) []string {
			h.packed("large.gz", func(w io.Writer) { writeLines(h.t, w, 50_000) })
			return []string{"restore", "large.gz"}
		}},
		{"import", func(h *program) []string {
			h.written("large.json", func(w io.Writer) {
				_, _ = io.WriteString(w, `[{"_id":"x","name":"X","pages":[]}`)
				for i := range 30_000 {
					fmt.Fprintf(w, `,{"_id":"%d","name":"Entry %d","pages":[],"content":"%s"}`, i, i, strings.Repeat("The marsh remembers. ", 30))
				}
				_, _ = io.WriteString(w, "]")
			})
			return []string{"import", "large.json"}
		}},
	} {
		for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
			t.Run(row.name+"/"+sig.String(), func(t *testing.T) {
				h := newProgram(t)
				h.limit = 2 * time.Minute
				args := row.make(h)
				s := h.start(args...)
				log := h.path(".glyphoxa/glyphoxa.db-wal")
				for size := int64(0); size < 1<<20; { // writing has begun
					if info, err := os.Stat(log); err == nil {
						size = info.Size()
					}
					time.Sleep(time.Millisecond)
				}
				s.signal(sig)
				r := s.ended()
				if r.code != 1 || !strings.Contains(r.stderr, sig.String()) {
					t.Errorf("exit code %d, %q; want 1, and the signal named", r.code, r.stderr)
				}
				// The same file now restores, because the interrupted restore
				// left no data; otherwise the command would ask for --replace.
				h.run("", args...).ok(t)
			})
		}
	}
}

// TestSignalsEndWaiting interrupts commands that wait for a service that never
// answers.
func TestSignalsEndWaiting(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"doctor"}, {"tools", "calibrate"}, {"tools"}, {"recap"}, {"transcribe", "sound.wav"}, {"mcp", "serve"}} {
		t.Run(strings.Join(args, "_"), func(t *testing.T) {
			t.Parallel()
			h := newProgram(t)
			asked := make(chan struct{}, 100)
			service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				select {
				case asked <- struct{}{}:
				default:
				}
				_, _ = io.Copy(io.Discard, r.Body)
				<-r.Context().Done()
			}))
			t.Cleanup(service.Close)
			h.write("glyphoxa.yaml", fmt.Sprintf("providers:\n  llm: {name: openai, api_key: k, base_url: '%[1]s'}\n  stt: {name: openai, api_key: k, base_url: '%[1]s'}\n"+
				"mcp:\n  servers:\n    - {name: slow, transport: streamable-http, url: '%[1]s', allow_private: true}\n", service.URL))
			h.wave("sound.wav", 200_000)
			if args[0] == "recap" {
				h.packed("fine.gz", func(w io.Writer) { writeLines(h.t, w, 3) })
				h.run("", "restore", "fine.gz").ok(t)
			}
			s := h.start(args...)
			select {
			case <-asked:
			case <-time.After(20 * time.Second): // the command calls a service only once it has data for it
			}
			s.signal(syscall.SIGTERM)
			if r := s.ended(); strings.Contains(r.stderr, "did not end") {
				t.Errorf("it did not end by itself: exit code %d, %q", r.code, r.stderr)
			}
		})
	}
}

// TestSignalsEndWhatHangs interrupts a command that writes to a pipe without a
// reader.
func TestSignalsEndWhatHangs(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if n, err := syscall.Write(int(out.Fd()), make([]byte, 60_000)); n != 60_000 || err != nil { // a pipe holds 64 kB
		t.Fatalf("filling the pipe: %d, %v", n, err)
	}
	cmd := h.command("schema")
	var complaint output
	cmd.Stdout, cmd.Stderr = out, &complaint
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for waits := ""; !strings.Contains(waits, "pipe_write"); { // writing has begun
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/wchan", cmd.Process.Pid, cmd.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/wchan", cmd.Process.Pid))
		if err != nil || len(text) == 0 {
			t.Skip("the system does not say what a program waits for")
		}
		for _, task := range tasks {
			if text, err := os.ReadFile(task); err == nil {
				waits += string(text)
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	code := exitCode(t, cmd, cmd.Wait())
	if said := complaint.String(); code != 1 || !strings.Contains(said, "terminated signal received") {
		t.Errorf("exit code %d, %q; want 1, and the signal named", code, said)
	}
}
