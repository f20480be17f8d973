import de.bwaldvogel.mongo.bson.Document;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.h2.mvstore.WriteBuffer;

/** Single values in keys. What keys are mostly made of has a short form; all else is a document of one field. */
final class ValueFormat {
  private static final byte DOCUMENT = 0;
  private static final byte NULL = 1;
  private static final byte STRING = 2;
  private static final byte DOUBLE = 3;
  private static final byte INSTANT = 4;
  private static final String FIELD = "";

  private ValueFormat() {}

  static void write(WriteBuffer out, Object value) {
    if (value == null) out.put(NULL);
    else if (value instanceof String) {
      byte[] text = ((String) value).getBytes(StandardCharsets.UTF_8);
      out.put(STRING).putInt(text.length).put(text);
    } else if (value instanceof Double) out.put(DOUBLE).putDouble((Double) value);
    else if (value instanceof Instant) out.put(INSTANT).putLong(((Instant) value).toEpochMilli());
    else out.put(DOCUMENT).put(Bson.encode(new Document(FIELD, value)));
  }

  static Object read(ByteBuffer in) {
    byte form = in.get();
    switch (form) {
      case NULL:
        return null;
      case STRING:
        byte[] text = new byte[in.getInt()];
        in.get(text);
        return new String(text, StandardCharsets.UTF_8);
      case DOUBLE:
        return in.getDouble();
      case INSTANT:
        return Instant.ofEpochMilli(in.getLong());
      case DOCUMENT:
        return Bson.decode(in).get(FIELD);
      default:
        throw new IllegalArgumentException("unknown form of a value: " + form);
    }
  }
}
