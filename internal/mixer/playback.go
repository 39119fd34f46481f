package mixer

import (
	"time"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// startPlaying makes m play l, and reports whether l can be played.
func (l *Line) startPlaying(m *Mixer) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state != waiting && l.state != paused || l.owner != nil && l.owner != m {
		return false
	}
	l.owner, l.state = m, playing
	l.playSpan++
	wakeup.Signal(l.room) // so that Room learns the owner
	return true
}

// cutTo pauses or stops l and returns the fade-out of its sound.
func (l *Line) cutTo(to state) (f fade) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == stopped || l.state == finished {
		return f
	}
	if l.startReported && l.pos > l.start {
		l.fadeOut(&f)
	}
	l.state = to
	l.playSpan++
	l.startReported, l.needsInput, l.dryAt = false, false, time.Time{}
	if to == stopped {
		if len(l.ends) > 0 {
			l.cutSentenceEnd = l.ends[0]
		}
		l.freeBlocks()
	} else if l.pos > l.start {
		l.fadeIn = fadeSamples
	}
	l.ducked, l.gain = false, unity
	return f
}

// fadeOut stores the next 5 ms of the sentence in f, faded out.
func (l *Line) fadeOut(f *fade) {
	end := l.written
	if len(l.ends) > 0 {
		end = l.ends[0]
	}
	n := min(int(end-l.pos), fadeSamples)
	l.copyTo(f.samples[:n])
	l.gain = duck(f.samples[:n], l.gain, l.ducked)
	f.fadeOut(n)
}

// hasFrame reports whether there is sound for a frame: a full frame, or the end of a sentence.
func (l *Line) hasFrame() bool {
	if len(l.ends) > 0 {
		return l.ends[len(l.ends)-1] > l.pos
	}
	return l.open && l.written-l.pos >= int64(audio.FrameSamples)
}

// readFrame fills dst with the available sound. It returns the number of samples, and notes with those of the
// sentences that end in dst appended. It never stops within a sentence: a sentence that cannot fill the rest
// of dst begins in the next frame.
func (l *Line) readFrame(dst *audio.Frame, notes []LineEvent) (int, []LineEvent) {
	n := 0
	for n < len(dst) {
		most := int64(len(dst) - n)
		if len(l.ends) > 0 {
			most = min(most, l.ends[0]-l.pos)
		} else if !l.open || l.written-l.pos < most {
			break
		}
		part := dst[n : n+int(most)]
		l.copyTo(part)
		l.fadeIn = fadeIn(part, l.fadeIn)
		l.gain = duck(part, l.gain, l.ducked)
		l.pos += most
		n += len(part)
		notes = l.finishSentences(notes, time.Time{})
	}
	l.playedSinceDry, l.dryAt = true, time.Time{}
	l.freePlayed()
	l.notifyWriter()
	return n, notes
}

// copyTo fills dst with the sound from pos on.
func (l *Line) copyTo(dst []int16) {
	for at := int(l.pos - l.base); len(dst) > 0; {
		n := copy(dst, l.blocks[at/len(block{})][at%len(block{}):])
		dst, at = dst[n:], at+n
	}
}

// skipWritten marks everything written as played, without frames.
func (l *Line) skipWritten() {
	if l.pos < l.written {
		l.pos = l.written
		l.playedSinceDry, l.dryAt = true, time.Time{}
		l.freePlayed()
		l.notifyWriter()
	}
}

// finishSentences removes the sentences that have been played to their end, and appends a note for each.
func (l *Line) finishSentences(notes []LineEvent, at time.Time) []LineEvent {
	passed := 0
	for passed < len(l.ends) && l.ends[passed] <= l.pos {
		notes = append(notes, LineEvent{
			Line: l.id, Kind: SentenceEnded, Sentence: l.index, At: at, Played: durationAt(l.ends[passed]),
		})
		l.start = l.ends[passed]
		l.index++
		passed++
	}
	if passed > 0 {
		l.ends = append(l.ends[:0], l.ends[passed:]...)
		l.playedSinceDry, l.dryAt = true, time.Time{}
	}
	return notes
}

// freePlayed releases the blocks that have been played. They are not needed again, because a line never plays
// backwards.
func (l *Line) freePlayed() {
	n := int(l.pos-l.base) / len(block{})
	if n == 0 {
		return
	}
	for _, b := range l.blocks[:n] {
		l.owner.pool.Put(b)
	}
	kept := copy(l.blocks, l.blocks[n:])
	clear(l.blocks[kept:])
	l.blocks = l.blocks[:kept]
	l.base += int64(n * len(block{}))
}

// freeBlocks releases all blocks. l must not be played afterwards.
func (l *Line) freeBlocks() {
	if l.owner != nil {
		for _, b := range l.blocks {
			l.owner.pool.Put(b)
		}
	}
	l.blocks, l.ends = nil, nil
	wakeup.Signal(l.room)
}

// notifyWriter wakes Room if there is enough room for it.
func (l *Line) notifyWriter() {
	if l.roomLimit >= 0 && l.written-l.pos <= l.roomLimit {
		l.roomLimit = -1
		wakeup.Signal(l.room)
	}
}

// newEvent returns a note at the current position.
func (l *Line) newEvent(kind Kind, at time.Time) LineEvent {
	return LineEvent{Line: l.id, Kind: kind, At: at, Played: durationAt(l.pos)}
}

// samplesIn returns the number of samples in d, rounded.
func samplesIn(d time.Duration) int64 {
	return int64(d/time.Second*audio.SampleRate + (d%time.Second*audio.SampleRate+time.Second/2)/time.Second)
}

// durationAt returns the duration of the sound before position pos.
func durationAt(pos int64) time.Duration { return audio.Duration(int(pos), audio.SampleRate) }
