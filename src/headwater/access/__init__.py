"""Who may do what: roles, privileges, and the decision. Pure: no input, no output, no clock."""
