// Package truth scores the product's promises about addressees, search,
// hearing, secrets and the scripted cast's answers, over the corpora of
// testdata/truth and the clips of testdata/hearing.
//
// [Address], [Hearing], [Interrupt], [Memory], [Prosody] and [Rules] are
// evaluations: each scores its corpus and checks the result against bounds.
//
//	report, err := truth.Rules(ctx, truth.Options{Root: "."})
//	if err != nil {
//		return err // the corpus cannot be scored
//	}
//	err = report.Write(os.Stdout)
//	if len(report.Broken) > 0 { // the search does worse than it did
//		…
//	}
//
// `glyphoxa-lab eval` prints them; tests check their bounds. The evaluations of
// the guard, the cast, orders, pauses and spoken text exist only as tests,
// which `make eval` prints.
package truth
