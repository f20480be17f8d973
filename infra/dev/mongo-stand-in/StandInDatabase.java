import de.bwaldvogel.mongo.MongoCollection;
import de.bwaldvogel.mongo.MongoDatabase;
import de.bwaldvogel.mongo.backend.AbstractSynchronizedMongoDatabase;
import de.bwaldvogel.mongo.backend.CollectionOptions;
import de.bwaldvogel.mongo.backend.CursorRegistry;
import de.bwaldvogel.mongo.backend.Index;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.exception.MongoServerException;
import de.bwaldvogel.mongo.oplog.Oplog;
import java.util.List;

/** A database: which collection and which index is in which map. */
final class StandInDatabase extends AbstractSynchronizedMongoDatabase<Object> {
  private final Storage storage;

  StandInDatabase(String name, Storage storage, CursorRegistry cursors) {
    super(name, cursors);
    this.storage = storage;
    initializeNamespacesAndIndexes();
  }

  @Override
  protected MongoCollection<Object> openOrCreateCollection(String name, CollectionOptions options) {
    return new StandInCollection(this, name, options, cursorRegistry, storage);
  }

  @Override
  protected Index<Object> openOrCreateUniqueIndex(String collection, String name, List<IndexKey> keys, boolean sparse) {
    return new UniqueIndex(name, keys, sparse, storage, storage.index(getFullCollectionNamespace(collection), name));
  }

  @Override
  protected void dropIndex(MongoCollection<Object> collection, String name) {
    super.dropIndex(collection, name);
    storage.dropIndex(collection.getFullName(), name);
  }

  @Override
  public void dropCollection(String name, Oplog oplog) {
    super.dropCollection(name, oplog);
    storage.dropDocuments(getFullCollectionNamespace(name));
  }

  @Override
  public void moveCollection(MongoDatabase from, MongoCollection<?> collection, String newName) {
    throw new MongoServerException("the stand-in does not rename collections");
  }

  @Override
  protected long getStorageSize() {
    return storage.fileBytes();
  }

  @Override
  protected long getFileSize() {
    return storage.fileBytes();
  }
}
