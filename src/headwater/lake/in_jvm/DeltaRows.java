package headwater;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import org.apache.spark.api.python.PythonUtils;
import org.apache.spark.sql.delta.DeltaLog;
import org.apache.spark.sql.delta.DeltaParquetFileFormat;
import org.apache.spark.sql.delta.RowIndexFilterType;
import org.apache.spark.sql.delta.SnapshotDescriptor;
import org.apache.spark.sql.delta.actions.AddFile;
import org.apache.spark.sql.delta.commands.cdc.CDCReader;
import org.apache.spark.sql.delta.files.TahoeFileIndex;
import org.apache.spark.sql.delta.util.JsonUtils;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation$;
import scala.Option;
import scala.collection.immutable.Seq;

/** Data frames over files of a Delta table, each made in one call from Python. */
public class DeltaRows {
  /** The rows of files, given as a JSON array of `add` actions, in the schema of a snapshot. */
  public Object ofFiles(
      org.apache.spark.sql.classic.SparkSession spark,
      DeltaLog log,
      SnapshotDescriptor snapshot,
      String files) throws Exception {
    Seq found = PythonUtils.toSeq(added(files));
    TahoeFileIndex index = new KnownFiles(spark, found, log, log.dataPath(), snapshot);
    return frame(spark, log.buildHadoopFsRelationWithFileIndex(snapshot, index, Option.empty(), false));
  }

  /**
   * The same, with the version that each file belongs to beside its rows: `versions` is a JSON
   * array as long as `files`, and equal versions stand together; `known` are the files with their
   * version as a partition value. With `onlyMarked` the rows are those that the vectors mark.
   */
  public Object ofChanges(
      org.apache.spark.sql.classic.SparkSession spark,
      DeltaLog log,
      SnapshotDescriptor snapshot,
      String files,
      String known,
      String versions,
      boolean onlyMarked) throws Exception {
    List all = added(files);
    List at = (List) JsonUtils.mapper().readValue(versions, ArrayList.class);
    TahoeFileIndex index =
        new KnownChanges(
            spark,
            PythonUtils.toSeq(byVersion(all, at)),
            PythonUtils.toSeq(added(known)),
            log,
            log.dataPath(),
            snapshot,
            onlyMarked ? Option.apply(marked(all)) : Option.empty());
    HadoopFsRelation plain =
        log.buildHadoopFsRelationWithFileIndex(snapshot, index, Option.empty(), false);
    DeltaParquetFileFormat format = (DeltaParquetFileFormat) plain.fileFormat();
    if (!haveVectors(all)) {
      // Delta need not look at the files to find out.
      format = format.copyWithDVInfo(log.dataPath().toString(), true);
    }
    // Delta's reader of changes leaves row ids out, so the relation is made here.
    return frame(
        spark,
        new HadoopFsRelation(
            index,
            index.partitionSchema(),
            plain.dataSchema(),
            Option.empty(),
            format,
            plain.options(),
            spark));
  }

  private static Object frame(
      org.apache.spark.sql.classic.SparkSession spark, HadoopFsRelation relation) {
    return org.apache.spark.sql.classic.Dataset.ofRows(
        spark, LogicalRelation$.MODULE$.apply(relation, false));
  }

  private static List added(String files) throws Exception {
    ObjectMapper mapper = JsonUtils.mapper();
    return (List)
        mapper.readValue(
            files, mapper.getTypeFactory().constructCollectionType(ArrayList.class, AddFile.class));
  }

  private static List byVersion(List files, List versions) {
    List found = new ArrayList();
    int start = 0;
    for (int end = 1; end <= files.size(); end++) {
      if (end == files.size() || !versions.get(end).equals(versions.get(start))) {
        long version = ((Number) versions.get(start)).longValue();
        Seq part = PythonUtils.toSeq(files.subList(start, end));
        found.add(new CDCReader.CDCDataSpec(version, (java.sql.Timestamp) null, part, Option.empty()));
        start = end;
      }
    }
    return found;
  }

  private static Object marked(List files) {
    HashMap found = new HashMap();
    for (int i = 0; i < files.size(); i++) {
      found.put(((AddFile) files.get(i)).path(), RowIndexFilterType.IF_NOT_CONTAINED);
    }
    return PythonUtils.toScalaMap(found);
  }

  private static boolean haveVectors(List files) {
    for (int i = 0; i < files.size(); i++) {
      if (((AddFile) files.get(i)).deletionVector() != null) {
        return true;
      }
    }
    return false;
  }
}
