import de.bwaldvogel.mongo.bson.Document;
import java.nio.ByteBuffer;

/**
 * A document with its BSON: encoded once, when it is written, however often its page is. Nobody may change the document:
 * readers share it.
 */
final class StoredDocument {
  private final byte[] bson;
  private Document document;

  private StoredDocument(byte[] bson, Document document) {
    this.bson = bson;
    this.document = document;
  }

  static StoredDocument of(Document document) {
    return new StoredDocument(Bson.encode(document), document);
  }

  static StoredDocument read(byte[] bson) {
    return new StoredDocument(bson, null);
  }

  /** Two threads may both decode it: either result will do. */
  Document document() {
    Document known = document;
    if (known == null) {
      known = Bson.decode(ByteBuffer.wrap(bson));
      document = known;
    }
    return known;
  }

  byte[] bson() {
    return bson;
  }
}
