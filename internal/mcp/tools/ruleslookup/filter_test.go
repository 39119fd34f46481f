package ruleslookup_test

import (
	"encoding/json"
	"errors"
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
			if strings.Contains(strings.Join(ids, " "), row.never) {
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
