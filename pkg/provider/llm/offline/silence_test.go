package offline_test

import (
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// TestScriptAnswersWhateverItIsTold: the script never declines and never mentions that it
// could, because a player without a model expects an answer.
func TestScriptAnswersWhateverItIsTold(t *testing.T) {
	for _, line := range []string{"Nineteen to hit.", "Und dann?", "I sneak past the guard", "…"} {
		req := request(line, allTools()...)
		rule := llm.Message{Role: llm.RoleSystem, Content: "If it is plainly not meant for you, answer with [silent] and nothing else."}
		req.Messages = []llm.Message{req.Messages[0], rule, req.Messages[1]}
		if a := ask(t, req); a.text == "" && len(a.calls) == 0 || strings.Contains(a.text, "silent") {
			t.Errorf("%q is answered %+v", line, a)
		}
	}
}
