package discordtest

import "fmt"

// The types of components that the server knows.
const (
	componentRow       = 1
	componentButton    = 2
	componentSelect    = 3
	componentTextInput = 4
	maxRows            = 5
	styleLink          = 5
)

// checkRows records the errors of a message's components.
func checkRows(f *formError, at string, rows []Component) {
	if len(rows) > maxRows {
		f.add(at, "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxRows)
	}
	seen := map[string]bool{}
	for i, row := range rows {
		at := fmt.Sprintf("%s.%d", at, i)
		if row.Type != componentRow {
			f.add(at+".type", "BASE_TYPE_CHOICES", "Value of field \"type\" must be one of (1,).")
			continue
		}
		if len(row.Components) < 1 || len(row.Components) > 5 {
			f.add(at+".components", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.")
		}
		for j, c := range row.Components {
			checkComponent(f, fmt.Sprintf("%s.components.%d", at, j), c, seen)
		}
	}
}

func checkComponent(f *formError, at string, c Component, seen map[string]bool) {
	switch {
	case c.Type == componentButton && c.Style == styleLink:
		if c.URL == "" || c.CustomID != "" {
			f.add(at, "BUTTON_COMPONENT_INVALID", "A link button needs a url and no custom_id")
		}
	case c.Type == componentButton:
		f.length(at+".label", c.Label, 0, 80)
		if c.Style < 1 || c.Style > 4 {
			f.add(at+".style", "BASE_TYPE_CHOICES", "Value must be one of {1, 2, 3, 4, 5, 6}.")
		}
		if c.Label == "" && c.Emoji == nil {
			f.add(at, "BUTTON_COMPONENT_INVALID_EMPTY", "A button must have a label or emoji")
		}
	case c.Type == componentSelect:
		if len(c.Options) < 1 || len(c.Options) > 25 {
			f.add(at+".options", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 25 in length.")
		}
		for i, o := range c.Options {
			f.length(fmt.Sprintf("%s.options.%d.label", at, i), o.Label, 1, 100)
			f.length(fmt.Sprintf("%s.options.%d.value", at, i), o.Value, 1, 100)
		}
	case c.Type > componentTextInput && c.Type <= 8: // selects of users, roles, mentionables and channels
	default:
		f.add(at+".type", "BASE_TYPE_CHOICES", "Value of field \"type\" must be one of (2, 3, 5, 6, 7, 8).")
		return
	}
	if c.Type == componentButton && c.Style == styleLink {
		return
	}
	f.length(at+".custom_id", c.CustomID, 1, 100)
	if seen[c.CustomID] {
		f.add(at+".custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")
	}
	seen[c.CustomID] = true
}

// checkModal records the errors of a modal.
func checkModal(f *formError, d *callbackData) {
	f.length("data.custom_id", d.CustomID, 1, 100)
	f.length("data.title", d.Title, 1, 45)
	var rows []Component
	if d.Components != nil {
		rows = *d.Components
	}
	if len(rows) < 1 || len(rows) > 5 {
		f.add("data.components", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.")
	}
	for i, row := range rows {
		at := fmt.Sprintf("data.components.%d", i)
		if row.Type != componentRow || len(row.Components) != 1 || row.Components[0].Type != componentTextInput {
			f.add(at, "BASE_TYPE_CHOICES", "Must be a row with one text input.")
			continue
		}
		in := row.Components[0]
		f.length(at+".components.0.custom_id", in.CustomID, 1, 100)
		f.length(at+".components.0.label", in.Label, 1, 45)
		f.length(at+".components.0.placeholder", in.Placeholder, 0, 100)
		if in.Style != 1 && in.Style != 2 {
			f.add(at+".components.0.style", "BASE_TYPE_CHOICES", "Value must be one of {1, 2}.")
		}
		if in.MaxLength < 0 || in.MaxLength > 4000 {
			f.add(at+".components.0.max_length", "NUMBER_TYPE_MAX", "int value should be between 1 and 4000.")
		}
	}
}

// find returns the component with a custom id.
func find(all []Component, customID string) *Component {
	for i := range all {
		if all[i].CustomID == customID && customID != "" {
			return &all[i]
		}
		if c := find(all[i].Components, customID); c != nil {
			return c
		}
	}
	return nil
}
