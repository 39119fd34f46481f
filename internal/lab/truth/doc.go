// Package truth scores what the product promises about who is meant, what is found, what is
// heard, what is said and what the scripted cast answers, over the corpora of testdata/truth and
// the clips of testdata/hearing.
//
// [Address], [Hearing], [Interrupt], [Memory], [Prosody] and [Rules] are evaluations: each scores its corpus
// and holds what it comes to against bounds.
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
// `glyphoxa-lab eval` prints them; tests hold their bounds. The evaluations of the guard, the
// cast, orders, pauses and spoken text are tests alone, which `make eval` prints.
package truth
