package s2s

import (
	"slices"

	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

const (
	// defaultPace is the number of samples for a letter until the pace of a voice is known: 15 letters in a
	// second.
	defaultPace = audio.SampleRate / 15
	// margin is how much sound must follow the estimated end of a sentence before the sentence is reported.
	margin = audio.SampleRate / 5
	// maxWords bounds the transcript of an answer in bytes.
	maxWords = 16 << 10
	// maxItems bounds the parts of an answer.
	maxItems = 64
)

// aligner puts the parts of an answer in order and finds out which sound belongs to which sentence.
// Transcripts come separately from the sound, mostly before it. The end of a sentence is estimated from the
// number of letters and the pace of the voice. Once a part is complete, its exact length is known.
type aligner struct {
	pace    float64 // samples for each letter
	read    bool    // the answer is only shown: a sentence ends with its words
	put     func(engine.Event) bool
	items   []*item  // the first of them is being passed on
	seen    []string // the ids of all parts so far
	total   int      // samples passed on
	written int      // bytes of the transcript
	full    bool     // the answer is too long
}

// item is a part of an answer.
type item struct {
	id           string
	waitingSound []int16 // sound that waits for the parts before it
	begins       int     // position of its first sample
	samples      int     // samples passed on
	words        int     // bytes of the transcript
	split        speech.Splitter
	text         []string // sentences that were not reported yet
	partial      string   // beginning of the sentence after those
	letters      int      // of the reported sentences
	complete     bool
}

// itemOf returns the part of an id, which it adds if it is new; nil if there are too many.
func (al *aligner) itemOf(id string) *item {
	if i := slices.IndexFunc(al.items, func(it *item) bool { return it.id == id }); i >= 0 {
		return al.items[i]
	}
	if len(al.items) >= maxItems {
		return nil
	}
	if id != "" {
		al.seen = append(al.seen, id)
	}
	it := &item{id: id, begins: al.total}
	al.items = append(al.items, it)
	return it
}

// addSound handles sound, mono at audio.SampleRate. It keeps samples.
func (al *aligner) addSound(id string, samples []int16) {
	it := al.itemOf(id)
	switch {
	case it == nil || len(samples) == 0:
	case it != al.items[0]:
		if len(it.waitingSound)+len(samples) <= maxQueued {
			it.waitingSound = append(it.waitingSound, samples...)
		}
	default:
		al.passOn(it, samples)
	}
}

func (al *aligner) passOn(it *item, samples []int16) {
	if !al.put(engine.Sound{Samples: samples}) {
		al.full = true
		return
	}
	it.samples += len(samples)
	al.total += len(samples)
	al.emitSentences(it)
}

// addWords handles a piece of the transcript.
func (al *aligner) addWords(id, text string) {
	it := al.itemOf(id)
	if it == nil || it.words+len(text) > maxWords {
		return
	}
	it.words += len(text)
	al.written += len(text)
	it.partial += text
	if whole := it.split.Push(text); len(whole) > 0 {
		it.text = append(it.text, whole...)
		it.partial = ""
	}
	if it == al.items[0] {
		al.emitWording(it)
		al.emitSentences(it)
	}
}

// emitWording reports the words of the current sentence.
func (al *aligner) emitWording(it *item) {
	open := it.partial
	if len(it.text) > 0 {
		open = it.text[0]
	}
	if open = clean(open); open != "" {
		al.put(engine.Wording{Text: open})
	}
}

// emitSentences reports the sentences that have ended.
func (al *aligner) emitSentences(it *item) {
	for len(it.text) > 0 {
		if al.read {
			al.emitSentence(it, it.samples)
			continue
		}
		letters := it.letters + len([]rune(it.text[0]))
		ends := int(float64(letters) * al.pace)
		if ends+margin > it.samples {
			return
		}
		al.emitSentence(it, ends)
	}
}

// emitSentence reports the next sentence. ends is the position of its end in its part.
func (al *aligner) emitSentence(it *item, ends int) {
	text := it.text[0]
	it.letters += len([]rune(text))
	it.text = it.text[1:]
	if text = clean(text); text != "" {
		al.put(engine.Spoken{Text: text, Until: audio.Duration(it.begins+ends, audio.SampleRate)})
		al.emitWording(it)
	}
}

// finishItem handles the end of a part.
func (al *aligner) finishItem(id string) {
	it := al.itemOf(id)
	if it == nil {
		return
	}
	it.complete = true
	for len(al.items) > 0 && al.items[0].complete {
		al.flush(al.items[0])
		al.items = al.items[1:]
		if len(al.items) > 0 {
			al.begin(al.items[0])
		}
	}
}

// finish handles the end of the answer.
func (al *aligner) finish() {
	for _, it := range slices.Clone(al.items) {
		al.finishItem(it.id)
	}
}

// begin starts to pass on a part that waited for the one before it.
func (al *aligner) begin(it *item) {
	it.begins = al.total
	held := it.waitingSound
	it.waitingSound = nil
	if len(held) > 0 {
		al.passOn(it, held)
	}
	al.emitWording(it)
	al.emitSentences(it)
}

// flush reports the remaining sentences of a part whose length is now known.
func (al *aligner) flush(it *item) {
	it.text = append(it.text, it.split.Flush()...)
	it.partial = ""
	letters := it.letters
	for _, s := range it.text {
		letters += len([]rune(s))
	}
	if al.read {
		al.emitSentences(it)
		return
	}
	if letters == 0 || it.samples == 0 {
		it.text = nil
		return
	}
	exact := float64(it.samples) / float64(letters)
	if letters >= 20 { // shorter parts say little about the voice
		al.pace = (al.pace + exact) / 2
	}
	for len(it.text) > 1 {
		al.emitSentence(it, int(float64(it.letters+len([]rune(it.text[0])))*exact))
	}
	if len(it.text) == 1 {
		al.emitSentence(it, it.samples)
	}
}

func clean(text string) string { return untrusted.Clean(text, maxWords) }
