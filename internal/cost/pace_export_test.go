package cost

// Steps returns all steps in their default order.
func Steps() []Step { return []Step{LowerTier, Opener, Fallback, Filler} }
