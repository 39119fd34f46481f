package discordtest

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// TestOverwritesByBit compares the documented algorithm with its meaning for a
// single permission: the member's overwrite decides, else any role that allows,
// else any role that denies, else @everyone's, else the roles in the guild.
func TestOverwritesByBit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const bit = SendMessages
		m := &Member{User: &User{ID: "me"}, Roles: []string{"a", "b"}}
		who := rapid.SliceOfN(rapid.SampledFrom([]string{"all", "a", "b", "c", "me", "you"}), 0, 6)
		var overwrites []Overwrite
		for _, id := range who.Draw(t, "who") {
			o := Overwrite{ID: id}
			if id == "me" || id == "you" {
				o.Type = overwriteMember
			}
			switch rapid.SampledFrom([]string{"allow", "deny", "neither"}).Draw(t, "what") {
			case "allow":
				o.Allow = bit
			case "deny":
				o.Deny = bit
			}
			overwrites = append(overwrites, o)
		}
		overwrites = firstOfEach(overwrites)
		base := Permissions(0)
		if rapid.Bool().Draw(t, "base") {
			base = bit
		}
		want := base
		decide := func(ids ...string) (allow, deny bool) {
			for _, o := range overwrites {
				for _, id := range ids {
					allow = allow || o.ID == id && o.Allow == bit
					deny = deny || o.ID == id && o.Deny == bit
				}
			}
			return allow, deny
		}
		for _, ids := range [][]string{{"all"}, {"a", "b"}, {"me"}} {
			if allow, deny := decide(ids...); allow {
				want = bit
			} else if deny {
				want = 0
			}
		}
		if got := applyOverwrites(base, overwrites, "all", m); got != want {
			t.Errorf("rights = %v, want %v", got, want)
		}
	})
}

// firstOfEach keeps one overwrite per role and member, as channels do.
func firstOfEach(all []Overwrite) []Overwrite {
	seen, kept := map[string]bool{}, []Overwrite(nil)
	for _, o := range all {
		if !seen[o.ID] {
			kept = append(kept, o)
		}
		seen[o.ID] = true
	}
	return kept
}

func TestPermissionsJSON(t *testing.T) {
	data, err := json.Marshal(PermissionsOfBot)
	if err != nil || data[0] != '"' {
		t.Errorf("permissions = %s, %v, want a string", data, err)
	}
	var back Permissions
	if err := json.Unmarshal(data, &back); err != nil || back != PermissionsOfBot {
		t.Errorf("back = %v, %v, want %v", back, err, PermissionsOfBot)
	}
	if got, want := (ManageWebhooks | ViewChannel).String(), "MANAGE_WEBHOOKS|VIEW_CHANNEL"; got != want {
		t.Errorf("names = %q, want %q", got, want)
	}
}
