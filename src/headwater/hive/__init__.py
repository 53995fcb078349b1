"""HiveServer2's protocol over our sessions: for JDBC, ODBC, beeline, PyHive, BI tools and dbt."""
