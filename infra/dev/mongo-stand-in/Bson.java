import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.bson.BsonDecoder;
import de.bwaldvogel.mongo.wire.bson.BsonEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;

/** BSON of documents, as the server's wire protocol writes it. */
final class Bson {
  private static final int LARGEST_KEPT = 1 << 20;
  private static final ThreadLocal<ByteBuf> SCRATCH = ThreadLocal.withInitial(() -> Unpooled.buffer(4096));

  private Bson() {}

  static byte[] encode(Document document) {
    ByteBuf out = SCRATCH.get().clear();
    BsonEncoder.encodeDocument(document, out);
    byte[] bytes = new byte[out.readableBytes()];
    out.readBytes(bytes);
    if (out.capacity() > LARGEST_KEPT) SCRATCH.remove();
    return bytes;
  }

  /** Reads the document that stands at the buffer's position, and moves behind it. */
  static Document decode(ByteBuffer in) {
    ByteBuf bytes = Unpooled.wrappedBuffer(in);
    Document document = BsonDecoder.decodeBson(bytes);
    in.position(in.position() + bytes.readerIndex());
    return document;
  }
}
