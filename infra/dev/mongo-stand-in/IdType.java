import de.bwaldvogel.mongo.backend.Missing;
import de.bwaldvogel.mongo.bson.Document;
import java.nio.ByteBuffer;
import org.h2.mvstore.WriteBuffer;
import org.h2.mvstore.type.BasicDataType;

/** Ids of documents: any value that BSON has. Stored as a document of one field; the library's default is Java serialization. */
final class IdType extends BasicDataType<Object> {
  static final IdType INSTANCE = new IdType();
  private static final String FIELD = "";

  @Override
  public int compare(Object a, Object b) {
    return ValueOrder.compare(a, b);
  }

  @Override
  public int getMemory(Object id) {
    return id instanceof String ? 48 + 2 * ((String) id).length() : 100;
  }

  @Override
  public void write(WriteBuffer out, Object id) {
    out.put(Bson.encode(new Document(FIELD, id instanceof Missing ? null : id)));
  }

  @Override
  public Object read(ByteBuffer in) {
    return Missing.ofNullable(Bson.decode(in).get(FIELD));
  }

  @Override
  public Object[] createStorage(int size) {
    return new Object[size];
  }
}
