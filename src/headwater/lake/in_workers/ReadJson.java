package headwater;

import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation$;
import org.apache.spark.sql.types.DataType;

/** Frames over files of JSON. */
public class ReadJson {
  /**
   * The rows of a frame that Spark made of such files, whatever the spelling of their keys.
   *
   * `document` is null where the columns say what the keys mean; where each document is kept as
   * one value, it is the type, in JSON, that this value is to become.
   */
  public Object inAnySpelling(
      org.apache.spark.sql.classic.SparkSession spark,
      Dataset frame,
      String document,
      boolean caseCounts) {
    LogicalRelation plan = (LogicalRelation) frame.queryExecution().analyzed();
    HadoopFsRelation plain = (HadoopFsRelation) plan.relation();
    HadoopFsRelation spelled =
        new HadoopFsRelation(
            plain.location(),
            plain.partitionSchema(),
            plain.dataSchema(),
            plain.bucketSpec(),
            new SpelledJson(document == null ? null : DataType.fromJson(document), caseCounts),
            plain.options(),
            spark);
    return Dataset.ofRows(spark, LogicalRelation$.MODULE$.apply(spelled, false));
  }
}
