package headwater;

import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.datasources.json.JsonFileFormat;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;
import scala.Function1;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;

/**
 * JSON whose documents may spell the name of a column in any way.
 *
 * Spark finds the exact keys alone: of documents that spell a key otherwise it reads NULL.
 */
public class SpelledJson extends JsonFileFormat {
  // Where a broken document would go, if one did not end the reading: a name that no column has.
  private static final String NO_COLUMN = "\0";

  /** What a whole document becomes; null where its keys are columns. */
  private final DataType document;

  private final boolean caseCounts;

  public SpelledJson(DataType document, boolean caseCounts) {
    this.document = document;
    this.caseCounts = caseCounts;
  }

  public Function1 buildReader(
      SparkSession spark,
      StructType columns,
      StructType partitions,
      StructType wanted,
      Seq filters,
      Map options,
      Configuration hadoop) {
    SpelledOptions spelled =
        new SpelledOptions(
            options,
            getSqlConf(spark).sessionLocalTimeZone(),
            NO_COLUMN,
            wanted,
            document,
            caseCounts);
    return new SpelledReader(
        wanted,
        spelled,
        filters,
        SerializableConfiguration.broadcast(spark.sparkContext(), hadoop));
  }

  /** Spark takes all of its own for one, and readings that are equal for one reading. */
  public boolean equals(Object other) {
    return other instanceof SpelledJson
        && ((SpelledJson) other).caseCounts == caseCounts
        && Objects.equals(((SpelledJson) other).document, document);
  }

  public boolean canEqual(Object other) {
    return other instanceof SpelledJson;
  }

  public int hashCode() {
    return SpelledJson.class.hashCode();
  }
}
