package headwater;

import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.delta.DeltaLog;
import org.apache.spark.sql.delta.SnapshotDescriptor;
import org.apache.spark.sql.delta.files.CdcAddFileIndex;
import scala.Option;
import scala.collection.immutable.Seq;

/**
 * Files by the version that wrote them, as KnownFiles.
 *
 * `known` are the same files with that version among their partition values, as Delta makes them.
 */
public class KnownChanges extends CdcAddFileIndex {
  private final Seq known;

  public KnownChanges(
      SparkSession spark,
      Seq filesByVersion,
      Seq known,
      DeltaLog log,
      Path path,
      SnapshotDescriptor snapshot,
      Option rowIndexFilters) {
    super(spark, filesByVersion, log, path, snapshot, rowIndexFilters);
    this.known = known;
  }

  public Seq matchingFiles(Seq partitionFilters, Seq dataFilters) {
    return KnownFiles.holds(partitionFilters)
        ? known
        : super.matchingFiles(partitionFilters, dataFilters);
  }
}
