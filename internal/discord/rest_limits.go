package discord

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"golang.org/x/time/rate"
)

const (
	// perSecond is how much a bot asks for in a second, of all routes together: Discord
	// refuses more than 50.
	perSecond = 45
	// atOnce is how many of them may be asked for at once.
	atOnce = 4
	// blockedFor is how long nothing more is asked for in a bucket after a refusal that
	// does not say when to come back.
	blockedFor = time.Minute
)

// limits keeps requests within Discord's limits. Those of a bucket go one after the
// other, since each answer says what the next may do. discordgo counts; it would
// also wait, but under a lock, and whatever becomes of who waits.
type limits struct {
	all *rate.Limiter

	mu      *sync.Mutex // guards buckets
	buckets map[string]*lane
	counted *discordgo.RateLimiter
}

// lane lets the requests of a bucket through, one at a time.
type lane struct {
	free   chan struct{} // holds one while nobody is at it
	bucket *discordgo.Bucket
}

func newLimits() limits {
	return limits{all: rate.NewLimiter(perSecond, atOnce), mu: &sync.Mutex{}, buckets: map[string]*lane{}, counted: discordgo.NewRatelimiter()}
}

// unlimited is the bucket of requests that no limit of Discord's is for, and that do not
// wait for each other: first answers to interactions.
const unlimited = ""

// begin waits until a request of a bucket may be made, and returns the bucket, locked. Who
// made it calls done.
func (l limits) begin(ctx context.Context, bucket string) (b *discordgo.Bucket, done func(), err error) {
	if bucket == unlimited {
		alone := discordgo.NewRatelimiter()
		return alone.LockBucket(bucket), func() {}, ctx.Err()
	}
	at := l.laneOf(bucket)
	select {
	case <-at.free:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	done = func() { at.free <- struct{}{} }
	for wait := l.counted.GetWaitTime(at.bucket, 1); wait > 0; wait = l.counted.GetWaitTime(at.bucket, 1) {
		if !WaitFor(ctx, wait) {
			done()
			return nil, nil, ctx.Err()
		}
	}
	if strings.HasPrefix(bucket, answers) {
		return l.counted.LockBucketObject(at.bucket), done, nil
	}
	if err := l.all.Wait(ctx); err != nil {
		done()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, nil, err
	}
	return l.counted.LockBucketObject(at.bucket), done, nil
}

func (l limits) laneOf(bucket string) *lane {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.buckets[bucket]
	if at == nil {
		at = &lane{free: make(chan struct{}, 1), bucket: l.counted.GetBucket(bucket)}
		at.free <- struct{}{}
		l.buckets[bucket] = at
	}
	return at
}

// answerBuckets is over how many buckets later answers to interactions are spread.
// Each has an address of its own, for which a bucket would be kept for good; and one
// bucket for all would send them one after the other.
const answerBuckets = 64

// answers begins the names of those buckets. The limit on all routes is not for them.
const answers = "interaction "

// answerBucket names the bucket of an interaction's later answers.
func answerBucket(id string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // never fails
	return fmt.Sprint(answers, h.Sum32()%answerBuckets)
}
