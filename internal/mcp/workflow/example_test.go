package workflow_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/workflow"
)

func ExampleWorkflow_Tool() {
	w, err := workflow.Parse("toast.yaml", []byte(`
description: Raise a glass.
parameters:
  to: {type: string, required: true}
steps:
  - id: drink
    tool: roll_table
    with: {table: drinks}
output: "{{ upper(steps.drink.result) }} to {{ params.to }}!"
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	tool := w.Tool(known{"roll_table": {target: mcp.Target{ReadOnly: true}}}, nil)
	caller := mcp.WithExecutor(context.Background(), doorFunc(func(_ context.Context, name, args string) (mcp.Result, error) {
		fmt.Println("calling", name, args)
		return mcp.Result{Text: "ale"}, nil
	}))
	res, err := tool.Respond(caller, `{"to":"Bartok"}`)
	var out struct{ Output string }
	_ = json.Unmarshal(res.Structured, &out) // only the output is shown
	fmt.Println(out.Output, err)
	// Output:
	// calling roll_table {"table":"drinks"}
	// ALE to Bartok! <nil>
}
