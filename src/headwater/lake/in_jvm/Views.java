package headwater;

import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.TemporaryViewRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.Option;

/** Temporary views of frames, made in one call from Python and without Spark's command. */
public class Views {
  /**
   * Let SQL read a frame under a name.
   *
   * `model` is what Spark wrote down about another such view. The name has to be in it: a view of a
   * user over this one keeps the names of the temporary views that it reads.
   */
  public void create(
      org.apache.spark.sql.classic.SparkSession spark,
      CatalogTable model,
      String name,
      org.apache.spark.sql.classic.Dataset frame) {
    LogicalPlan plan = frame.queryExecution().analyzed();
    CatalogTable described =
        model.copy(
            new TableIdentifier(name),
            model.tableType(),
            model.storage(),
            plan.schema(),
            model.provider(),
            model.partitionColumnNames(),
            model.bucketSpec(),
            model.owner(),
            model.createTime(),
            model.lastAccessTime(),
            model.createVersion(),
            model.properties(),
            model.stats(),
            model.viewText(),
            model.comment(),
            model.collation(),
            model.unsupportedFeatures(),
            model.tracksPartitionsInCatalog(),
            model.schemaPreservesCase(),
            model.ignoredProperties(),
            model.viewOriginalText(),
            Option.empty());
    TemporaryViewRelation view = new TemporaryViewRelation(described, Option.apply(plan));
    spark.sessionState().catalog().createTempView(name, view, true);
  }
}
