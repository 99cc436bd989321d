"""Small reusable parts of the window; they know plain values, nothing of the engine."""
