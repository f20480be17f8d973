import de.bwaldvogel.mongo.backend.KeyValue;
import java.nio.ByteBuffer;
import org.h2.mvstore.WriteBuffer;
import org.h2.mvstore.type.BasicDataType;

/**
 * Keys of indexes: the values of the indexed fields, in MongoDB's order. The library's default serializes both keys to
 * compare them.
 */
final class IndexKeyType extends BasicDataType<KeyValue> {
  static final IndexKeyType INSTANCE = new IndexKeyType();

  @Override
  public int compare(KeyValue a, KeyValue b) {
    int shared = Math.min(a.size(), b.size());
    for (int index = 0; index < shared; index += 1) {
      int order = ValueOrder.compare(a.get(index), b.get(index));
      if (order != 0) return order;
    }
    return Integer.compare(a.size(), b.size());
  }

  @Override
  public int getMemory(KeyValue key) {
    int bytes = 64;
    for (int index = 0; index < key.size(); index += 1) bytes += IdType.INSTANCE.getMemory(key.get(index));
    return bytes;
  }

  @Override
  public void write(WriteBuffer out, KeyValue key) {
    out.put((byte) key.size());
    for (int index = 0; index < key.size(); index += 1) ValueFormat.write(out, key.get(index));
  }

  @Override
  public KeyValue read(ByteBuffer in) {
    Object[] values = new Object[in.get()];
    for (int index = 0; index < values.length; index += 1) values[index] = ValueFormat.read(in);
    return new KeyValue(values);
  }

  @Override
  public KeyValue[] createStorage(int size) {
    return new KeyValue[size];
  }
}
