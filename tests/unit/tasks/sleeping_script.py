"""A script that would run for longer than any test."""

import time

print("begun", flush=True)
time.sleep(600)
