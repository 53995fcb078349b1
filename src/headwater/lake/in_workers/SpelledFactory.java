package headwater;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.ObjectCodec;
import com.fasterxml.jackson.core.io.IOContext;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;

/** Makes parsers like another one, with the keys of structs spelled as their fields are. */
public class SpelledFactory extends JsonFactory {
  private final KeyKind root;
  private final boolean caseCounts;

  public SpelledFactory(JsonFactory plain, KeyKind root, boolean caseCounts) {
    super(plain, (ObjectCodec) null);
    this.root = root;
    this.caseCounts = caseCounts;
  }

  protected JsonParser _createParser(InputStream from, IOContext context) throws IOException {
    return spelled(super._createParser(from, context));
  }

  protected JsonParser _createParser(Reader from, IOContext context) throws IOException {
    return spelled(super._createParser(from, context));
  }

  protected JsonParser _createParser(
      char[] from, int start, int length, IOContext context, boolean recyclable)
      throws IOException {
    return spelled(super._createParser(from, start, length, context, recyclable));
  }

  protected JsonParser _createParser(byte[] from, int start, int length, IOContext context)
      throws IOException {
    return spelled(super._createParser(from, start, length, context));
  }

  private JsonParser spelled(JsonParser plain) {
    return new SpelledParser(plain, root, caseCounts);
  }
}
