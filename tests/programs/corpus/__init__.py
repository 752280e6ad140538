"""Programs of the field's test suites, each as its authors would write it."""
