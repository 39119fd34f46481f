package tabletalk

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa/internal/address"
)

// seating is a table of the written sequences; see
// testdata/truth/address/README.md.
type seating struct {
	Languages []string `yaml:"languages"`
	DM        string   `yaml:"dm"`
	Players   []string `yaml:"players"`
	NPCs      []struct {
		ID      string   `yaml:"id"`
		Name    string   `yaml:"name"`
		Aliases []string `yaml:"aliases"`
		Role    string   `yaml:"role"`
	} `yaml:"npcs"`
}

func (s *seating) place(id string) int {
	for i, n := range s.NPCs {
		if n.ID == id {
			return i
		}
	}
	return -1
}

// Sequences returns examples from the written sequences in a folder; files are
// named without their extension. use selects sequences.
func Sequences(folder string, files []string, heard bool, use func(sequence string) bool) ([]Example, error) {
	raw, err := os.ReadFile(filepath.Join(folder, "tables.yaml"))
	if err != nil {
		return nil, err
	}
	var tables map[string]*seating
	if err := yaml.Unmarshal(raw, &tables); err != nil {
		return nil, err
	}
	var out []Example
	for _, file := range files {
		raw, err := os.ReadFile(filepath.Join(folder, file+".tsv"))
		if err != nil {
			return nil, err
		}
		rows := strings.Split(strings.TrimSpace(string(raw)), "\n")
		sequence := ""
		var s *address.Snapshot
		var seats *seating
		var talk address.Talk
		var number int64
		now := time.Unix(1_000_000, 0)
		spoke := map[string]string{}
		for i, row := range rows[1:] {
			c := strings.Split(row, "\t")
			if len(c) != 11 {
				return nil, fmt.Errorf("%s.tsv:%d: want 11 columns", file, i+2)
			}
			name, _, _ := strings.Cut(c[0], "/")
			if name != sequence {
				sequence, seats, talk, spoke = name, tables[c[1]], address.Talk{}, map[string]string{}
				s = seats.snapshot()
				for _, p := range seats.Players { // all are at the table
					number++
					talk.RecordDecision(now.Add(-30*time.Second), number, p, address.Decision{Route: address.RouteNone})
				}
			}
			after, err := strconv.ParseFloat(c[3], 64)
			if err != nil {
				return nil, fmt.Errorf("%s.tsv:%d: %w", file, i+2, err)
			}
			text := c[8]
			if heard && c[10] != "-" {
				text = c[10]
			}
			now = now.Add(time.Duration(after*float64(time.Second)) + time.Duration(len(strings.Fields(text)))*aWord)
			if c[7] == "npc" {
				talk.RecordWords(now, seats.place(c[4]), spoke[c[4]], text)
				continue
			}
			number++
			st := talk.State(now, number, c[4], func(npc int) int { return npc })
			d := address.Detect(s, st, text)
			right := address.Decision{Route: address.RouteNone, Gist: d.Gist, BackChannel: d.BackChannel}
			kind, who, _ := strings.Cut(c[5], ":")
			toNPC := kind != "none"
			switch kind {
			case "npc":
				right.NPCs = []int{seats.place(who)}
			case "group":
				for id := range strings.SplitSeq(who, ",") {
					right.NPCs = append(right.NPCs, seats.place(id))
				}
				slices.Sort(right.NPCs)
			case "room":
				right.NPCs, right.All = []int{0, 1}, true
			}
			if toNPC {
				right.Route = d.Route
				if d.Route == address.RouteNone {
					right.Route = address.RouteContinuation
				}
				for _, n := range right.NPCs {
					spoke[seats.NPCs[n].ID] = c[4]
				}
			}
			if e, ok := address.Gather(s, st, text); ok && use(name) && (!toNPC || right.All || len(right.NPCs) > 1 || slices.Contains(right.NPCs, e.NPC)) {
				out = append(out, Example{Evidence: e, ToNPC: toNPC, Counts: 1, Kind: c[7], Text: text})
			}
			talk.RecordDecision(now, number, c[4], right)
		}
	}
	return out, nil
}

func (s *seating) snapshot() *address.Snapshot {
	r := address.Roster{Languages: s.Languages, Players: s.Players, Leads: s.DM}
	for _, n := range s.NPCs {
		r.NPCs = append(r.NPCs, address.NPC{ID: n.ID, Name: n.Name, Aliases: n.Aliases, Role: n.Role})
	}
	return address.NewSnapshot(r)
}
