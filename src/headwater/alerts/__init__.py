"""Alerts: who is told when something needs a person."""
