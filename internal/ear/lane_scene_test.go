package ear_test

import (
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/ear"
)

// room lays the noise of a quiet room over a whole clip.
func room(c clip) clip { return over(c, noise(time.Duration(len(c))*time.Second/48000, -62, 1)) }

func TestScenes(t *testing.T) {
	for _, tt := range []struct {
		name       string
		sound      clip
		utterances int // number of VoiceStarted events
		continued  int
	}{
		{"clean_speech", join(silence(time.Second), laneVoice(120, 2*time.Second, -14), silence(2*time.Second)), 1, 0},
		{"a_child", join(silence(time.Second), laneVoice(310, 2*time.Second, -14), silence(2*time.Second)), 1, 0},
		{"one_word", join(silence(time.Second), laneVoice(140, 240*laneTick, -14), silence(2*time.Second)), 1, 0},
		{"short_pause_is_one_utterance", join(silence(time.Second), laneVoice(120, 1200*laneTick, -14), silence(300*laneTick), laneVoice(120, 1200*laneTick, -14), silence(2*time.Second)), 1, 0},
		{"split_sentence_is_continued", join(silence(time.Second), laneVoice(120, 1200*laneTick, -14), silence(800*laneTick), laneVoice(120, 1200*laneTick, -14), silence(2*time.Second)), 1, 1},
		{"long_pause_is_two", join(silence(time.Second), laneVoice(120, 1200*laneTick, -14), silence(2500*laneTick), laneVoice(120, 1200*laneTick, -14), silence(2*time.Second)), 2, 0},
		{"click", join(silence(2*time.Second), click(50*laneTick, -3, 3), silence(2*time.Second)), 0, 0},
		{"keyboard", typing(5 * time.Second), 0, 0},
		{"cough", join(silence(2*time.Second), cough(-12, 5), silence(2*time.Second)), 0, 0},
		{"hum", hum(10*time.Second, -20), 0, 0},
		{"speech_over_hum", over(hum(6*time.Second, -26), join(silence(2*time.Second), laneVoice(120, 2*time.Second, -14))), 1, 0},
		{"continuous_noise", noise(20*time.Second, -38, 9), 0, 0},
		{"noise_switched_on", join(silence(3*time.Second), noise(20*time.Second, -38, 9)), 0, 0},
		{"speech_over_noise", over(noise(8*time.Second, -42, 9), join(silence(3*time.Second), laneVoice(120, 2*time.Second, -12))), 1, 0},
		{"noise_in_steps", join(noise(4*time.Second, -60, 1), noise(4*time.Second, -40, 2), noise(4*time.Second, -30, 3), noise(3*time.Second, -55, 4)), 0, 0},
		{"noise_after_speech", join(silence(time.Second), laneVoice(120, 2*time.Second, -14), noise(8*time.Second, -38, 3)), 1, 0},
		{"street", rumble(15*time.Second, -40), 0, 0},
		{"speech_over_street", over(rumble(8*time.Second, -45), join(silence(3*time.Second), laneVoice(120, 2*time.Second, -14))), 1, 0},
		{"buzz", buzz(10*time.Second, 100, -40), 0, 0},
		{"loud_buzz_is_got_used_to", join(silence(3*time.Second), buzz(15*time.Second, 100, -25)), 1, 0},
		{"speech_while_typing", over(typing(6*time.Second), join(silence(2*time.Second), laneVoice(120, 2*time.Second, -14))), 1, 0},
		{"offset", offset(join(silence(time.Second), laneVoice(120, 2*time.Second, -14), silence(2*time.Second)), 3000), 1, 0},
		{"offset_changes", join(silence(3*time.Second), offset(silence(3*time.Second), 9000)), 0, 0},
		{"overdriven", gain(join(silence(time.Second), laneVoice(120, 2*time.Second, -3), silence(2*time.Second)), 15), 1, 0},
		{"quiet_speaker", join(silence(time.Second), laneVoice(180, 2*time.Second, -38), silence(2*time.Second)), 1, 0},
		{"quiet_then_loud", join(silence(time.Second), laneVoice(180, 2*time.Second, -36), silence(3*time.Second), laneVoice(110, 2*time.Second, -3), silence(2*time.Second)), 2, 0},
		{"loud_then_quiet", join(silence(time.Second), laneVoice(110, 2*time.Second, -3), silence(3*time.Second), laneVoice(180, 2*time.Second, -36), silence(2*time.Second)), 2, 0},
		{"speech_from_the_first_frame", join(laneVoice(120, 2*time.Second, -14), silence(2*time.Second)), 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newTable(ear.NewEnergy(), &ear.LaneOptions{Merge: 600 * laneTick})
			b.play(room(tt.sound))
			if got := b.count(ear.VoiceStarted); got != tt.utterances {
				t.Errorf("%d utterances, want %d: %s", got, tt.utterances, b.story())
			}
			if got := b.count(ear.UtteranceContinued); got != tt.continued {
				t.Errorf("%d continued, want %d: %s", got, tt.continued, b.story())
			}
			if got, want := b.count(ear.UtteranceEnded), tt.utterances+tt.continued; got != want {
				t.Errorf("%d ends, want %d: %s", got, want, b.story())
			}
		})
	}
}

// typing is d of keyboard noise.
func typing(d time.Duration) clip {
	var out clip
	for seed := uint64(0); len(out) < samples(d); seed++ {
		out = join(out, click(25*laneTick, -8, seed), silence(time.Duration(70+seed*37%110)*laneTick))
	}
	return out
}
