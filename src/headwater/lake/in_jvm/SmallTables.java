package headwater;

import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.delta.OptimisticTransaction;
import org.apache.spark.sql.delta.OptimisticTransaction$;
import org.apache.spark.sql.delta.Snapshot;
import org.apache.spark.sql.delta.files.TahoeLogFileIndex;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import scala.Function1;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;
import scala.runtime.AbstractPartialFunction;

/**
 * Has small tables read by the files that their logs name.
 *
 * Delta runs up to three Spark jobs to find them, which take longer than to read such a table. What
 * it gains by that, files left out by their statistics, is little where little is to be read.
 * Partitioned tables are left to it: which partitions are wanted is known only later.
 */
public class SmallTables extends Rule {
  static final String SETTING = "spark.headwater.smallTablesByLog";

  /** Let all sessions that come from this one have the rule. */
  public void inject(org.apache.spark.sql.classic.SparkSession spark) {
    spark.extensions().injectOptimizerRule(new Maker());
  }

  public TreeNode apply(TreeNode plan) {
    // What a command reads inside of its transaction is optimized by itself.
    return plan instanceof Command || !wanted() ? plan : plan.transform(new Leaves());
  }

  private boolean wanted() {
    return "true".equals(conf().getConfString(SETTING, "true"));
  }

  /** The same relation over known files; itself if it is not for us. */
  static LogicalPlan byLog(LogicalRelation leaf) {
    HadoopFsRelation relation = (HadoopFsRelation) leaf.relation();
    TahoeLogFileIndex index = (TahoeLogFileIndex) relation.location();
    Snapshot snapshot = snapshotOf(index);
    Seq files = snapshot == null ? null : LogReplays.filesOf(snapshot);
    if (files == null) {
      return leaf;
    }
    KnownFiles known = new KnownFiles(index.spark(), files, index.deltaLog(), index.path(), snapshot);
    HadoopFsRelation made =
        relation.copy(
            known,
            relation.partitionSchema(),
            relation.dataSchema(),
            relation.bucketSpec(),
            relation.fileFormat(),
            relation.options(),
            relation.sparkSession());
    return leaf.copy(made, leaf.output(), leaf.catalogTable(), leaf.isStreaming(), leaf.stream());
  }

  /** What is to be read; null if Delta has to know what is read of it. */
  private static Snapshot snapshotOf(TahoeLogFileIndex index) {
    if (!index.metadata().partitionColumns().isEmpty() || !index.partitionFilters().isEmpty()) {
      return null;
    }
    Option active = OptimisticTransaction$.MODULE$.getActive();
    if (!active.isDefined()) {
      return index.getSnapshot();
    }
    // The transaction pins other tables, and notes what is read of its own.
    Object found = ((OptimisticTransaction) active.get()).getDeltaScanGenerator(index);
    return found instanceof Snapshot ? (Snapshot) found : null;
  }

  static class Maker extends AbstractFunction1 {
    public Object apply(Object session) {
      return new SmallTables();
    }
  }

  static class Leaves extends AbstractPartialFunction {
    public boolean isDefinedAt(Object node) {
      if (!(node instanceof LogicalRelation) || ((LogicalRelation) node).isStreaming()) {
        return false;
      }
      Object relation = ((LogicalRelation) node).relation();
      return relation instanceof HadoopFsRelation
          && ((HadoopFsRelation) relation).location() instanceof TahoeLogFileIndex;
    }

    public Object applyOrElse(Object node, Function1 otherwise) {
      return isDefinedAt(node) ? byLog((LogicalRelation) node) : otherwise.apply(node);
    }
  }
}
