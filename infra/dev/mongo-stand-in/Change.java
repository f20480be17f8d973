import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.WriteBuffer;

/**
 * What one thread changes in one go, and its record in the journal: for each map its name and the entries put or removed, in
 * order. Doing a record again changes nothing, so it does no harm when the file has some of it already.
 */
final class Change {
  private static final byte PUT = 1;
  private static final byte REMOVE = 2;
  private static final byte DROP_MAP = 3;
  private static final byte END = 0;

  private final Map<String, WriteBuffer> entries = new LinkedHashMap<>();
  private final Map<Integer, String> names = new LinkedHashMap<>();
  private boolean open;
  /** In the journal, of the last change. */
  long position;

  boolean isOpen() {
    return open;
  }

  void begin() {
    open = true;
  }

  <K, V> void put(MVMap<K, V> map, K key, V value) {
    WriteBuffer out = entriesOf(map).put(PUT);
    map.getKeyType().write(out, key);
    map.getValueType().write(out, value);
  }

  <K, V> void remove(MVMap<K, V> map, K key) {
    map.getKeyType().write(entriesOf(map).put(REMOVE), key);
  }

  void drop(String name) {
    entriesOf(name).put(DROP_MAP);
  }

  /** @return the record; null when nothing was changed */
  ByteBuffer end(MVStore store) {
    open = false;
    if (entries.isEmpty()) return null;
    WriteBuffer record = new WriteBuffer();
    entries.forEach((name, out) -> {
      byte[] text = name.getBytes(StandardCharsets.UTF_8);
      record.putInt(text.length).put(text);
      record.put(out.put(END).getBuffer().flip());
    });
    entries.clear();
    names.clear();
    return record.getBuffer().flip();
  }

  private WriteBuffer entriesOf(MVMap<?, ?> map) {
    return entriesOf(names.computeIfAbsent(map.getId(), id -> map.getName()));
  }

  private WriteBuffer entriesOf(String name) {
    if (!open) throw new IllegalStateException(name + " is changed outside of a change");
    return entries.computeIfAbsent(name, any -> new WriteBuffer(1024));
  }

  static void redo(ByteBuffer record, Storage storage) {
    while (record.hasRemaining()) {
      byte[] name = new byte[record.getInt()];
      record.get(name);
      redo(new String(name, StandardCharsets.UTF_8), record, storage);
    }
  }

  private static void redo(String name, ByteBuffer record, Storage storage) {
    for (byte operation = record.get(); operation != END; operation = record.get()) {
      if (operation == DROP_MAP) storage.remove(name);
      else redo(operation, storage.open(name), record);
    }
  }

  private static <K, V> void redo(byte operation, MVMap<K, V> map, ByteBuffer record) {
    K key = map.getKeyType().read(record);
    if (operation == PUT) map.put(key, map.getValueType().read(record));
    else map.remove(key);
  }
}
