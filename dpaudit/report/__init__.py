"""Reports of audits: text, Markdown, CSV, JSON and plots."""
