import de.bwaldvogel.mongo.MongoDatabase;
import de.bwaldvogel.mongo.backend.AbstractSynchronizedMongoCollection;
import de.bwaldvogel.mongo.backend.ArrayFilters;
import de.bwaldvogel.mongo.backend.CollectionOptions;
import de.bwaldvogel.mongo.backend.CursorRegistry;
import de.bwaldvogel.mongo.backend.DocumentWithPosition;
import de.bwaldvogel.mongo.backend.Index;
import de.bwaldvogel.mongo.backend.Missing;
import de.bwaldvogel.mongo.backend.QueryResult;
import de.bwaldvogel.mongo.backend.Utils;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.oplog.Oplog;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;

/**
 * A collection in a map of its own. Every command that writes is one change of the storage. The library updates the document
 * that a query found, while others may be reading it: here an update is given a copy.
 */
final class StandInCollection extends AbstractSynchronizedMongoCollection<Object> {
  private final Storage storage;
  private final MVMap<Object, StoredDocument> documents;
  private boolean updating;

  StandInCollection(MongoDatabase database, String name, CollectionOptions options, CursorRegistry cursors, Storage storage) {
    super(database, name, options, cursors);
    this.storage = storage;
    this.documents = storage.documents(getFullName());
  }

  @Override
  public synchronized void addDocument(Document document) {
    change(() -> super.addDocument(document));
  }

  @Override
  public synchronized void addDocuments(Stream<Document> added) {
    change(() -> super.addDocuments(added));
  }

  @Override
  public synchronized List<Document> insertDocuments(List<Document> inserted, boolean isOrdered) {
    return storage.change(() -> super.insertDocuments(inserted, isOrdered));
  }

  @Override
  public synchronized void removeDocument(Document document) {
    change(() -> super.removeDocument(document));
  }

  @Override
  public synchronized int deleteDocuments(Document selector, int limit, Oplog oplog) {
    return storage.change(() -> super.deleteDocuments(selector, limit, oplog));
  }

  @Override
  public synchronized Document updateDocuments(
      Document selector, Document update, ArrayFilters filters, boolean isMulti, boolean isUpsert, Oplog oplog) {
    return update(() -> super.updateDocuments(selector, update, filters, isMulti, isUpsert, oplog));
  }

  @Override
  public synchronized Document findAndModify(Document query) {
    return update(() -> super.findAndModify(query));
  }

  @Override
  public synchronized void addIndex(Index<Object> index) {
    change(() -> super.addIndex(index));
  }

  private void change(Runnable work) {
    storage.change(() -> {
      work.run();
      return null;
    });
  }

  private Document update(Supplier<Document> work) {
    updating = true;
    try {
      return storage.change(work);
    } finally {
      updating = false;
    }
  }

  @Override
  protected QueryResult createQueryResult(List<Document> found, int batchSize) {
    if (!updating) return super.createQueryResult(found, batchSize);
    return super.createQueryResult(found.stream().map(Document::cloneDeeply).collect(Collectors.toList()), batchSize);
  }

  @Override
  protected Object addDocumentInternal(Document document) {
    Object id = getIdField() == null ? UUID.randomUUID() : Utils.getSubdocumentValue(document, getIdField());
    Object key = Missing.ofNullable(id);
    if (!storage.putNew(documents, key, StoredDocument.of(document))) {
      throw new IllegalStateException("a document with id " + key + " is in " + this + " and not in its index");
    }
    return key;
  }

  @Override
  protected void handleUpdate(Object id, Document oldDocument, Document newDocument) {
    storage.put(documents, Missing.ofNullable(id), StoredDocument.of(newDocument));
  }

  @Override
  protected void removeDocument(Object id) {
    if (storage.remove(documents, id) == null) throw new NoSuchElementException("no document with id " + id);
  }

  @Override
  protected Document getDocument(Object id) {
    StoredDocument stored = documents.get(id);
    return stored == null ? null : stored.document();
  }

  @Override
  protected Stream<DocumentWithPosition<Object>> streamAllDocumentsWithPosition() {
    return documents.entrySet().stream()
        .map(entry -> new DocumentWithPosition<>(entry.getValue().document(), entry.getKey()));
  }

  @Override
  protected QueryResult matchDocuments(
      Document query, Document orderBy, int skip, int limit, int batchSize, Document fields) {
    if (isNaturalDescending(orderBy)) {
      Stream<Document> latestFirst = streamAllDocumentsWithPosition()
          .sorted((a, b) -> ValueOrder.compare(b.getPosition(), a.getPosition()))
          .map(DocumentWithPosition::getDocument);
      return matchDocumentsFromStream(latestFirst, query, orderBy, skip, limit, batchSize, fields);
    }
    Stream<Document> inOrderOfId = documentsIn(IdRange.of(query, getIdField()));
    Document order = IdRange.isAscending(orderBy, getIdField()) ? null : orderBy;
    return matchDocumentsFromStream(inOrderOfId, query, order, skip, limit, batchSize, fields);
  }

  /** The map is sorted by id: what lies beside the range is not even read. */
  private Stream<Document> documentsIn(IdRange range) {
    Cursor<Object, StoredDocument> cursor = documents.cursor(range.first, range.last, false);
    Spliterator<Object> ids = Spliterators.spliteratorUnknownSize(cursor, Spliterator.ORDERED | Spliterator.NONNULL);
    return StreamSupport.stream(ids, false).map(id -> cursor.getValue().document());
  }

  @Override
  public int count() {
    return documents.size();
  }

  @Override
  public boolean isEmpty() {
    return documents.isEmpty();
  }

  @Override
  protected int getDataSize() {
    return (int) Math.min(Integer.MAX_VALUE, documents.values().stream().mapToLong(stored -> stored.bson().length).sum());
  }

  /** The size is added up when somebody asks: a counter would be one more write for each document. */
  @Override
  protected boolean tracksDataSize() {
    return false;
  }

  @Override
  protected void updateDataSize(int sizeDelta) {
    throw new UnsupportedOperationException("the size is not tracked");
  }
}
