package speech_test

import (
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/speech"
)

// silences mean no answer, speeches are answers.
var (
	silences = []string{
		"", " \n", "…", "...", "—", " – ", "?", "\"\"", speech.Silent, "[SILENT]", " [Silent].", "**[silent]**", "`[silent]`", "\"[silent]\"", "[silent] ", "[ silent ]",
		"[silent: they talk to each other]", "(silence)", "(silent)", "*says nothing*", "*Bartok says nothing, wiping a mug.*", "[no response]", "[No answer needed]",
		"<silence>", "<no_response/>", "NO_ANSWER", "no_reply", "NO RESPONSE", "SILENT", "silent", "N/A", "(schweigt)", "(Bartok schweigt.)", "[keine Antwort]",
		"*bleibt still*", "sagt nichts", "says nothing.", "(ignores them)", "(pass)", "[—]", "( … )", "{silence}", "… (silence)", "(says nothing) —", "*(says nothing)*",
		"(does not answer, as it is not for him)", "(doesn't respond)", "(hört nur zu)",
	}
	speeches = []string{
		"Aye.", "Silence!", "Silence, all of you.", "SILENT!", "No answer.", "Nothing.", "Quiet now.", "Silent as the grave, that one.", "… well, then.", "— no.",
		"(silence", "*says nothing", "(Well, who goes there?)", "[The king] is dead.", "Schweigt!", "Stille Nacht.", "*Never* say that.", "[silent] but deadly", "silently, I said.", "Keine Antwort ist auch eine.",
		"None.", "Pass me the ale.", "7", "n", "(says nothing) Fine, come in.", "Fine. (says nothing)", "[silence] [the king] (speaks)",
		"[" + strings.Repeat("silent ", 40) + "]",
	}
)

func TestIsSilence(t *testing.T) {
	for _, s := range silences {
		if !speech.IsSilence(s) {
			t.Errorf("%q is taken for speech", s)
		}
		if got := speech.WithoutSilence(s); got != "" {
			t.Errorf("of %q is spoken %q", s, got)
		}
	}
	for _, s := range speeches {
		if speech.IsSilence(s) {
			t.Errorf("%q is taken for silence", s)
		}
		if got := speech.WithoutSilence(s); got == "" || !strings.Contains(s, speech.Silent) && got != s {
			t.Errorf("of %q is spoken %q", s, got)
		}
	}
}

func TestWithoutSilence(t *testing.T) {
	for in, want := range map[string]string{
		"[silent] Well, what?":      "Well, what?",
		"Aye. [SILENT]":             "Aye.",
		"Aye [silent], so be it.":   "Aye , so be it.",
		"Aye [silent].":             "Aye.",
		"[silent][silent]Aye.":      "Aye.",
		"One [silent] two [silent]": "One two",
		"[sil[silent]ent] Aye.":     "[sil ent] Aye.",
		"[silently] he goes":        "[silently] he goes",
		"[silent night":             "[silent night",
	} {
		if got := speech.WithoutSilence(in); got != want {
			t.Errorf("WithoutSilence(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestSilenceShowsInTime checks the verdict on an answer while it streams: a silence is
// never declared speech, and most speech is recognised at its first word.
func TestSilenceShowsInTime(t *testing.T) {
	for _, s := range silences {
		for n := range len(s) {
			if !speech.MayBeSilence(s[:n]) {
				t.Errorf("%q is taken for the beginning of speech, and %q is silence", s[:n], s)
				break
			}
		}
	}
	for begun, want := range map[string]bool{
		"W": false, "Well": false, "S": true, "Sil": true, "Sill": false, "No": true, "No ": true, "No, w": false, "\"Well": true, "[the ": true,
		"(" + strings.Repeat("a", 200): false,
	} {
		if got := speech.MayBeSilence(begun); got != want {
			t.Errorf("MayBeSilence(%q) = %v", begun, got)
		}
	}
	for begun, want := range map[string]bool{
		"[silent": false, "[silent]": true, "  **[Silent]**": true, "[silent] And more.": true, "\"[silent]": true, "[silently]": false, "Aye [silent]": false, "": false,
		"[[silent]": false,
	} {
		if got := speech.DeclaresSilence(begun); got != want {
			t.Errorf("DeclaresSilence(%q) = %v", begun, got)
		}
	}
}

func FuzzSilence(f *testing.F) {
	for _, s := range append(silences, speeches...) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		spoken := speech.WithoutSilence(s)
		if strings.Contains(strings.ToLower(spoken), speech.Silent) {
			t.Errorf("of %q is spoken %q", s, spoken)
		}
		if speech.IsSilence(s) != (spoken == "") && !strings.Contains(strings.ToLower(s), speech.Silent) {
			t.Errorf("of %q is spoken %q", s, spoken)
		}
		if again := speech.WithoutSilence(spoken); again != spoken {
			t.Errorf("of %q is spoken %q, and of that %q", s, spoken, again)
		}
		if speech.DeclaresSilence(s) && !speech.MayBeSilence(s[:min(len(s), 90)]) {
			t.Errorf("%q declares silence and is sure to be speech", s)
		}
	})
}
