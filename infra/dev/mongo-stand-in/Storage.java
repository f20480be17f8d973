import de.bwaldvogel.mongo.backend.KeyValue;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;

/**
 * The maps of one H2 file, and a journal that makes each change to them durable and whole: a document and its index entries
 * are all there after a crash, or none. The file is written from time to time, never with half a change in it; what the
 * journal holds beyond it is done again at the next start.
 */
final class Storage {
  /** Of the file's contents. Files of version 0 hold Java serialization, of version 1 other keys. */
  private static final int FORMAT = 2;
  private static final String DOCUMENTS = "documents.";
  private static final String INDEX = "index.";
  private static final int CACHE_MIB = 12;
  private static final int FILL_PERCENT = 60;
  private static final int COMPACTED_AT_ONCE = 2 << 20;

  private final MVStore store;
  private final JournalFiles files;
  private final Journal journal;
  private final ReadWriteLock lock = new ReentrantReadWriteLock();
  private final ThreadLocal<Change> current = ThreadLocal.withInitial(Change::new);

  /** @throws IllegalStateException for a file of another format */
  Storage(Path file) throws IOException {
    // It commits when told to only: on its own it would in the middle of a change.
    store = new MVStore.Builder().fileName(file.toString()).autoCommitDisabled().autoCommitBufferSize(0)
        .cacheSize(CACHE_MIB).open();
    refuseOtherFormats(file);
    files = new JournalFiles(file);
    SortedMap<Long, Path> old = files.list();
    for (Path each : old.values()) JournalFiles.read(each, record -> Change.redo(record, this));
    store.commit();
    store.sync();
    long last = old.isEmpty() ? 0 : old.lastKey();
    files.deleteUpTo(last);
    journal = new Journal(files, last + 1);
  }

  private void refuseOtherFormats(Path file) {
    int format = store.getStoreVersion();
    if (format == 0 && store.getMapNames().isEmpty()) store.setStoreVersion(FORMAT);
    else if (format != FORMAT) {
      store.closeImmediately();
      throw new IllegalStateException(file + " was written by another version of the stand-in: move it away to begin anew");
    }
  }

  MVMap<Object, StoredDocument> documents(String namespace) {
    return openDocuments(DOCUMENTS + namespace);
  }

  MVMap<KeyValue, Object> index(String namespace, String name) {
    return openIndex(indexName(namespace, name));
  }

  /** Opens a map with the types that its name says. */
  MVMap<?, ?> open(String name) {
    return name.startsWith(DOCUMENTS) ? openDocuments(name) : openIndex(name);
  }

  private MVMap<Object, StoredDocument> openDocuments(String name) {
    return store.openMap(
        name, new MVMap.Builder<Object, StoredDocument>().keyType(IdType.INSTANCE).valueType(DocumentType.INSTANCE));
  }

  private MVMap<KeyValue, Object> openIndex(String name) {
    return store.openMap(
        name, new MVMap.Builder<KeyValue, Object>().keyType(IndexKeyType.INSTANCE).valueType(IdType.INSTANCE));
  }

  /** Namespaces that have documents, or had. */
  Iterable<String> namespaces() {
    return () -> store.getMapNames().stream()
        .filter(name -> name.startsWith(DOCUMENTS))
        .map(name -> name.substring(DOCUMENTS.length()))
        .iterator();
  }

  void dropDocuments(String namespace) {
    drop(DOCUMENTS + namespace);
  }

  void dropIndex(String namespace, String name) {
    drop(indexName(namespace, name));
  }

  private static String indexName(String namespace, String name) {
    return INDEX + namespace + "/" + name;
  }

  private void drop(String name) {
    change(() -> {
      if (store.hasMap(name)) {
        current.get().drop(name);
        remove(name);
      }
      return null;
    });
  }

  void remove(String name) {
    if (store.hasMap(name)) store.removeMap(open(name));
  }

  /** Does work that changes maps: after a crash all of that is there or nothing. Call it under the lock of what is changed. */
  <R> R change(Supplier<R> work) {
    Change change = current.get();
    if (change.isOpen()) return work.get();
    lock.readLock().lock();
    try {
      change.begin();
      try {
        return work.get();
      } finally {
        // An error leaves what was done before it, as in the maps.
        ByteBuffer record = change.end(store);
        if (record != null) change.position = journal.append(record);
      }
    } finally {
      lock.readLock().unlock();
    }
  }

  <K, V> V put(MVMap<K, V> map, K key, V value) {
    V previous = map.put(key, value);
    current.get().put(map, key, value);
    return previous;
  }

  /** False when the key is there already. */
  <K, V> boolean putNew(MVMap<K, V> map, K key, V value) {
    if (map.putIfAbsent(key, value) != null) return false;
    current.get().put(map, key, value);
    return true;
  }

  <K, V> V remove(MVMap<K, V> map, K key) {
    V previous = map.remove(key);
    if (previous != null) current.get().remove(map, key);
    return previous;
  }

  /** Position in the journal of what this thread last changed since it last asked; 0 for nothing. */
  long takePosition() {
    Change change = current.get();
    long position = change.position;
    change.position = 0;
    return position;
  }

  void whenDurable(long position, Runnable action) {
    journal.whenDurable(position, action);
  }

  long journalBytes() {
    return journal.bytes();
  }

  long fileBytes() {
    return store.getFileStore().size();
  }

  /** Brings the file up to date and forgets the journal up to here. Changes wait while it is written, not while it is synced. */
  void checkpoint() throws IOException {
    long complete;
    lock.writeLock().lock();
    try {
      complete = journal.rotate();
      store.commit();
      store.compact(FILL_PERCENT, COMPACTED_AT_ONCE);
    } finally {
      lock.writeLock().unlock();
    }
    store.sync();
    files.deleteUpTo(complete);
  }

  void close() throws IOException {
    lock.writeLock().lock();
    // Kept: nothing may be changed any more.
    long complete = journal.rotate();
    store.close();
    files.deleteUpTo(complete + 1);
  }
}
