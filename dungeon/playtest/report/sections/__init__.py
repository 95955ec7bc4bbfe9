"""The sections of a report: what is asked of a run, one module a subject. Each has `sheets(run)`."""
