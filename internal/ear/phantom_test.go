package ear

import "testing"

func TestPhantoms(t *testing.T) {
	for text, want := range map[string]bool{
		"Thank you for watching!": true, "Thanks for watching! Thanks for watching!": true, "you": true, "You you.": true, "[BLANK_AUDIO]": true,
		"Untertitel der Amara.org-Community": true, "Untertitel im Auftrag des ZDF, 2021": true, "♪♪": true, "...": true,
		"Subtitles by the Amara.org community": true, "ご視聴ありがとうございました": true,
		"": false, "Thank you.": false, "Bye!": false, "You there!": false, "Thank you for watching my horse, Odo.": false,
		"Danke.": false, "Silence!, I say": false, "Music to my ears": false, "Nein": false, "Are you watching?": false,
	} {
		if got := isPhantom(text); got != want {
			t.Errorf("%q is a phantom: %v, want %v", text, got, want)
		}
	}
}
