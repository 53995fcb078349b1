package headwater;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.spark.api.python.PythonUtils;
import org.apache.spark.sql.delta.DeltaLog;
import org.apache.spark.sql.delta.LogSegment;
import org.apache.spark.sql.delta.Snapshot;
import org.apache.spark.sql.delta.VersionChecksum;
import org.apache.spark.sql.delta.actions.Action$;
import org.apache.spark.sql.delta.actions.AddFile;
import org.apache.spark.sql.delta.actions.InMemoryLogReplay;
import org.apache.spark.sql.delta.util.FileNames;
import scala.Option;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;

/**
 * The files of small tables, from their logs, in this thread.
 *
 * A log that was read once is read on from there. It must still be the log of that table, with the
 * commit that was read last: a table may have been removed, and another one made in its place.
 * Delta is asked once for the files of a checkpoint.
 */
public class LogReplays {
  private static final int MOST_TABLES = 500;
  private static final int MOST_FILES = 100;
  private static final long MOST_BYTES = 64L << 20;
  private static final int MOST_COMMITS = 30;
  private static final long MOST_LOG_BYTES = 2L << 20;

  private static final LinkedHashMap kept = new LinkedHashMap(16, 0.75f, true);

  /** How far a log was read. */
  static class Replay {
    final String table;
    final InMemoryLogReplay actions = new InMemoryLogReplay(Option.empty(), Option.empty());
    long version = -1;
    FileStatus last = null;

    Replay(String table) {
      this.table = table;
    }
  }

  /** All files of a snapshot; null if the table is not small, or its log is too long. */
  static Seq filesOf(Snapshot snapshot) {
    Option sums = snapshot.checksumOpt();
    if (sums.isDefined() && isLarge((VersionChecksum) sums.get())) {
      return null;
    }
    String place = snapshot.logSegment().logPath().toString();
    Replay replay = take(place, snapshot);
    if (replay == null && !sums.isDefined()) {
      return null;
    }
    if (replay == null) {
      replay = ofCheckpoint(snapshot);
    }
    if (!readOn(replay, snapshot)) {
      return null;
    }
    Seq files = replay.actions.allFiles();
    keep(place, replay);
    return isLarge(files) ? null : files;
  }

  private static boolean isLarge(VersionChecksum sums) {
    return sums.numFiles() > MOST_FILES || sums.tableSizeBytes() > MOST_BYTES;
  }

  private static boolean isLarge(Seq files) {
    long bytes = 0;
    for (Iterator each = files.iterator(); each.hasNext(); ) {
      bytes += ((AddFile) each.next()).size();
    }
    return files.size() > MOST_FILES || bytes > MOST_BYTES;
  }

  /** A replay to be read on, which nobody else has meanwhile; null if a checkpoint is in between. */
  private static Replay take(String place, Snapshot snapshot) {
    synchronized (kept) {
      Replay found = (Replay) kept.get(place);
      if (found != null && leadsTo(found, snapshot)) {
        kept.remove(place);
        return found;
      }
    }
    boolean whole = snapshot.logSegment().checkpointProvider().isEmpty();
    return whole ? new Replay(snapshot.metadata().id()) : null;
  }

  private static boolean leadsTo(Replay replay, Snapshot snapshot) {
    LogSegment segment = snapshot.logSegment();
    if (!replay.table.equals(snapshot.metadata().id()) || replay.version > segment.version()) {
      return false;
    }
    for (Iterator each = segment.deltas().iterator(); each.hasNext(); ) {
      FileStatus commit = (FileStatus) each.next();
      if (FileNames.getFileVersion(commit) == replay.version) {
        return replay.last == null
            || (commit.getLen() == replay.last.getLen()
                && commit.getModificationTime() == replay.last.getModificationTime());
      }
    }
    return !segment.checkpointProvider().isEmpty()
        && segment.checkpointProvider().version() == replay.version;
  }

  private static Replay ofCheckpoint(Snapshot snapshot) {
    Replay made = new Replay(snapshot.metadata().id());
    List files = snapshot.allFiles().collectAsList();
    made.actions.append(snapshot.version(), PythonUtils.toSeq(files).iterator());
    made.version = snapshot.version();
    return made;
  }

  private static void keep(String place, Replay replay) {
    synchronized (kept) {
      Replay other = (Replay) kept.get(place);
      if (other == null || other.version <= replay.version) {
        kept.put(place, replay);
      }
      if (kept.size() > MOST_TABLES) {
        kept.remove(kept.keySet().iterator().next());
      }
    }
  }

  /** Read the commits up to a snapshot; false if they are too many or not all there. */
  private static boolean readOn(Replay replay, Snapshot snapshot) {
    List commits = new ArrayList();
    long bytes = 0;
    for (Iterator each = snapshot.logSegment().deltas().iterator(); each.hasNext(); ) {
      FileStatus commit = (FileStatus) each.next();
      if (!isCommit(commit)) {
        return false;
      }
      if (FileNames.deltaVersion(commit) > replay.version) {
        commits.add(commit);
        bytes += commit.getLen();
      }
    }
    if (commits.size() > MOST_COMMITS || bytes > MOST_LOG_BYTES) {
      return false;
    }
    DeltaLog log = snapshot.deltaLog();
    Configuration settings = log.newDeltaHadoopConf();
    for (int i = 0; i < commits.size(); i++) {
      FileStatus commit = (FileStatus) commits.get(i);
      long version = FileNames.deltaVersion(commit);
      if (version != replay.version + 1) {
        return false;
      }
      List actions = new ArrayList();
      for (Iterator lines = log.store().read(commit, settings).iterator(); lines.hasNext(); ) {
        actions.add(Action$.MODULE$.fromJson((String) lines.next()));
      }
      replay.actions.append(version, PythonUtils.toSeq(actions).iterator());
      replay.version = version;
      replay.last = commit;
    }
    return replay.version == snapshot.version();
  }

  /** Whether it is one commit, and not several made into one. */
  private static boolean isCommit(FileStatus file) {
    return file.getPath().getName().length() == "00000000000000000000.json".length();
  }
}
