"""Learning a playbook from questions: data sets, scorers, the three roles, the loop that can be killed, and reports.

Talks to models only through `models`, and writes playbooks only through `store`. Knows nothing about pages.
"""
