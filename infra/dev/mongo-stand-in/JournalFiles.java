import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * The journal's files beside the data file, numbered in the order they were written. A record is its length, its CRC-32C
 * and its bytes.
 */
final class JournalFiles {
  static final int HEADER_BYTES = 8;
  private final Path dataFile;

  JournalFiles(Path dataFile) {
    this.dataFile = dataFile.toAbsolutePath();
  }

  Path path(long number) {
    return dataFile.resolveSibling(prefix() + number);
  }

  /** All there are, the oldest first. */
  SortedMap<Long, Path> list() throws IOException {
    SortedMap<Long, Path> found = new TreeMap<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(dataFile.getParent(), prefix() + "*")) {
      for (Path file : files) found.put(Long.parseLong(file.getFileName().toString().substring(prefix().length())), file);
    }
    return found;
  }

  void deleteUpTo(long number) throws IOException {
    for (Path file : list().headMap(number + 1).values()) Files.delete(file);
  }

  static int checksum(ByteBuffer record) {
    CRC32C crc = new CRC32C();
    crc.update(record.duplicate());
    return (int) crc.getValue();
  }

  /** Reads the records up to the first that is not whole: its writer was killed before it could acknowledge it. */
  static void read(Path file, Consumer<ByteBuffer> record) throws IOException {
    ByteBuffer in = ByteBuffer.wrap(Files.readAllBytes(file));
    while (in.remaining() >= HEADER_BYTES) {
      int length = in.getInt();
      int checksum = in.getInt();
      if (length <= 0 || length > in.remaining()) return;
      ByteBuffer bytes = in.slice().limit(length).slice();
      if (checksum(bytes) != checksum) return;
      record.accept(bytes);
      in.position(in.position() + length);
    }
  }

  private String prefix() {
    return dataFile.getFileName() + ".journal-";
  }
}
