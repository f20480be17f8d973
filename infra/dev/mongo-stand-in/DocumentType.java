import java.nio.ByteBuffer;
import org.h2.mvstore.WriteBuffer;
import org.h2.mvstore.type.BasicDataType;

/** Documents as BSON, which begins with its own length. */
final class DocumentType extends BasicDataType<StoredDocument> {
  static final DocumentType INSTANCE = new DocumentType();

  @Override
  public int getMemory(StoredDocument document) {
    return 64 + document.bson().length;
  }

  @Override
  public void write(WriteBuffer out, StoredDocument document) {
    out.put(document.bson());
  }

  @Override
  public StoredDocument read(ByteBuffer in) {
    byte[] bson = new byte[Integer.reverseBytes(in.getInt(in.position()))];
    in.get(bson);
    return new StoredDocument(bson);
  }

  @Override
  public StoredDocument[] createStorage(int size) {
    return new StoredDocument[size];
  }
}
