"""The report on a recorded run: tables of figures, findings, and levels that show them.

`report.report_on` queries the run. `page.as_html`, `report.as_text` and `report.write_csv` write its answers; pages and charts take
the extra `lab`.
"""
