package truth

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
)

// areaUnder returns how often a sample that ends scores above one that
// continues.
func areaUnder(score []float64, ends []bool) float64 {
	order := make([]int, len(score))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(score[a], score[b]) })
	var rank, pos float64
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && score[order[j]] == score[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			if ends[k] {
				rank += float64(i+j+1) / 2
				pos++
			}
		}
		i = j
	}
	neg := float64(len(score)) - pos
	if pos == 0 || neg == 0 {
		return math.NaN()
	}
	return (rank - pos*(pos+1)/2) / (pos * neg)
}

// judgeOf trains a logistic regression that distinguishes ends from pauses,
// with equal weight for both kinds of each set.
func judgeOf(train []pauseSample) func([]float64) float64 {
	n := len(train[0].x)
	mean, dev := make([]float64, n), make([]float64, n)
	for i := range n {
		for _, s := range train {
			mean[i] += s.x[i] / float64(len(train))
		}
		for _, s := range train {
			dev[i] += (s.x[i] - mean[i]) * (s.x[i] - mean[i]) / float64(len(train))
		}
		dev[i] = math.Sqrt(dev[i]) + 1e-9
	}
	ends := 0.0
	for _, s := range train {
		if s.ends {
			ends++
		}
	}
	w, b := make([]float64, n), 0.0
	score := func(x []float64) float64 {
		z := b
		for i, v := range x {
			z += w[i] * min(max((v-mean[i])/dev[i], -4), 4)
		}
		return 1 / (1 + math.Exp(-z))
	}
	for range 400 {
		gw, gb := make([]float64, n), 0.0
		for _, s := range train {
			weight, y := 0.5/(float64(len(train))-ends), 0.0
			if s.ends {
				weight, y = 0.5/ends, 1
			}
			d := weight * (y - score(s.x))
			gb += d
			for i, v := range s.x {
				gw[i] += d * min(max((v-mean[i])/dev[i], -4), 4)
			}
		}
		b += gb
		for i := range w {
			w[i] += gw[i] - 0.005*w[i]
		}
	}
	return score
}

// byVoice groups samples by speaker, without speakers that have too few of a
// kind.
func byVoice(all []pauseSample, is func(pauseSample) bool) (groups [][]pauseSample) {
	const least = 4
	at, n := map[string]int{}, [][2]int{}
	for _, s := range all {
		i, ok := at[s.voice]
		if !ok {
			i = len(groups)
			at[s.voice], groups, n = i, append(groups, nil), append(n, [2]int{})
		}
		groups[i] = append(groups[i], s)
		if is(s) {
			n[i][0]++
		} else {
			n[i][1]++
		}
	}
	kept := groups[:0]
	for i, g := range groups {
		if min(n[i][0], n[i][1]) >= least {
			kept = append(kept, g)
		}
	}
	return kept
}

// withinVoices returns a score's area under the curve, averaged over speakers.
func withinVoices(all []pauseSample, is func(pauseSample) bool, score func(pauseSample) float64) float64 {
	sum, n := 0.0, 0.0
	for _, group := range byVoice(all, is) {
		var scores []float64
		var kinds []bool
		for _, s := range group {
			scores, kinds = append(scores, score(s)), append(kinds, is(s))
		}
		sum, n = sum+areaUnder(scores, kinds), n+1
	}
	return sum / n
}

// madeBy returns the synthesiser of a voice, or the source of a person's
// recordings.
func madeBy(voice string) string {
	by, _, _ := strings.Cut(voice, ":")
	return by
}

// gain returns the time a judge would save over silence alone: the wait is half
// as long again for speakers who seem to continue as for those who seem to have
// ended, and cuts as many pauses as the usual wait, with pauses of 0 to 1.5 s
// equally frequent.
func gain(ended, cut float64) time.Duration {
	const usual = 500 * time.Millisecond
	// The share cut of pauses seems to be ends: cut*short + (1-cut)*1.5*short =
	// usual.
	short := float64(usual) / (cut + (1-cut)*1.5)
	return usual - time.Duration(ended*short+(1-ended)*1.5*short)
}

// apart is how well a judge trained on some voices works on the pauses of
// others.
type apart struct {
	area       float64
	right      float64 // of ends and of pauses, averaged
	ended, cut float64 // share taken for ends, of ends and of pauses
	voices     int
}

// judgeOthers judges each voice's pauses with a judge trained on the other
// voices of train, also without those of the same synthesiser if strangers.
func judgeOthers(train, test []pauseSample, strangers bool) (j apart) {
	isEnd := func(s pauseSample) bool { return s.ends }
	groups := byVoice(test, isEnd)
	for _, group := range groups {
		score := judgeOf(slices.DeleteFunc(slices.Clone(train), func(s pauseSample) bool {
			return s.voice == group[0].voice || strangers && !s.human && madeBy(s.voice) == madeBy(group[0].voice)
		}))
		j.area += withinVoices(group, isEnd, func(s pauseSample) float64 { return score(s.x) }) / float64(len(groups))
		var as [2][2]float64 // by end or not, and taken for one or not
		for _, s := range group {
			k, taken := 0, 0
			if s.ends {
				k = 1
			}
			if score(s.x) >= 0.5 {
				taken = 1
			}
			as[k][taken]++
		}
		j.ended += as[1][1] / (as[1][0] + as[1][1]) / float64(len(groups))
		j.cut += as[0][1] / (as[0][0] + as[0][1]) / float64(len(groups))
	}
	j.right, j.voices = (j.ended+1-j.cut)/2, len(groups)
	return j
}
