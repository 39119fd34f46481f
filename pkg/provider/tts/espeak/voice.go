package espeak

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

const (
	defaultLanguage = "en"
	normalWPM       = 175
	minFactor       = 0.5
	maxFactor       = 2
	maxVoiceID      = 64
)

// arguments returns the command-line arguments for voice.
func arguments(voice tts.Voice) ([]string, error) {
	id, err := voiceID(voice)
	if err != nil {
		return nil, err
	}
	pitch, err := factor("pitch", voice.Pitch)
	if err != nil {
		return nil, err
	}
	speed, err := factor("speed", voice.Speed)
	if err != nil {
		return nil, err
	}
	return []string{
		"--stdin", "--stdout", "-b", "1",
		"-v", id,
		"-p", strconv.Itoa(pitchSetting(pitch)),
		"-s", strconv.Itoa(int(math.Round(normalWPM * speed))),
	}, nil
}

// pitchSetting maps octaves linearly to espeak-ng's scale from 0 to 99, whose middle is the voice's own
// pitch. The audible change is a little smaller, from about 0.7 to 1.7.
func pitchSetting(factor float64) int {
	return min(99, int(math.Round(50+50*math.Log2(factor))))
}

// factor validates a voice's factor; 0 means 1.
func factor(what string, f float64) (float64, error) {
	if f == 0 {
		return 1, nil
	}
	if !(f >= minFactor && f <= maxFactor) { // also refuses NaN
		return 0, fmt.Errorf("%w: %s is %v, want %v to %v", ErrVoice, what, f, minFactor, maxFactor)
	}
	return f, nil
}

// voiceID returns the -v argument. espeak-ng also accepts files as voices, so the ID must not contain a path
// out of its own folder or a leading dash.
func voiceID(voice tts.Voice) (string, error) {
	id := voice.ID
	if id == "" || strings.HasPrefix(id, "+") {
		language := strings.ReplaceAll(voice.Language, "_", "-")
		if language == "" {
			language = defaultLanguage
		}
		id = language + id
	}
	ok := len(id) <= maxVoiceID && isAlnum(id[0]) && !strings.Contains(id, "..")
	for i := 0; ok && i < len(id); i++ {
		ok = isAlnum(id[i]) || strings.IndexByte("+-_./ ", id[i]) >= 0
	}
	if !ok {
		return "", fmt.Errorf("%w: id is %.80q, want one that \"espeak-ng --voices\" lists", ErrVoice, id)
	}
	return id, nil
}

func isAlnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// environment returns the environment variables that the program needs, so that it does not inherit secrets.
func environment() []string {
	env := []string{}
	for _, key := range []string{"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SystemRoot", "ESPEAK_DATA_PATH"} {
		if value, ok := os.LookupEnv(key); ok {
			env = append(env, key+"="+value)
		}
	}
	return env
}

// headWriter keeps the first room bytes written to it.
type headWriter struct {
	head strings.Builder
	room int
}

// Write never fails, so that the program is not stopped by a long error output.
func (w *headWriter) Write(b []byte) (int, error) {
	w.head.Write(b[:min(len(b), w.room-w.head.Len())])
	return len(b), nil
}

func (w *headWriter) String() string { return w.head.String() }
