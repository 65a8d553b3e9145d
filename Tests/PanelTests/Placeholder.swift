import Panel
