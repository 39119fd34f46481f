package words_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

func TestTelling(t *testing.T) {
	for _, row := range []struct {
		name, in string
		most     int
		want     string
	}{
		{name: "nothing", most: 3},
		{name: "stop_words_do_not_tell", in: "who is the miller", most: 3, want: "miller"},
		{name: "unless_there_is_nothing_else", in: "who is it", most: 3, want: "is it who"},
		{name: "each_once", in: "rat rat miller rat", most: 3, want: "miller rat"},
		{name: "longest_first_if_there_are_too_many", in: "rat bee goblin miller", most: 3, want: "goblin miller bee"},
		{name: "length_is_in_letters", in: "łłł abcd", most: 1, want: "abcd"},
		{name: "the_first_words_only", in: strings.Repeat("rat ", 256) + "goblin", most: 3, want: "rat"},
	} {
		t.Run(row.name, func(t *testing.T) {
			all := strings.Fields(row.in)
			before := slices.Clone(all)
			if got := strings.Join(words.ContentWords(all, row.most), " "); got != row.want {
				t.Errorf("Telling = %q, want %q", got, row.want)
			}
			if !slices.Equal(all, before) {
				t.Errorf("Telling made %q of what it was given", all)
			}
		})
	}
}
