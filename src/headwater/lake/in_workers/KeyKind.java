package headwater;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * What the keys inside of a value mean, by the type it is read as.
 *
 * Those of a struct are its fields; those of a map and of what is read as a text are data.
 */
public class KeyKind {
  // Documents may use keys like data, so that there is no end of them.
  private static final int MOST_MET = 10000;

  /** How many fields there are; -1 if this is no struct. */
  public final int fields;

  /** Of the elements of an array, or of the values of a map; null if their keys are data. */
  private KeyKind within;

  private final HashMap folded = new HashMap();

  /** Keys by how documents spell them, as far as they were met. */
  private final HashMap met = new HashMap();

  private KeyKind(KeyKind within) {
    this.within = within;
    this.fields = -1;
  }

  private KeyKind(StructType type) {
    StructField[] all = type.fields();
    this.within = null;
    this.fields = all.length;
    HashSet several = new HashSet();
    for (int i = 0; i < all.length; i++) {
      Key key = new Key(all[i].name(), i, KeyKind.of(all[i].dataType()));
      met.put(key.name, key);
      if (folded.put(fold(key.name), key) != null) {
        several.add(fold(key.name));
      }
    }
    // Columns that differ in case alone are told apart by it.
    folded.keySet().removeAll(several);
  }

  /** The kind of a type; null if no key inside of it is a field. */
  public static KeyKind of(DataType type) {
    if (type instanceof StructType) {
      return new KeyKind((StructType) type);
    }
    if (type instanceof ArrayType) {
      return around(KeyKind.of(((ArrayType) type).elementType()));
    }
    return type instanceof MapType ? around(KeyKind.of(((MapType) type).valueType())) : null;
  }

  /** The kind of what stands at the top of a file: a document, or an array of them. */
  public static KeyKind ofDocuments(StructType columns) {
    KeyKind document = new KeyKind(columns);
    document.within = document;
    return document;
  }

  /** The kind of what holds values of a kind. */
  private static KeyKind around(KeyKind within) {
    return within == null ? null : new KeyKind(within);
  }

  /** The field that a key of a struct means, whatever its spelling; null if none. */
  public Key find(String spelled) {
    Key key = (Key) met.get(spelled);
    if (key == null) {
      key = (Key) folded.get(fold(spelled));
      key = key == null ? Key.NONE : key;
      if (met.size() < MOST_MET) {
        met.put(spelled, key);
      }
    }
    return key == Key.NONE ? null : key;
  }

  /** The kind of the elements of an array, or of the values of a map. */
  public KeyKind within() {
    return within;
  }

  private static String fold(String name) {
    return name.toLowerCase(Locale.ROOT);
  }
}
