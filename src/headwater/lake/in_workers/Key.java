package headwater;

/** A field of a struct: its name, its place among the fields, and what keys in its value mean. */
public class Key {
  /** Stands for no field, where null stands for a key that was not looked at. */
  public static final Key NONE = new Key(null, -1, null);

  public final String name;
  public final int place;
  public final KeyKind kind;

  public Key(String name, int place, KeyKind kind) {
    this.name = name;
    this.place = place;
    this.kind = kind;
  }
}
