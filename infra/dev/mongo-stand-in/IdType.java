import de.bwaldvogel.mongo.backend.Missing;
import java.nio.ByteBuffer;
import org.h2.mvstore.WriteBuffer;
import org.h2.mvstore.type.BasicDataType;

/** Ids of documents: any value that BSON has. The library's default is Java serialization. */
final class IdType extends BasicDataType<Object> {
  static final IdType INSTANCE = new IdType();

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
    ValueFormat.write(out, id instanceof Missing ? null : id);
  }

  @Override
  public Object read(ByteBuffer in) {
    return Missing.ofNullable(ValueFormat.read(in));
  }

  @Override
  public Object[] createStorage(int size) {
    return new Object[size];
  }
}
