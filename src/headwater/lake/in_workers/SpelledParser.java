package headwater;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.JsonTokenId;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import java.io.IOException;
import java.util.Arrays;

/**
 * Documents as another parser reads them, with the keys of structs spelled as their fields are.
 *
 * Law: of the keys of one object at most one becomes a given field. Where case does not count, two
 * spellings of it are an error; where it does, the field's own one counts.
 */
public class SpelledParser extends JsonParserDelegate {
  private final KeyKind root;
  private final boolean caseCounts;

  // Of the objects and arrays that are open, from the outermost.
  private int depth = 0;
  private boolean[] objects = new boolean[16];
  private KeyKind[] kinds = new KeyKind[16];
  private String[][] spellings = new String[16][];

  /** The kind of the value behind the key at hand. */
  private KeyKind next = null;

  /** The field that the key at hand means; null if its own spelling counts. */
  private String field = null;

  /** Why the document is refused; null if it is not. */
  private RuntimeException refusal = null;

  public SpelledParser(JsonParser plain, KeyKind root, boolean caseCounts) {
    super(plain);
    this.root = root;
    this.caseCounts = caseCounts;
  }

  public JsonToken nextToken() throws IOException {
    goOn();
    JsonToken token = delegate.nextToken();
    field = null;
    while (token == JsonToken.FIELD_NAME && !reads()) {
      delegate.nextToken();
      delegate.skipChildren();
      token = delegate.nextToken();
    }
    switch (token == null ? JsonTokenId.ID_NO_TOKEN : token.id()) {
      case JsonTokenId.ID_START_OBJECT:
        open(true);
        break;
      case JsonTokenId.ID_START_ARRAY:
        open(false);
        break;
      case JsonTokenId.ID_END_OBJECT:
      case JsonTokenId.ID_END_ARRAY:
        depth--;
        break;
      default:
        break;
    }
    return token;
  }

  public JsonParser skipChildren() throws IOException {
    goOn();
    JsonToken token = delegate.currentToken();
    delegate.skipChildren();
    if (token != null && token.isStructStart()) {
      depth--;
    }
    return this;
  }

  public String currentName() throws IOException {
    return field == null ? delegate.currentName() : field;
  }

  public String getCurrentName() throws IOException {
    return currentName();
  }

  private void open(boolean object) {
    if (depth == kinds.length) {
      objects = Arrays.copyOf(objects, 2 * depth);
      kinds = (KeyKind[]) Arrays.copyOf(kinds, 2 * depth);
      spellings = (String[][]) Arrays.copyOf(spellings, 2 * depth);
    }
    KeyKind kind = kind();
    objects[depth] = object;
    kinds[depth] = kind;
    if (object && kind != null && kind.fields >= 0) {
      String[] before = spellings[depth];
      if (before != null && before.length == kind.fields) {
        Arrays.fill(before, null);
      } else {
        spellings[depth] = new String[kind.fields];
      }
    }
    depth++;
  }

  /** The kind of a value that begins here. */
  private KeyKind kind() {
    if (depth == 0) {
      return root;
    }
    if (objects[depth - 1]) {
      return next;
    }
    return kinds[depth - 1] == null ? null : kinds[depth - 1].within();
  }

  /** Whether anybody reads the value of the key at hand: it is data, or means a field. */
  private boolean reads() throws IOException {
    KeyKind kind = kinds[depth - 1];
    if (kind == null || kind.fields < 0) {
      next = kind == null ? null : kind.within();
      return true;
    }
    String given = delegate.currentName();
    Key key = kind.find(given);
    if (key == null || !counts(given, key)) {
      return false;
    }
    spellings[depth - 1][key.place] = given;
    field = key.name;
    next = key.kind;
    return true;
  }

  /** Whether a key counts, by the spellings of the same one in this object before. */
  private boolean counts(String given, Key key) {
    String before = spellings[depth - 1][key.place];
    if (before == null || before.equals(given)) {
      return true;
    }
    if (caseCounts && given.equals(key.name)) {
      return true;
    }
    if (caseCounts && before.equals(key.name)) {
      return false;
    }
    refusal =
        new IllegalArgumentException(
            "one of its JSON documents spells a key both as '"
                + before
                + "' and as '"
                + given
                + "'");
    throw refusal;
  }

  /** Spark passes over what it cannot read inside of a value, and then says something else. */
  private void goOn() {
    if (refusal != null) {
      throw refusal;
    }
  }
}
