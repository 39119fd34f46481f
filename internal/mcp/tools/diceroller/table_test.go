package diceroller_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/diceroller"
)

type tableResult struct {
	Table  string  `json:"table"`
	Roll   int     `json:"roll"`
	Result string  `json:"result"`
	Detail *string `json:"detail"`
}

func rollTable(t *testing.T, tool tools.Tool, name string) tableResult {
	t.Helper()
	args, err := json.Marshal(map[string]string{"table_name": name})
	if err != nil {
		t.Fatal(err)
	}
	out, err := tool.Handler(t.Context(), string(args))
	if err != nil {
		t.Fatalf("roll_table(%s): %v", args, err)
	}
	var r tableResult
	dec := json.NewDecoder(strings.NewReader(out))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		t.Fatalf("result %s: %v", out, err)
	}
	if r.Table != name {
		t.Errorf("table = %q, want %q", r.Table, name)
	}
	return r
}

func shipped(t *testing.T, name string) config.RandomTable {
	t.Helper()
	data, err := os.ReadFile("tables/" + name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	var table config.RandomTable
	if err := yaml.Unmarshal(data, &table); err != nil {
		t.Fatal(err)
	}
	return table
}

func TestShippedTables(t *testing.T) {
	tool := diceroller.Tools(diceroller.WithSeed(5))[1]
	for _, name := range []string{"random_encounter", "treasure_hoard", "wild_magic"} {
		t.Run(name, func(t *testing.T) {
			table := shipped(t, name)
			if err := diceroller.CheckTable(name, table); err != nil {
				t.Errorf("CheckTable: %v", err)
			}
			if len(table.Entries) < 25 || table.Description == "" {
				t.Errorf("%d entries, description %q; want at least 25 and a description", len(table.Entries), table.Description)
			}
			told := map[string]bool{}
			counts := make([]int, len(table.Entries))
			for range 200 * len(counts) {
				r := rollTable(t, tool, name)
				if r.Roll < 1 || r.Roll > len(counts) {
					t.Fatalf("roll = %d, want 1 to %d", r.Roll, len(counts))
				}
				counts[r.Roll-1]++
				told[r.Result] = true
				entry := table.Entries[r.Roll-1]
				if dice := strings.Contains(entry, "{"); dice != (r.Detail != nil) || !dice && r.Result != entry {
					t.Fatalf("entry %q was told as %q, detail %v", entry, r.Result, r.Detail)
				}
				if strings.ContainsAny(r.Result, "{}") {
					t.Fatalf("result %q has braces left", r.Result)
				}
			}
			even := make([]int, len(counts))
			for i := range even {
				even[i] = 1
			}
			// The 99.9 % point for 33 degrees of freedom, the largest table.
			if got := chiSquare(counts, even); got > 63.9 {
				t.Errorf("chi-square = %.1f, want at most 63.9", got)
			}
			if name == "wild_magic" && !told["You cast Fireball centred on yourself."] {
				t.Error("wild_magic never told of the Fireball")
			}
		})
	}
}

func TestTablesAreListedSorted(t *testing.T) {
	tool := diceroller.Tools(diceroller.WithTables(map[string]config.RandomTable{
		"tavern_rumours": {Description: "Half true.", Entries: []string{"The miller saw it too."}},
		"anvil_marks":    {Entries: []string{"A crow."}},
		"wild_magic":     {},
		"":               {Entries: []string{"Nobody can ask for this."}},
	}))[1]
	properties := tool.Definition.Parameters["properties"].(map[string]any)
	got := properties["table_name"].(map[string]any)["enum"]
	want := []string{"anvil_marks", "random_encounter", "tavern_rumours", "treasure_hoard", "wild_magic"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("enum (-want +got):\n%s", diff)
	}
	if !strings.Contains(tool.Definition.Description, "- tavern_rumours: Half true.") {
		t.Errorf("description does not tell of tavern_rumours:\n%s", tool.Definition.Description)
	}
	if r := rollTable(t, tool, "wild_magic"); r.Result == "" {
		t.Error("an empty table replaced wild_magic")
	}
}

func TestEntries(t *testing.T) {
	tests := []struct{ name, entry, result, detail string }{
		{"text", "A \"quiet\" Wirtshaus, schön.", "A \"quiet\" Wirtshaus, schön.", ""},
		{"dice", "{3d1} goats", "3 goats", "3d1: 1, 1, 1 = 3"},
		{"two_throws", "{1d1} goats and {2d1+1} dogs", "1 goats and 3 dogs", "1d1: 1 = 1; 2d1+1: [1, 1] + 1 = 3"},
		{"only_dice", "{d1}", "1", "1d1: 1 = 1"},
		{"no_dice", "a {rusty} key", "a {rusty} key", ""},
		{"open", "a {2d1 key", "a {2d1 key", ""},
		{"both", "{what} {1d1}", "{what} 1", "1d1: 1 = 1"},
		{"not_utf8", "a \xff b", "a \ufffd b", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			table := map[string]config.RandomTable{"wild_magic": {Entries: []string{tt.entry}}}
			r := rollTable(t, diceroller.Tools(diceroller.WithTables(table))[1], "wild_magic")
			detail := ""
			if r.Detail != nil {
				detail = *r.Detail
			}
			got := fmt.Sprintf("%d %q %q", r.Roll, r.Result, detail)
			if want := fmt.Sprintf("%d %q %q", 1, tt.result, tt.detail); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestCheckTable(t *testing.T) {
	tests := []struct {
		name  string
		table config.RandomTable
		key   string
		want  []string
	}{
		{"sound", config.RandomTable{Entries: []string{"{2d6} rats"}}, "rats", nil},
		{"no_name", config.RandomTable{Entries: []string{"rats"}}, " ", []string{"no name"}},
		{"no_entries", config.RandomTable{}, "rats", []string{`"rats" has no entries`}},
		{"several", config.RandomTable{Entries: []string{"{rats}", "", "{2d6"}}, "rats", []string{
			`entry 1: "{rats}" holds no dice`, "entry 2 is empty", "entry 3: a brace is not closed",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := diceroller.CheckTable(tt.key, tt.table)
			if (err == nil) != (tt.want == nil) {
				t.Fatalf("err = %v, want problems %q", err, tt.want)
			}
			for _, part := range tt.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("err = %v, want it to contain %q", err, part)
				}
			}
		})
	}
}

func TestRollTableRejects(t *testing.T) {
	tests := []struct{ name, args, want string }{
		{"unknown", `{"table_name":"loot"}`, `no table "loot"; "table_name" is one of random_encounter, treasure_hoard, wild_magic`},
		{"missing", `{}`, `no table ""`},
		{"no_string", `{"table_name":[]}`, "must be a string"},
		{"no_json", `wild_magic`, "JSON object"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := diceroller.Tools()[1].Handler(t.Context(), tt.args)
			if !errors.Is(err, mcp.ErrInvalidArguments) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("roll_table(%s) = %q, %v; want ErrInvalidArguments with %q", tt.args, out, err, tt.want)
			}
		})
	}
}

func BenchmarkRollTable(b *testing.B) {
	tool := diceroller.Tools()[1]
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := tool.Handler(ctx, tool.Probe); err != nil {
			b.Fatal(err)
		}
	}
}
