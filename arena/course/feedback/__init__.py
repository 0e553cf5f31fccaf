"""`arena course feedback`: for each agent a private page, a text and a bundle that say why it lost, and a list for mail
merge.

agent_feedback.py  what the games of one agent show: its faults, and the games to look at; read from the record
sentences.py       what the page and the text say, and the commands that its author types next
write.py           writes all of it into a folder: pages, texts, bundles and mail.csv; several processes look at games
"""
