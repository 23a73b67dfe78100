"""The Platt-scaled support vector machine."""
