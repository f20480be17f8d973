import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.BsonConstants;
import de.bwaldvogel.mongo.wire.bson.BsonDecoder;
import de.bwaldvogel.mongo.wire.bson.BsonEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Map;

/** BSON of documents, as the server's wire protocol writes it. */
final class Bson {
  private static final int LARGEST_KEPT = 1 << 20;
  private static final ThreadLocal<ByteBuf> SCRATCH = ThreadLocal.withInitial(() -> Unpooled.buffer(4096));

  private Bson() {}

  static byte[] encode(Document document) {
    ByteBuf out = SCRATCH.get().clear();
    write(document, out);
    byte[] bytes = new byte[out.readableBytes()];
    out.readBytes(bytes);
    if (out.capacity() > LARGEST_KEPT) SCRATCH.remove();
    return bytes;
  }

  /** Goes through the entries, where the library's encoder looks every field up by its name. */
  private static void write(Map<?, ?> document, ByteBuf out) {
    int start = out.writerIndex();
    out.writeIntLE(0);
    for (Map.Entry<?, ?> field : document.entrySet()) {
      byte type = BsonEncoder.determineType(field.getValue());
      out.writeByte(type);
      ByteBufUtil.writeUtf8(out, (String) field.getKey());
      out.writeByte(BsonConstants.STRING_TERMINATION);
      if (field.getValue() instanceof Map) write((Map<?, ?>) field.getValue(), out);
      else BsonEncoder.encodeValue(type, field.getValue(), out);
    }
    out.writeByte(BsonConstants.TERMINATING_BYTE);
    out.setIntLE(start, out.writerIndex() - start);
  }

  /** Reads the document that stands at the buffer's position, and moves behind it. */
  static Document decode(ByteBuffer in) {
    ByteBuf bytes = Unpooled.wrappedBuffer(in);
    Document document = BsonDecoder.decodeBson(bytes);
    in.position(in.position() + bytes.readerIndex());
    return document;
  }
}
