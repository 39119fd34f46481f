package main_test

import (
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
)

// prompts are a model's prompts, the latest last.
type prompts struct {
	mu  sync.Mutex // guards all
	all []string
}

func (p *prompts) answer(r fakeopenai.Request) fakeopenai.Response {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, string(r.Body))
	return fakeopenai.Say("The river keeps its own counsel.")
}

func (p *prompts) latest(t *testing.T) string {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.all) == 0 {
		t.Fatal("the model was not asked")
	}
	return p.all[len(p.all)-1]
}

// TestWhatIsAcceptedIsKeptInMind lets a player make a promise. After the DM
// accepts it, the NPC's prompt contains it whenever that player speaks to the
// NPC, also after a restart, until it is dropped.
func TestWhatIsAcceptedIsKeptInMind(t *testing.T) {
	t.Parallel()
	const promise = "Ada promised Mira a bell for the ferry."
	var model prompts
	h, _ := newModelProgram(t, model.answer)
	h.run("Ada: Mira, we promise you a bell for the ferry.\nBrom: Mira, lovely weather.\n", "play").ok(t)

	out := h.run("/memory\nAda: Mira, good evening.\n", "play").ok(t).stdout
	for _, want := range []string{"could learn something from earlier sessions", "1 promise: Ada (player): Mira, we promise you a bell for the ferry."} {
		if !strings.Contains(out, want) {
			t.Errorf("it says %q, want %q", out, want)
		}
	}
	if strings.Contains(model.latest(t), "What you keep in mind") {
		t.Errorf("the NPC has in mind what nobody accepted: %s", model.latest(t))
	}

	h.run("/memory yes 1 "+promise+"\n", "play").ok(t)
	h.run("Ada: Mira, good evening.\n", "play").ok(t)
	if got := model.latest(t); !strings.Contains(got, "What you keep in mind:") || !strings.Contains(got, promise) {
		t.Errorf("the promise is not in the NPC's mind: %s", got)
	}
	h.run("Brom: Mira, good evening.\n", "play").ok(t)
	if got := model.latest(t); strings.Contains(got, promise) {
		t.Errorf("Brom's talk has Ada's promise in it: %s", got)
	}
	if found := h.run("", "tools", "call", "search_facts", `{"query":"bell for the ferry"}`).ok(t).stdout; !strings.Contains(found, promise) {
		t.Errorf("the fact is not found: %s", found)
	}

	h.run("/memory drop 1\nAda: Mira, good evening.\n", "play").ok(t)
	if got := model.latest(t); strings.Contains(got, promise) {
		t.Errorf("it was dropped, and is in the NPC's mind: %s", got)
	}
}

// TestWhatIsPinnedIsKeptInMind pins a text for one NPC, and the last line for
// all.
func TestWhatIsPinnedIsKeptInMind(t *testing.T) {
	t.Parallel()
	var model prompts
	h, _ := newModelProgram(t, model.answer)
	out := h.run("/remember Mira: The goat is called Nettle.\nAda: Mira, hello.\n/remember\nBrom: Mira, hello.\n", "play").ok(t).stdout
	if !strings.Contains(out, "remembered as 1: The goat is called Nettle.") {
		t.Errorf("it says %q", out)
	}
	if got := model.latest(t); !strings.Contains(got, "The goat is called Nettle.") || !strings.Contains(got, "keep in mind") {
		t.Errorf("what was pinned is not in the NPC's mind: %s", got)
	}
}

// TestALineIsErased lets the DM delete a line and a note by number.
func TestALineIsErased(t *testing.T) {
	t.Parallel()
	var model prompts
	h, _ := newModelProgram(t, model.answer)
	h.run("Ada: Mira, Quirin the tinker owes me a kettle.\n", "play").ok(t)
	h.run("", "tools", "call", "remember_fact", `{"text":"Quirin is late."}`).ok(t)
	out := h.run("/memory mentions\n/memory erase note 2\n/memory erase note 3\n/memory erase 1\n/memory erase #1\n/memory erase one\n", "play").stdout
	for _, want := range []string{
		"nothing to look at; when a player asks to be forgotten", "! there is no such note;", // the second fact is the NPC's line
		"deleted: Quirin is late.", "deleted: Ada: Mira, Quirin the tinker owes me a kettle.", "! there is no such line;", "! usage: /memory",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("it says %q, want %q", out, want)
		}
	}
	for tool, query := range map[string]string{"search_sessions": "Quirin the tinker owes me a kettle", "search_facts": "Quirin is late"} {
		found := h.run("", "tools", "call", tool, `{"query":"`+query+`"}`).ok(t).stdout
		if strings.Contains(strings.ReplaceAll(found, query, ""), "Quirin") {
			t.Errorf("it is found: %s", found)
		}
	}
}

// TestLearningIsConfigured accepts every proposal at once, and then turns
// learning off.
func TestLearningIsConfigured(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]bool{"accept": true, "off": false} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			var model prompts
			h, _ := newModelProgram(t, model.answer)
			content, err := os.ReadFile(h.path("glyphoxa.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			h.write("glyphoxa.yaml", string(content)+"\nmemory: {learn: "+how+"}\n")
			h.run("Ada: Mira, we promise you a bell for the ferry.\n", "play").ok(t)
			out := h.run("Ada: Mira, good evening.\n/memory list\n", "play").ok(t).stdout
			if got := strings.Contains(model.latest(t), "What you keep in mind:"); got != want {
				t.Errorf("in mind: %v, want %v", got, want)
			}
			if got := strings.Contains(out, "1 promise:"); got != want {
				t.Errorf("it says %q, want it listed: %v", out, want)
			}
		})
	}
}

// TestADiaryHasWhatWasTold plays an evening of questions and phrases with one
// told fact, and checks that the diary contains only that fact.
func TestADiaryHasWhatWasTold(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	h.write("glyphoxa.yaml", `data_dir: data
npcs:
  - name: Mira
    lines: {unknown: [The river has not told me.], smalltalk: [Fog again.], recall: ["I keep it in mind. {answer}"]}
    topics: [{intents: [memory], lines: {en: ["I do not remember you at all. First time here?"]}}]
`)
	h.run("Ada: Mira, do you remember me?\nAda: Mira, who stole the silver bell of the chapel?\nAda: Mira, nice weather.\nAda: Mira, the miller hid the silver bell in the reeds.\n", "play").ok(t)
	out := h.run("/memory diary Mira\n", "play").ok(t).stdout
	checkSays(t, out, "the miller hid the silver bell")
	for _, wrong := range []string{"remember you", "has not told", "Fog again", "who stole", "remember me"} {
		if strings.Contains(out, wrong) {
			t.Errorf("%q is in the diary: %s", wrong, out)
		}
	}
}

// TestTheScriptedCastTellsWhatItHasLearnt makes a promise and asks about it
// after a restart, without a model: only the player who promised hears of it.
func TestTheScriptedCastTellsWhatItHasLearnt(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	h.write("glyphoxa.yaml", "data_dir: data\nnpcs:\n  - {name: Bartok, topics: [{intents: [memory], lines: {en: [I forget nobody and know you not.]}}]}\n")
	const promise = "Ada promised Bartok a barrel of plum brandy."
	h.run("Ada: Bartok, we promise you a barrel of plum brandy.\n", "play").ok(t)
	h.run("/memory yes 1 "+promise+"\n", "play").ok(t)
	checkSays(t, h.run("Ada: Bartok, do you remember me?\n", "play").ok(t).stdout, promise)
	checkSays(t, h.run("Ada: Bartok, what did I promise you?\n", "play").ok(t).stdout, promise)
	out := h.run("Brom: Bartok, do you remember me?\n", "play").ok(t).stdout
	if checkSays(t, out, "know you not"); strings.Contains(out, promise) {
		t.Errorf("Brom is told what Ada promised: %s", out)
	}
}
