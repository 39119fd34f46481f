package recall_test

import (
	"fmt"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/recall"
)

func ask(lines []recall.Line, q recall.Query) []int64 {
	x := recall.NewIndex()
	for i, l := range lines {
		l.ID = int64(i + 1)
		x.Add(l)
	}
	if q.Sees == nil {
		q.Sees = func(int64) bool { return true }
	}
	q.Limit = 10
	var ids []int64
	for _, h := range x.Rank(q) {
		ids = append(ids, h.ID)
	}
	return ids
}

func TestRank(t *testing.T) {
	for _, row := range []struct {
		name  string
		lines []recall.Line
		q     recall.Query
		want  int64 // the first line, 0 for no hit
	}{
		{"other_words", []recall.Line{{Speaker: "Ada", Text: "The soup was cold again."}, {Speaker: "Ben", Text: "The doctor drowned in the lake."}},
			recall.Query{Text: "What became of the physician?"}, 2},
		{"german_compounds", []recall.Line{{Speaker: "Ada", Text: "Die Suppe ist wieder kalt."}, {Speaker: "Ben", Text: "Der Schlüssel liegt in der Mühle am Bach."}},
			recall.Query{Text: "Wo ist der Mühlenschlüssel?"}, 2},
		{"across_languages", []recall.Line{{Speaker: "Ada", Text: "The soup was cold again."}, {Speaker: "Ben", Text: "The wolf ate two of the sheep."}},
			recall.Query{Text: "Wie viele Schafe hat der Wolf gefressen?"}, 2},
		{"beside_the_words", []recall.Line{{Speaker: "Ada", Text: "Who has the lantern?"}, {Speaker: "Ben", Text: "My brother took it."}, {Speaker: "Cid", Text: "Foul weather tonight."}},
			recall.Query{Text: "Who took the lantern?"}, 2},
		{"who_is_meant", []recall.Line{{Speaker: "Ada", Text: "The weather turns."}, {Speaker: "Isolde", Text: "I never sleep on ships."}},
			recall.Query{Text: "What does the mapmaker never do?", Entities: []*recall.Entity{recall.NewEntity("Isolde", nil, "mapmaker who works small magic")}}, 2},
		{"by_pieces_of_words", []recall.Line{{Speaker: "Ada", Text: "The weather is foul again."}, {Speaker: "Ben", Text: "She told us to wait by the well."}, {Speaker: "Cid", Text: "They sell bread there."}},
			recall.Query{Text: "What did she tell us?"}, 2},
		{"what_i_said", []recall.Line{{Speaker: "Ada", Text: "The bridge is rotten."}, {Speaker: "Rook", NPC: "rook", Text: "The bridge stays shut."}},
			recall.Query{Text: "What did I say about the bridge?", Asker: "rook"}, 2},
		{"not_the_question_itself", []recall.Line{{Speaker: "Ada", Text: "Who stole the silver crown?"}, {Speaker: "Ben", Text: "The mayor has the crown."}},
			recall.Query{Text: "Who stole the silver crown?"}, 2},
		{"not_what_was_not_heard", []recall.Line{{Speaker: "Ada", Audience: 7, Text: "The crown is in the well."}},
			recall.Query{Text: "Where is the crown?", Sees: func(a int64) bool { return a != 7 }}, 0},
		{"another_session", []recall.Line{{Session: 1, Speaker: "Ada", Text: "The crown is in the well."}},
			recall.Query{Text: "Where is the crown?", Session: 2}, 0},
		{"nothing_alike", []recall.Line{{Speaker: "Ada", Text: "Good evening."}}, recall.Query{Text: "xyzzy?"}, 0},
		{"no_words", []recall.Line{{Speaker: "Ada", Text: "Good evening."}}, recall.Query{Text: "?!"}, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := ask(row.lines, row.q)
			if row.want == 0 && len(got) > 0 || row.want > 0 && (len(got) == 0 || got[0] != row.want) {
				t.Errorf("found %v, want %d first", got, row.want)
			}
		})
	}
}

// TestClaimed separates questions that a line answers from questions that only share
// words with it.
func TestClaimed(t *testing.T) {
	x := recall.NewIndex()
	for i := range 200 {
		x.Add(recall.Line{ID: int64(i + 1), Session: int64(i / 20), Speaker: "Ada", Text: fmt.Sprintf("Evening number %d went by at the fire.", i)})
	}
	x.Add(recall.Line{ID: 1000, Session: 11, Speaker: "Ben", Text: "The smith hid the silver crown behind the altar of the chapel."})
	for _, row := range []struct {
		question string
		claimed  bool
	}{
		{"Where did the smith hide the silver crown, behind the altar of which chapel?", true},
		{"silver crown", true},
		{"the silver crown", true},
		{"What is the name of the smith's wife?", false},
		{"golden crown", false},
	} {
		hits := x.Rank(recall.Query{Text: row.question, Sees: func(int64) bool { return true }, Limit: 3})
		if len(hits) == 0 || hits[0].ID != 1000 || hits[0].Claimed != row.claimed {
			t.Errorf("%q: %+v, want line 1000, claimed %t", row.question, hits, row.claimed)
		}
	}
}

// TestAQuestionIsNoAnswer: a line that asks the same question is not found, whatever NPC
// it addresses. A similar question is not marked as an answer and ranks below the answer.
func TestAQuestionIsNoAnswer(t *testing.T) {
	x := recall.NewIndex()
	for i := range 200 {
		x.Add(recall.Line{ID: int64(i + 1), Session: int64(i / 20), Speaker: "Cleo", Text: fmt.Sprintf("Evening number %d went by at the fire.", i)})
	}
	for i, text := range []string{
		"Bartok, I promise you a barrel of amber ale before the harvest.",
		"The rain has been falling since the morning.",
		"The goats got out again, all nine of them.",
		"Greymantle, what did Ada promise Bartok before the harvest, a barrel of amber ale?",
		"I do not know.",
		"The fog comes early now.",
		"Old man, did Ada promise Bartok a barrel?",
	} {
		x.Add(recall.Line{ID: int64(1000 + i), Session: 11, Speaker: "Ada", Text: text})
	}
	ask := func(question string) []recall.Hit {
		return x.Rank(recall.Query{Text: question, Sees: func(int64) bool { return true }, Limit: 5})
	}
	for _, question := range []string{"What did Ada promise Bartok before the harvest, which barrel of ale?", "Did Ada promise Bartok a barrel of amber ale before the harvest?"} {
		hits := ask(question)
		if len(hits) == 0 || hits[0].ID != 1000 || !hits[0].Claimed {
			t.Errorf("%q: %+v, want line 1000 first and claimed", question, hits)
		}
		for _, h := range hits {
			if h.Claimed && (h.ID == 1003 || h.ID == 1006) {
				t.Errorf("%q: the question %d is said to answer", question, h.ID)
			}
		}
	}
	for _, h := range ask("Did Ada promise Bartok a barrel?") {
		if h.ID == 1006 {
			t.Errorf("the very question was found: %+v", h)
		}
	}
}
