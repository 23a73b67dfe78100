"""Results as a page to look at: one HTML file that needs no other and asks nothing of any network."""
