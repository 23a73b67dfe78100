"""A support vector machine whose decision values become probabilities by Platt's sigmoid."""
