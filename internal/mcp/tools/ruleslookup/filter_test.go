package ruleslookup_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

func TestConditionsNarrowTheSearch(t *testing.T) {
	tool := toolNamed(t, srdBook(t), "search_rules")
	for _, row := range []struct{ name, args, first, never string }{
		{"written", `{"query":"level<=3 school:evocation fire"}`, "spell-fireball|spell-burning-hands|spell-continual-flame|spell-fire-bolt|spell-scorching-ray|spell-produce-flame|spell-flame-blade", "spell-wall-of-fire"},
		{"written_alone", `{"query":"cr<1/2 type:beast"}`, "", "monster-brown-bear"},
		{"german_keys", `{"query":"grad=9 klasse:wizard"}`, "", "spell-fireball"},
		{"as_arguments", `{"query":"fire","category":"spell","level":"3"}`, "spell-fireball", "spell-fire-bolt"},
		{"said", `{"query":"third level evocation spells"}`, "", "spell-shatter"},
		{"said_with_a_plus", `{"query":"undead of CR 13+"}`, "", "monster-vampire-spawn"},
		{"said_as_a_range", `{"query":"monsters between CR 5 and 7 that fly"}`, "", "monster-adult-red-dragon"},
		{"said_in_a_german_number", `{"query":"Drachen ab HG einundzwanzig"}`, "", "monster-pseudodragon"},
		{"said_of_hit_points", `{"query":"undead with less than 30 hit points"}`, "", "monster-lich"},
		{"said_in_dice", `{"query":"Waffen, die 2W6 Schaden machen"}`, "equipment-greatsword|equipment-maul", "equipment-longsword"},
		{"said_of_what_is_not_there", `{"query":"heavy armor with no strength requirement"}`, "equipment-ring-mail", ""},
		{"said_without", `{"query":"fifth level wizard spells without concentration"}`, "", "spell-cloudkill"},
		{"said_of_a_price", `{"query":"was gibt es zum Reiten unter fünfzig Gold"}`, "", "equipment-warhorse"},
		{"said_of_what_it_withstands", `{"query":"which devils are immune to fire"}`, "", "monster-balor"},
		{"said_in_half_gold", `{"query":"armor for at most fifty gold"}`, "", "equipment-half-plate-armor"},
		{"said_fraction", `{"query":"beasts below challenge one half"}`, "", "monster-ape"},
	} {
		t.Run(row.name, func(t *testing.T) {
			text, err := tool.Handler(t.Context(), row.args)
			if err != nil {
				t.Fatal(err)
			}
			var got SearchResult
			if err := json.Unmarshal([]byte(text), &got); err != nil {
				t.Fatal(err)
			}
			ids := got.ids()
			if got.Count == 0 || row.first != "" && !strings.Contains("|"+row.first+"|", "|"+ids[0]+"|") {
				t.Errorf("search %s = %v, want %s first", row.args, ids, row.first)
			}
			if row.never != "" && slices.Contains(ids, row.never) {
				t.Errorf("search %s = %v, want no %s", row.args, ids, row.never)
			}
			if !strings.HasPrefix(text, `{"spoken":"`) {
				t.Errorf("search %s = %.60s, want what can be said first", row.args, text)
			}
		})
	}
}

func TestConditionsThatMeanNothingAreTold(t *testing.T) {
	tool := toolNamed(t, srdBook(t), "search_rules")
	text, err := tool.Handler(t.Context(), `{"query":"wingspan<3 dragon"}`)
	if err != nil || !strings.Contains(text, `no rule has a figure \"wingspan\"`) {
		t.Errorf("search = %s, %v, want a hint about wingspan", text, err)
	}
	if _, err := tool.Handler(t.Context(), `{"query":"dragon","level":"<high"}`); !errors.Is(err, mcp.ErrInvalidArguments) {
		t.Errorf("err = %v, want %v", err, mcp.ErrInvalidArguments)
	}
}
