import de.bwaldvogel.mongo.backend.ValueComparator;
import java.time.Instant;

/**
 * MongoDB's order of values. What most keys are made of is compared directly: the library's own comparator looks long for
 * their type.
 */
final class ValueOrder {
  private ValueOrder() {}

  static int compare(Object a, Object b) {
    if (a == b) return 0;
    if (a instanceof String && b instanceof String) return ((String) a).compareTo((String) b);
    if (a instanceof Double && b instanceof Double) return ((Double) a).compareTo((Double) b);
    if (a instanceof Instant && b instanceof Instant) return ((Instant) a).compareTo((Instant) b);
    return ValueComparator.ascWithoutListHandling().compare(a, b);
  }
}
