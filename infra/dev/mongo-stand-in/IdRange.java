import de.bwaldvogel.mongo.bson.Document;
import java.util.Set;

/**
 * The ids between which a query finds anything, both inclusive; null where a side is open. Only of ids that are compared
 * with strings, as those of long collections are: every other query looks at all documents. The library finds a document by
 * its id where the query names nothing else.
 */
final class IdRange {
  private static final Set<String> FROM = Set.of("$gte", "$gt", "$eq");
  private static final Set<String> TO = Set.of("$lte", "$lt", "$eq");

  final Object first;
  final Object last;

  private IdRange(Object first, Object last) {
    this.first = first;
    this.last = last;
  }

  static IdRange of(Document query, String idField) {
    Object asked = idField == null ? null : query.get(idField);
    if (asked instanceof String) return new IdRange(asked, asked);
    String first = null;
    String last = null;
    if (asked instanceof Document) {
      for (var condition : ((Document) asked).entrySet()) {
        if (!(condition.getValue() instanceof String)) continue;
        String bound = (String) condition.getValue();
        if (FROM.contains(condition.getKey()) && (first == null || bound.compareTo(first) > 0)) first = bound;
        if (TO.contains(condition.getKey()) && (last == null || bound.compareTo(last) < 0)) last = bound;
      }
    }
    // Only a string is less than a string: what lies before the first one is of another type.
    return new IdRange(first == null && last != null ? "" : first, last);
  }

  /** Whether documents are asked for in the order in which they are stored. */
  static boolean isAscending(Document orderBy, String idField) {
    if (orderBy == null || idField == null || orderBy.size() != 1) return false;
    Object direction = orderBy.get(idField);
    return direction instanceof Number && ((Number) direction).intValue() == 1;
  }
}
