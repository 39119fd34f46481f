package cost

// Steps returns all steps in the order they are tried by default.
func Steps() []Step { return []Step{LowerTier, Opener, Fallback, Filler} }
