import de.bwaldvogel.mongo.MongoCollection;
import de.bwaldvogel.mongo.backend.AbstractUniqueIndex;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.KeyValue;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.bson.ObjectId;
import de.bwaldvogel.mongo.exception.DuplicateKeyError;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map.Entry;
import org.h2.mvstore.MVMap;

/** A unique index in a map of its own, with a short way for documents whose indexed fields hold plain values, as most do. */
final class UniqueIndex extends AbstractUniqueIndex<Object> {
  private final Storage storage;
  private final MVMap<KeyValue, Object> ids;
  private final String[] fields;
  private final boolean topLevel;

  UniqueIndex(String name, List<IndexKey> keys, boolean sparse, Storage storage, MVMap<KeyValue, Object> ids) {
    super(name, keys, sparse);
    this.storage = storage;
    this.ids = ids;
    this.fields = keys.stream().map(IndexKey::getKey).toArray(String[]::new);
    this.topLevel = keys.stream().noneMatch(key -> key.getKey().contains("."));
  }

  @Override
  public synchronized void checkAdd(Document document, MongoCollection<Object> collection) {
    KeyValue key = plainKey(document);
    if (key == null) super.checkAdd(document, collection);
    else if (ids.containsKey(key)) throw duplicate(key, collection);
  }

  /** Looks for the key once: the library does it again, and then once more to put it. */
  @Override
  public synchronized void add(Document document, Object id, MongoCollection<Object> collection) {
    KeyValue key = plainKey(document);
    if (key == null) super.add(document, id, collection);
    else if (!putKeyPosition(key, id)) throw duplicate(key, collection);
  }

  private DuplicateKeyError duplicate(KeyValue key, MongoCollection<Object> collection) {
    return new DuplicateKeyError(this, collection, getKeys(), key);
  }

  /** The key as the library normalizes it; null when a field is missing or holds something that needs more than a look. */
  private KeyValue plainKey(Document document) {
    if (!topLevel) return null;
    List<Object> values = new ArrayList<>(fields.length);
    for (String field : fields) {
      Object value = document.get(field);
      if (value instanceof Integer) values.add(((Integer) value).doubleValue());
      else if (value instanceof String || value instanceof Instant || value instanceof ObjectId) values.add(value);
      else return null;
    }
    return new KeyValue(values);
  }

  @Override
  protected boolean putKeyPosition(KeyValue key, Object id) {
    return storage.putNew(ids, key, id);
  }

  @Override
  protected Object removeDocument(KeyValue key) {
    return storage.remove(ids, key);
  }

  @Override
  protected Object getPosition(KeyValue key) {
    return ids.get(key);
  }

  @Override
  protected Iterable<Entry<KeyValue, Object>> getIterable() {
    return ids.entrySet();
  }

  @Override
  public long getCount() {
    return ids.sizeAsLong();
  }

  @Override
  public boolean isEmpty() {
    return ids.isEmpty();
  }

  @Override
  public long getDataSize() {
    return getCount();
  }
}
