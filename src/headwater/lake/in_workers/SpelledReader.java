package headwater;

import java.io.Serializable;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.catalyst.json.JSONOptions;
import org.apache.spark.sql.catalyst.json.JacksonParser;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.json.JsonDataSource;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/** Reads the rows of a file, or of a part of one; runs where Spark's tasks do. */
public class SpelledReader extends AbstractFunction1 implements Serializable {
  private final StructType wanted;
  private final SpelledOptions options;
  private final Seq filters;
  private final Broadcast hadoop;

  public SpelledReader(
      StructType wanted, SpelledOptions options, Seq filters, Broadcast hadoop) {
    this.wanted = wanted;
    this.options = options;
    this.filters = filters;
    this.hadoop = hadoop;
  }

  public Object apply(Object file) {
    Configuration settings = ((SerializableConfiguration) hadoop.value()).value();
    JacksonParser parser = new JacksonParser(wanted, options, true, filters);
    return JsonDataSource.apply((JSONOptions) options)
        .readFile(settings, (PartitionedFile) file, parser, wanted);
  }
}
