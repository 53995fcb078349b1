package headwater;

import com.fasterxml.jackson.core.JsonFactory;
import org.apache.spark.sql.catalyst.json.JSONOptionsInRead;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Map;

/** Spark's options of reading JSON, which also say what makes its parsers: no more is changed. */
public class SpelledOptions extends JSONOptionsInRead {
  private final StructType columns;
  private final DataType document;
  private final boolean caseCounts;

  public SpelledOptions(
      Map given,
      String timeZone,
      String brokenColumn,
      StructType columns,
      DataType document,
      boolean caseCounts) {
    super(given, timeZone, brokenColumn);
    this.columns = columns;
    this.document = document;
    this.caseCounts = caseCounts;
  }

  public JsonFactory buildJsonFactory() {
    KeyKind root = document == null ? KeyKind.ofDocuments(columns) : KeyKind.of(document);
    return new SpelledFactory(super.buildJsonFactory(), root, caseCounts);
  }
}
