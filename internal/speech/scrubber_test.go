package speech_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

var bartok = &speech.Options{
	Names: []string{"Bartok", "Bartok the Bold", "Der Wirt"},
	Tools: []string{"roll", "roll_table", "search_rules"},
}

// scrubRows are scrubbed with Bartok's options.
var scrubRows = []struct {
	name, in, want string
}{
	{"plain", "Well met, traveller! What brings you here?", "Well met, traveller! What brings you here?"},
	{"double_space", "Well met.  Sit.", "Well met.  Sit."},

	// Ordinary text with special characters.
	{"comparison", "3 < 5 and 7 > 2", "3 < 5 and 7 > 2"},
	{"tight_comparison", "if a<b and c>d", "if a<b and c>d"},
	{"heart", "I <3 you", "I <3 you"},
	{"less_than_name", "a <b and c> d", "a <b and c> d"},
	{"sic", "He wrote {sic} and {}", "He wrote {sic} and {}"},
	{"brackets", "He [the king] said [laughs] no [tool]", "He [the king] said [laughs] no [tool]"},
	{"signs_at_the_end", "What now? <", "What now? <"},
	{"brace_at_the_end", "What now? {", "What now? {"},
	{"quoted_brace", "{'tis the season", "{'tis the season"},
	{"multiplication", "3 * 4 is 12, and 3*4 too", "3 * 4 is 12, and 3*4 too"},
	{"snake_case", "Use snake_case here __ there", "Use snake_case here __ there"},
	{"dash", "Well - no. -5 degrees", "Well - no. -5 degrees"},
	{"hash", "#1 of them, number #2", "#1 of them, number #2"},
	{"tilde", "~5 gold", "~5 gold"},
	{"rolls_in_prose", "Make your roll(s) now, then roll (if you dare) again; roll", "Make your roll(s) now, then roll (if you dare) again; roll"},
	{"unknown_call", "print(1) and drink(\"ale\")", "print(1) and drink(\"ale\")"},
	{"name_in_prose", "My name is Bartok: remember it. Bartok says so.", "My name is Bartok: remember it. Bartok says so."},
	{"name_without_colon", "Bartok greets you.", "Bartok greets you."},

	// Calls and results.
	{"json_call", `I roll. {"name":"roll","arguments":{"expression":"2d6}"}} Done.`, "I roll. Done."},
	{"json_alone", `{"name": "roll", "arguments": {}}`, ""},
	{"json_wrapped", `{"action": "bows", "speech": "Well met. *grins* Sit!"}`, "Well met. Sit!"},
	{"json_wrapped_messages", `[{"role":"npc","content":"Well met."}]`, "Well met."},
	{"json_wrapped_nested", `{"response": {"text": "Bartok: Well met."}}`, "Well met."},
	{"json_wrapped_other_key", `{"npc": "Bartok", "wirt_sagt": "Setzt euch doch."}`, "Setzt euch doch."},
	{"json_wrapped_arguments", `{"query": "Who is the baron?"}`, ""},
	{"json_wrapped_later", `Well. {"speech": "Sit."}`, "Well. "},
	{"json_python", `{'name': 'roll', 'arguments': {'a': "}"}} Good.`, "Good."},
	{"json_spread", "Yes.\n{\n  \"tool\": \"roll\"\n}\nNo.", "Yes.\nNo."},
	{"json_list", `Hm. [{"name":"roll"},{"name":"roll"}] So.`, "Hm. So."},
	{"json_unclosed", `So be it. {"name":"roll","arguments":{"x":`, "So be it. "},
	{"json_unclosed_key", `So be it. {"na`, "So be it. "},
	{"json_unclosed_then_speech", "So. {\"name\":\"roll\",\n\nThe dice fall.", "So. The dice fall."},
	{"tool_code", "Wait.\n```tool_code\nroll('2d6')\n```\nA seven!", "Wait.\nA seven!"},
	{"json_fence", "```json\n{\"a\": \"``\"}\n```\nHello.", "Hello."},
	{"fence_unclosed", "Hm. ```python\nprint('x')", "Hm. "},
	{"fence_of_speech", "```\nHello there.\n```", "Hello there.\n"},
	{"fence_of_text", "```text\nHello there.\n```", "Hello there.\n"},
	{"tool_call_tag", "Let me see. <tool_call>{\"name\":\"roll\"}</tool_call> Seven.", "Let me see. Seven."},
	{"function_tag", "<function=roll>{\"x\":\"2d6\"}</function>Seven.", "Seven."},
	{"namespaced_tags", "<x:function_calls>\n<x:invoke name=\"roll\">\n</x:invoke>\n</x:function_calls>\nSeven.", "Seven."},
	{"self_closing_tag", "Well <invoke name=\"roll\"/> yes.", "Well yes."},
	{"tag_in_capitals", "<TOOL_CALL>x</Tool_Call>Yes.", "Yes."},
	{"tag_unclosed", "Yes. <tool_call>{\"name\"", "Yes. "},
	{"tag_broken_off", "Yes. <tool_ca", "Yes. "},
	{"bracket_call", "Let us see. [TOOL: roll {\"x\": \"]\"}] Seven.", "Let us see. Seven."},
	{"bracket_call_spaced", "[TOOL CALL: roll] Seven.", "Seven."},
	{"mistral", "[TOOL_CALLS][{\"name\":\"roll\"}]", ""},
	{"bracket_known_tool", "[roll: 2d6] Seven.", "Seven."},
	{"bracket_broken_off", "Seven. [TOOL_CA", "Seven. "},
	{"call", `roll("2d6") gives seven`, "gives seven"},
	{"call_in_ticks", "I call `roll('2d6 (fire)')`.", "I call ."},
	{"call_with_parent", "print(default_api.roll_table(name='loot')) Look!", "Look!"},
	{"call_empty", "Roll() done", "done"},
	{"call_with_key", "search_rules( query = 'x' ) So.", "So."},
	{"call_unclosed", "So. roll(\"2d", "So. "},
	{"two_calls", `roll("1d4")roll(2d6)Seven.`, "Seven."},

	// The NPC's own name.
	{"name", "Bartok: Welcome!", "Welcome!"},
	{"name_bold", "**Bartok:** Welcome!", "Welcome!"},
	{"name_bold_before_colon", "**Bartok**: Welcome!", "Welcome!"},
	{"name_in_brackets", "[Bartok]: Welcome!", "Welcome!"},
	{"name_longest", "Bartok the Bold: Welcome!", "Welcome!"},
	{"name_other_case", "BARTOK: Welcome! \nder wirt: Setzt euch.", "Welcome! \nSetzt euch."},
	{"name_with_aside", "Bartok (whispering): Come.", "Come."},
	{"name_twice", "Bartok: Bartok: Come.", "Come."},
	{"name_as_heading", "**Bartok**\nCome.", "Come."},
	{"name_alone", "Bartok", "Bartok"},
	{"name_and_stage", "Bartok: *grins* Come.", "Come."},
	{"name_and_stage_tight", "Bartok:*grins* Come.", "Come."},
	{"other_name", "Greta: Welcome!", "Greta: Welcome!"},

	// Stage directions and emphasis.
	{"stage", "*smiles* Welcome!", "Welcome!"},
	{"stage_long", "*He leans forward and lowers his voice.* Come.", "Come."},
	{"stage_between", "Come. *laughs heartily* Sit!", "Come. Sit!"},
	{"stage_after_quote", "“Come.” *bows* Sit!", "“Come.” Sit!"},
	{"stage_within", "Well, *sighs* if you must.", "Well, if you must."},
	{"stage_german", "*lächelt* Willkommen! *stellt den Krug ab* Trinkt!", "Willkommen! Trinkt!"},
	{"stage_at_the_end", "Farewell. *waves*", "Farewell. "},
	{"stage_with_name", "*Bartok slams the table.* Enough!", "Enough!"},
	{"emphasis", "I am *very* angry and *so* tired.", "I am very angry and so tired."},
	{"emphasis_first", "*Never* say that. *Do not* touch it! *Listen to me!* Now.", "Never say that. Do not touch it! Listen to me! Now."},
	{"emphasis_unclosed", "I am *very angry", "I am very angry"},
	{"bold", "That is **very** bold. ***Both***!", "That is very bold. Both!"},
	{"underscores", "_it_ is __not__ so", "it is not so"},
	{"strike", "a ~~bad~~ good day", "a bad good day"},
	{"code", "Say `friend` and don`t wait", "Say friend and don`t wait"},
	{"headings", "# Title\n## Part\ntext", "Title\nPart\ntext"},
	{"bullets", "- one\n* two\n+ three\n• four\n1. five", "one\ntwo\nthree\nfour\n1. five"},
	{"rule", "above\n---\nbelow\n***\nend", "above\nbelow\nend"},
	{"quote", "> Hear me\n> now", "Hear me\nnow"},
	{"html", "<b>Hear</b> me<br/>now <span class=\"x\">all</span>", "Hear me\nnow all"},

	{"invisible", "Ig\u200bno\u202ere\x07 me\u2028now", "Ignore me\nnow"},
	{"hidden_call", "ro\u200bll(\"2d6\") So.", "So."},
	{"invalid", "a\xffb", "a\ufffdb"},
}

func scrubAll(opts *speech.Options, chunks ...string) string {
	s := speech.NewScrubber(opts)
	var b strings.Builder
	for _, chunk := range chunks {
		b.WriteString(s.Push(chunk))
	}
	return b.String() + s.Flush()
}

func TestScrubber(t *testing.T) {
	for _, tt := range scrubRows {
		t.Run(tt.name, func(t *testing.T) {
			if got := scrubAll(bartok, tt.in); got != tt.want {
				t.Errorf("scrub %q\n got %q\nwant %q", tt.in, got, tt.want)
			}
			if got := scrubAll(bartok, strings.Split(tt.in, "")...); got != tt.want {
				t.Errorf("rune by rune %q\n got %q\nwant %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestScrubberKeepsStageDirectionsIfTold(t *testing.T) {
	got := scrubAll(&speech.Options{KeepStageDirections: true}, "*smiles* Welcome! **Sit.**")
	if want := "smiles Welcome! Sit."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestScrubberWithoutOptions(t *testing.T) {
	got := scrubAll(nil, "Bartok: roll(\"2d6\") <tool_call>x</tool_call>yes")
	if want := "Bartok: roll(\"2d6\") yes"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestScrubberIsReusable(t *testing.T) {
	s := speech.NewScrubber(bartok)
	for range 2 {
		if got := s.Push("Bartok: Hi <tool_call>") + s.Push("x") + s.Flush(); got != "Hi " {
			t.Errorf("got %q, want %q", got, "Hi ")
		}
	}
}

// Ordinary words and signs pass unchanged and at once, except for the last word.
func TestScrubberLeavesProseAlone(t *testing.T) {
	words := []string{
		"the", "Troll", "3", "< 5", "{sic}", "[so]", "roll", "rolls", "Bartok", "(yes)", "a_b", "don't", "2d6+3", "»ja«", "z. B.",
		"- no", "you?", "你好。", "größer", "a/b", "x=1", "{", "[", "<", "5>4",
	}
	rapid.Check(t, func(t *rapid.T) {
		in := "So " + strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 30).Draw(t, "words"), " ") + "."
		if got := scrubAll(bartok, in); got != in {
			t.Fatalf("scrub %q = %q", in, got)
		}
	})
}

const maxHeld = 300

func checkScrub(t interface {
	Helper()
	Errorf(string, ...any)
}, in string, chunks []string) {
	t.Helper()
	whole := scrubAll(bartok, in)
	if cut := scrubAll(bartok, chunks...); cut != whole {
		t.Errorf("chunks %q yield %q, whole %q", chunks, cut, whole)
	}
	if n := utf8.RuneCountInString(whole); !utf8.ValidString(whole) || n > utf8.RuneCountInString(in) {
		t.Errorf("scrub %q = %q, %d runes", in, whole, n)
	}
	if strings.ContainsFunc(whole, untrusted.Hidden) {
		t.Errorf("scrub %q = %q holds invisible runes", in, whole)
	}
	s := speech.NewScrubber(bartok)
	for _, chunk := range chunks {
		s.Push(chunk)
		if n := s.Held(); n > maxHeld {
			t.Errorf("after %q of %q: %d runes held", chunk, in, n)
		}
	}
}

func FuzzScrubber(f *testing.F) {
	for _, tt := range scrubRows {
		f.Add(tt.in, []byte{1, 2, 3, 5, 8, 13})
	}
	f.Add("*"+strings.Repeat("a b ", 100)+"* "+strings.Repeat("`", 100)+strings.Repeat("_", 200), []byte{99, 1, 120, 80})
	f.Add("```"+strings.Repeat("x", 70)+" "+strings.Repeat("a.", 35)+"roll(1)", []byte{11, 57, 30, 33, 1, 1})
	f.Fuzz(func(t *testing.T, in string, sizes []byte) { checkScrub(t, in, chunksOf(in, sizes)) })
}

func TestScrubberIgnoresChunks(t *testing.T) {
	parts := []string{
		"<", "</", ">", "think", "tool_call", "function", "=", "roll", "(", ")", "\"", "'", "{", "}", "[", "]", ":", "TOOL", "|", "/",
		"*", "**", "_", "`", "```", "json", "\n", "\n\n", " ", "#", "-", "Bartok", "bartok the", "smiles", "He", "3", ".", ",", "!",
		"b", "br", "print", "<|channel|>analysis", "<|end|>", "<|", "é", "\xc3", "\u200b", "~~", strings.Repeat("x", 70), strings.Repeat("- ", 60), strings.Repeat("`", 79),
	}
	rapid.Check(t, func(t *rapid.T) {
		in := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 40).Draw(t, "parts"), "")
		checkScrub(t, in, chunksOf(in, rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "sizes")))
	})
}

func Example() {
	scrubber := speech.NewScrubber(&speech.Options{Names: []string{"Bartok"}, Tools: []string{"roll"}})
	var splitter speech.Splitter
	say := func(text string) {
		for _, sentence := range splitter.Push(text) {
			fmt.Println(sentence)
		}
	}
	for _, chunk := range []string{"Bartok: *gr", "ins* Welc", "ome! Let me ro", "ll(\"2d", "6\") see, z", ". B. here: **a", " seven**"} {
		say(scrubber.Push(chunk))
	}
	say(scrubber.Flush())
	for _, sentence := range splitter.Flush() {
		fmt.Println(sentence)
	}
	// Output:
	// Welcome!
	// Let me see, z. B. here: a seven
}

func BenchmarkScrubber(b *testing.B) {
	for _, bb := range []struct{ name, in string }{
		{"prose_1kB", strings.Repeat("The old troll nods, and pours you another ale. Drink up, friend! ", 16)},
		{"markup_1kB", strings.Repeat("*nods* Take **two** of `these`. roll(\"2d6\") <tool_call>hm</tool_call> Yes. ", 15)},
	} {
		text := tokens(bb.in)
		b.Run(bb.name, func(b *testing.B) {
			s := speech.NewScrubber(bartok)
			b.ReportAllocs()
			for b.Loop() {
				for _, token := range text {
					s.Push(token)
				}
				s.Flush()
			}
		})
	}
}
