package headwater;

import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Literal$;
import org.apache.spark.sql.delta.DeltaLog;
import org.apache.spark.sql.delta.SnapshotDescriptor;
import org.apache.spark.sql.delta.files.TahoeBatchFileIndex;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;

/**
 * Files of a table that are known one by one.
 *
 * Delta's own index makes a data frame of its files and collects it whenever it is asked which of
 * them match, several times for each scan of a query. Where no partition is asked for, all match.
 */
public class KnownFiles extends TahoeBatchFileIndex {
  public KnownFiles(
      SparkSession spark, Seq files, DeltaLog log, Path path, SnapshotDescriptor snapshot) {
    super(spark, "batch", files, log, path, snapshot, false);
  }

  public Seq matchingFiles(Seq partitionFilters, Seq dataFilters) {
    return holds(partitionFilters)
        ? addFiles()
        : super.matchingFiles(partitionFilters, dataFilters);
  }

  /** The same files of the same version: Spark reads them once, and finds queries to be equal. */
  public boolean equals(Object other) {
    if (this == other) {
      return true;
    }
    if (!(other instanceof KnownFiles)) {
      return false;
    }
    KnownFiles those = (KnownFiles) other;
    return version() == those.version()
        && path().equals(those.path())
        && addFiles().equals(those.addFiles());
  }

  public int hashCode() {
    return path().hashCode() * 31 + Long.hashCode(version());
  }

  /** Whether a filter lets everything through; Delta writes TRUE for none. */
  static boolean holds(Seq filters) {
    Iterator each = filters.iterator();
    while (each.hasNext()) {
      if (!each.next().equals(Literal$.MODULE$.TrueLiteral())) {
        return false;
      }
    }
    return true;
  }
}
