"""Settings of a session by which Spark goes about the query of a change, by how much there is."""

from __future__ import annotations

# What must hold of every column of every node of a plan, to find a filter more: in the plan of a
# change, which has many nodes and reads few rows, that takes longer than such a filter spares.
_NO_CONSTRAINTS = {"spark.sql.constraintPropagation.enabled": "false"}
ONE_JOB = {
    **_NO_CONSTRAINTS,
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.join.preferSortMergeJoin": "false",
}
# For each step of a query Spark writes code, also where it has compiled the same code before.
NO_CODE = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
FEW_JOBS = {
    **_NO_CONSTRAINTS,
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.maxBroadcastTableSize": "256m",
}
SENDING_LITTLE = {"spark.sql.maxBroadcastTableSize": "256m"}
