"""What there is to tell of a recorded run: figures, what is out of line, and levels that show either.

`report.report_on` asks the run; `page.as_html`, `written.as_text` and `written.write_csv` write down what it answers. Charts
take the extra `lab`.
"""
