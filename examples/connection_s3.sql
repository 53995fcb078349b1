-- Step 1: a connection to a store that speaks S3. The keys are sealed in the catalog.
CREATE STORAGE CONNECTION IF NOT EXISTS my_conn TYPE S3
    ACCESS_KEY = :access_key
    SECRET_KEY = :secret_key
    ENDPOINT = :endpoint
    REGION = :region;
