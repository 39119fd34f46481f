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
	// perSecond bounds a bot's requests per second on all routes. Discord allows 50.
	perSecond = 45
	// atOnce is the burst size of that limit.
	atOnce = 4
	// blockedFor is the pause in a bucket after a rate-limit response that gives no time.
	blockedFor = time.Minute
)

// limits keeps requests within Discord's rate limits. Requests of a bucket run one at a time, because each
// response has the limit for the next. discordgo counts them. Its own waiting is not used, because it holds a
// lock and ignores the context.
type limits struct {
	all *rate.Limiter

	mu      *sync.Mutex // guards buckets
	buckets map[string]*lane
	counted *discordgo.RateLimiter
}

// lane serialises the requests of a bucket.
type lane struct {
	free   chan struct{} // holds one token while no request is running
	bucket *discordgo.Bucket
}

func newLimits() limits {
	return limits{all: rate.NewLimiter(perSecond, atOnce), mu: &sync.Mutex{}, buckets: map[string]*lane{}, counted: discordgo.NewRatelimiter()}
}

// unlimited is the bucket of requests without a rate limit, which run concurrently: first responses to
// interactions.
const unlimited = ""

// begin waits until a request of a bucket may start, and returns the locked bucket. The caller must call done
// after the request.
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

// answerBuckets is the number of buckets shared by later responses to interactions. Each interaction has its
// own address, so a bucket per address would never be freed, and a single bucket would serialise all
// responses.
const answerBuckets = 64

// answers is the prefix of those buckets' names. The global limit does not apply to them.
const answers = "interaction "

// answerBucket returns the name of the bucket for an interaction's later responses.
func answerBucket(id string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // never fails
	return fmt.Sprint(answers, h.Sum32()%answerBuckets)
}
