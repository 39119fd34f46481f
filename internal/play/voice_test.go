package play

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

// tone is a provider that speaks a loud tone of 100 ms and records its texts.
type tone struct {
	mu   sync.Mutex
	said []string
}

func (p *tone) Name() string { return "tone" }

func (p *tone) Synthesize(_ context.Context, text string, _ tts.Voice) iter.Seq2[tts.PCM, error] {
	return func(yield func(tts.PCM, error) bool) {
		p.mu.Lock()
		p.said = append(p.said, text)
		p.mu.Unlock()
		samples := make([]int16, 2400)
		for i := range samples {
			samples[i] = int16(32000 * (1 - 2*(i/20%2)))
		}
		yield(tts.PCM{Samples: samples, Rate: 24000}, nil)
	}
}

// speakSentence returns the sound of a sentence.
func speakSentence(t *testing.T, v *voice, npc config.NPC, text string) []int16 {
	t.Helper()
	var sound []int16
	for pcm, err := range v.Synthesize(t.Context(), npc, text) {
		if err != nil {
			t.Fatal(err)
		}
		sound = append(sound, pcm...)
	}
	return sound
}

func TestVoiceSaysWordsForSigns(t *testing.T) {
	for _, tt := range []struct {
		name, table, npc, text, want string
	}{
		{"english", "en", "", "Roll 2d6+3!", "Roll two d six plus three!"},
		{"german_npc", "en", "de", "Wirf 2d6+3!", "Wirf zwei W sechs plus drei!"},
		{"german_table", "de", "", "Das macht 5 GM.", "Das macht fünf Goldmünzen."},
		{"nothing_to_say", "en", "", "🙂", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &tone{}
			v := &voice{levels: &levels{}, provider: providers.Prepared(p, speech.Full, prepareText(config.NormaliseAuto, tt.table))}
			sound := speakSentence(t, v, config.NPC{ID: "bart", Voice: tts.Voice{Language: tt.npc}}, tt.text)
			if diff := cmp.Diff([]string{tt.want}, p.said); diff != "" {
				t.Errorf("said (-want +got):\n%s", diff)
			}
			if len(sound) != 4800 {
				t.Errorf("%d samples, want 4800", len(sound))
			}
		})
	}
}

// TestLevelIsLearntFromStockPhrases: the level of a voice comes from its stock phrases, by
// provider and voice, and lives as long as the levels.
func TestLevelIsLearntFromStockPhrases(t *testing.T) {
	known := &levels{}
	bart := config.NPC{ID: "bart", Lines: map[string][]string{"filler": {"Well."}}}
	loud := func(n int) (all []int16) {
		for range n {
			all = append(all, 24000, -24000)
		}
		return all
	}
	p := replayed{sounds: map[string][]int16{"Well.": loud(12000), "Hey.": loud(1000)}} // too short to measure
	v := &voice{levels: known, provider: p}
	v.warmPhrases(nil, []config.NPC{bart}, "filler")
	v.warming.Wait()
	if err := v.Close(); err != nil {
		t.Error(err)
	}
	v = &voice{levels: known, provider: p}
	for _, npc := range []config.NPC{bart, {ID: "mira"}} {
		if most := slices.Max(speakSentence(t, v, npc, "Hey.")); most > 6000 {
			t.Errorf("%s's first sentence has a peak of %d, want it brought down at once", npc.ID, most)
		}
	}
	if most := slices.Max(speakSentence(t, v, config.NPC{Voice: tts.Voice{ID: "other"}}, "Hey.")); most < 20000 {
		t.Errorf("another voice has a peak of %d", most)
	}
}

// TestStrangeVoiceIsMeasuredAhead: the first sound of an unknown voice waits for more of the
// sentence, but not for long. A known voice does not wait.
func TestStrangeVoiceIsMeasuredAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		voice5s := make([]int16, 5*audio.SampleRate)
		for i := range voice5s {
			voice5s[i] = int16(3000 * (1 - 2*(i/40%2)))
		}
		v := &voice{levels: &levels{}, provider: replayed{sounds: map[string][]int16{"Hey.": voice5s}, speed: 2}}
		for _, want := range []time.Duration{50*time.Millisecond + unmeasuredDelay, 50 * time.Millisecond} {
			began := time.Now()
			for range v.Synthesize(t.Context(), config.NPC{}, "Hey.") {
				if got := time.Since(began); got != want {
					t.Errorf("the first sound came after %v, want %v", got, want)
				}
				break
			}
			speakSentence(t, v, config.NPC{}, "Hey.")
			speakSentence(t, v, config.NPC{}, "Hey.")
		}
	})
}

func TestStockLines(t *testing.T) {
	npc := config.NPC{Lines: map[string][]string{
		"greeting": {"Hail! Sit down.", "Hail {player}."}, "filler": {"Hm…"}, "answer": {"{answer}"}, "farewell": {"Bye."},
	}}
	if diff := cmp.Diff([]string{"Hail!", "Sit down.", "Hm…", "Bye."}, stockLines(npc, stockOccasions...)); diff != "" {
		t.Errorf("stock (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Hm…", "Hail!", "Sit down."}, stockLines(npc, warmedOccasions(config.Provider{Options: config.ProviderOptions{"warm": true}})...)); diff != "" {
		t.Errorf("warm (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Hm…"}, stockLines(npc, warmedOccasions(config.Provider{})...)); diff != "" {
		t.Errorf("warm unless said otherwise (-want +got):\n%s", diff)
	}
	if got := warmedOccasions(config.Provider{Options: config.ProviderOptions{"warm": false}}); got != nil {
		t.Errorf("warm: false still warms %q", got)
	}
}

func TestWarmedPhrasesAreThereAtOnce(t *testing.T) {
	npc := config.NPC{ID: "bart", Lines: map[string][]string{"filler": {"5 moments."}}}
	p := &tone{}
	cache := tts.NewPhraseCache([]string{"five moments."}, nil)
	v := &voice{levels: &levels{}, provider: providers.Prepared(cache.Wrap("tone", p), speech.Full, prepareText(config.NormaliseAuto, ""))}
	v.warmPhrases(nil, []config.NPC{npc}, "filler")
	v.warming.Wait()
	speakSentence(t, v, npc, "5 moments.")
	if _, _, hits := cache.Stats(); hits != 1 || len(p.said) != 1 {
		t.Errorf("%d hits, the provider spoke %d times; want 1 and 1", hits, len(p.said))
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}

// slow is a provider that returns only when its context ends.
type slow struct{ tone }

func (*slow) Synthesize(ctx context.Context, _ string, _ tts.Voice) iter.Seq2[tts.PCM, error] {
	return func(yield func(tts.PCM, error) bool) {
		<-ctx.Done()
		yield(tts.PCM{}, ctx.Err())
	}
}

func TestCloseEndsWarming(t *testing.T) {
	v := &voice{levels: &levels{}, provider: &slow{}}
	v.warmPhrases(nil, []config.NPC{{Lines: map[string][]string{"filler": {"Hm."}}}}, "filler")
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}

// TestNextServiceTakesOver: if a service refuses its key, the next one speaks the same sentence
// with its own voice, and people read a notice.
func TestNextServiceTakesOver(t *testing.T) {
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer refusing.Close()
	var body string
	speaking := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		body = string(raw)
		w.Write(bytes.Repeat([]byte{0, 0x40, 0, 0xc0}, 1200))
	}))
	defer speaking.Close()
	var told []string
	p, _, err := providers.Voice(nil, config.ProviderChain{
		Provider: config.Provider{Name: providers.ElevenLabs, APIKey: "secret-key", BaseURL: refusing.URL},
		Fallback: []config.Provider{{Name: providers.OpenAI, BaseURL: speaking.URL + "/v1"}},
	}, tts.NewPhraseCache(nil, nil), prepareText(config.NormaliseAuto, ""), func(s tts.Switch) { told = append(told, providers.DescribeSwitch(s, providers.Speaks)) })
	if err != nil {
		t.Fatal(err)
	}
	v := &voice{levels: &levels{}, provider: p}
	npc := config.NPC{ID: "bart", Voice: tts.Voice{ID: "abc", IDs: map[string]string{providers.OpenAI: "nova"}}}
	sound := speakSentence(t, v, npc, "2 rats.")
	if len(sound) != 4800 || !strings.Contains(body, `"two rats."`) || !strings.Contains(body, `"nova"`) {
		t.Errorf("heard %d samples of request %s; want 4800, two rats and nova", len(sound), body)
	}
	if len(told) != 1 || !strings.HasPrefix(told[0], "openai speaks now: elevenlabs: speech was refused: status 401") || strings.Contains(told[0], "secret-key") {
		t.Errorf("told %q", told)
	}
}

// TestNormalise: a service that normalises text gets only the notation of games in words, and
// the next one, which does not, gets everything in words. No service gets markup.
func TestNormalise(t *testing.T) {
	for _, tt := range []struct{ mode, first, second string }{
		{config.NormaliseAlways, "Roll two d six plus three for Aldric the fourth at eighteen thirty.", "Roll two d six plus three for Aldric the fourth at eighteen thirty."},
		{config.NormaliseAuto, "Roll two d six plus three for Aldric IV at 18:30.", "Roll two d six plus three for Aldric the fourth at eighteen thirty."},
		{config.NormaliseNever, "Roll 2d6+3 for Aldric IV at 18:30.", "Roll 2d6+3 for Aldric IV at 18:30."},
	} {
		t.Run(tt.mode, func(t *testing.T) {
			service := func(key string, sound []byte, said *string) *httptest.Server {
				s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					var body map[string]any
					if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
						t.Error(err)
					}
					*said, _ = body[key].(string)
					if sound == nil {
						w.WriteHeader(http.StatusServiceUnavailable)
					}
					w.Write(sound)
				}))
				t.Cleanup(s.Close)
				return s
			}
			var first, second string
			one := service("text", nil, &first)
			other := service("input", bytes.Repeat([]byte{0, 0x40, 0, 0xc0}, 1200), &second)
			npc := config.NPC{ID: "bart", Voice: tts.Voice{ID: "abc"}, Lines: map[string][]string{"filler": {"5 moments."}}}
			v := &voice{levels: &levels{}}
			prepare := prepareText(tt.mode, "en")
			stock := preparedStock([]config.NPC{npc}, prepare)
			if tt.mode == config.NormaliseAuto && !slices.Equal(stock, []string{"five moments.", "5 moments."}) {
				t.Errorf("stock %q", stock)
			}
			var err error
			v.provider, _, err = providers.Voice(nil, config.ProviderChain{
				Provider: config.Provider{Name: providers.ElevenLabs, BaseURL: one.URL, Model: "eleven_multilingual_v2"},
				Fallback: []config.Provider{{Name: providers.OpenAI, BaseURL: other.URL + "/v1"}},
			}, tts.NewPhraseCache(stock, nil), prepare, nil)
			if err != nil {
				t.Fatal(err)
			}
			speakSentence(t, v, npc, "*sighs* Roll **2d6+3** for Aldric IV at 18:30. 😀")
			if first != tt.first || second != tt.second {
				t.Errorf("the first was given %q, the second %q; want %q and %q", first, second, tt.first, tt.second)
			}
		})
	}
}
