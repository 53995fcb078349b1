-- New and replaced images of a volume, each looked at once by a function in Python.
-- The parameter is :location, a folder of files: 'file:///folder/'. A bucket also needs a queue:
-- docs/how-to/volume-streams.md shows it.

CREATE EXTERNAL VOLUME vol_dish_images
    LOCATION :location
    USING CONNECTION my_conn
    DIRECTORY = (ENABLE = TRUE)
    RECURSIVE = TRUE;

CREATE TABLE IF NOT EXISTS dish_recognition_results (
    file_path          VARCHAR   COMMENT 'Relative path of the image',
    file_url           VARCHAR   COMMENT 'Full URL of the image',
    file_size          BIGINT    COMMENT 'File size (bytes)',
    last_modified_time TIMESTAMP COMMENT 'File last modified time',
    recognized_content VARCHAR   COMMENT 'Recognition result',
    change_type        VARCHAR   COMMENT 'Trigger event type: INSERT/UPDATE_AFTER',
    commit_version     BIGINT    COMMENT 'Stream consumption version number',
    processed_at       TIMESTAMP COMMENT 'Processing time'
);

CREATE STREAM IF NOT EXISTS str_dish_images ON VOLUME vol_dish_images
    WITH PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD');

-- Stands in for the cloud's image recognition: it says what the name of the file says.
CREATE OR REPLACE FUNCTION public.fc_image_to_text(task STRING, url STRING)
RETURNS STRING LANGUAGE PYTHON AS $$
import re
name = url.rsplit("/", 1)[-1].rsplit(".", 1)[0]
return re.sub(r"[\d_-]+", " ", name).strip()
$$;

-- Two images and a file that is none arrive.
COPY INTO VOLUME vol_dish_images SUBDIRECTORY 'monday/' FROM (SELECT 'tofu, chili' AS picture)
    FILE_FORMAT = (TYPE = TEXT) FILENAME_PREFIX = 'mapo_tofu_' FILENAME_SUFFIX = '.jpg';
COPY INTO VOLUME vol_dish_images SUBDIRECTORY 'tuesday/' FROM (SELECT 'flour, water' AS picture)
    FILE_FORMAT = (TYPE = TEXT) FILENAME_PREFIX = 'noodles_' FILENAME_SUFFIX = '.PNG';
COPY INTO VOLUME vol_dish_images SUBDIRECTORY 'tuesday/' FROM (SELECT 'not an image' AS picture)
    FILE_FORMAT = (TYPE = TEXT) FILENAME_PREFIX = 'notes_' FILENAME_SUFFIX = '.txt';

-- Everything that is new, told of once.
SELECT __change_type, __commit_version, relative_path, size FROM str_dish_images ORDER BY relative_path;

-- What is left out by WHERE is consumed as well.

INSERT INTO dish_recognition_results
SELECT
    relative_path AS file_path,
    url AS file_url,
    size AS file_size,
    last_modified_time,
    public.fc_image_to_text('dish_recognition', url) AS recognized_content,
    __change_type AS change_type,
    __commit_version AS commit_version,
    current_timestamp() AS processed_at
FROM str_dish_images
WHERE __change_type IN ('INSERT', 'UPDATE_AFTER')
  AND (
      lower(relative_path) LIKE '%.jpg'
      OR lower(relative_path) LIKE '%.jpeg'
      OR lower(relative_path) LIKE '%.png'
      OR lower(relative_path) LIKE '%.webp'
  );

SELECT file_path, recognized_content, change_type, processed_at
FROM dish_recognition_results ORDER BY processed_at DESC, file_path LIMIT 20;

SELECT recognized_content, COUNT(*) AS cnt
FROM dish_recognition_results GROUP BY recognized_content ORDER BY cnt DESC, recognized_content;

-- The stream is consumed; an image that is replaced comes again.
COPY INTO VOLUME vol_dish_images SUBDIRECTORY 'monday/' FROM (SELECT 'tofu, chili, pepper' AS picture)
    FILE_FORMAT = (TYPE = TEXT) FILENAME_PREFIX = 'mapo_tofu_' FILENAME_SUFFIX = '.jpg'
    OVERWRITE = TRUE;
SELECT __change_type, relative_path, size FROM str_dish_images ORDER BY __change_type DESC;
