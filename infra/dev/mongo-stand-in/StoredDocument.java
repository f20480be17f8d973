import de.bwaldvogel.mongo.bson.Document;
import java.nio.ByteBuffer;

/**
 * A document as BSON: encoded once, when it is written, however often its page is, and decoded for the first who reads it.
 * Nobody may change what they read: readers share it.
 */
final class StoredDocument {
  private final byte[] bson;
  private Document document;

  StoredDocument(byte[] bson) {
    this.bson = bson;
  }

  static StoredDocument of(Document document) {
    return new StoredDocument(Bson.encode(document));
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
