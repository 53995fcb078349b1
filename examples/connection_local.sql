-- Step 1: a connection to folders of this machine; they need no keys.
CREATE STORAGE CONNECTION IF NOT EXISTS my_conn TYPE FILE;
