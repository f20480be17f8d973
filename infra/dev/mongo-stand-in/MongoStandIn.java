import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.h2.mvstore.MVStore;

/**
 * Serves the MongoDB protocol from one H2 file, for machines where no mongod can be had.
 * Usage: MongoStandIn DATA_FILE HOST PORT
 */
public final class MongoStandIn {
  /** The driver refuses servers below wire version 9; the commands it needs are all answered. */
  private static final class ReportedVersion implements MongoVersion {
    @Override
    public List<Integer> getVersionArray() {
      return List.of(7, 0, 0);
    }

    @Override
    public int getWireVersion() {
      return 21;
    }
  }

  public static void main(String[] args) throws Exception {
    if (args.length != 3) {
      System.err.println("usage: MongoStandIn DATA_FILE HOST PORT");
      System.exit(2);
    }
    MVStore store = new MVStore.Builder().fileName(args[0]).autoCommitBufferSize(1024).open();
    // A killed process loses what was not yet committed: keep that window short.
    store.setAutoCommitDelay(200);
    H2Backend backend = new H2Backend(store);
    backend.version(new ReportedVersion());
    MongoServer server = new MongoServer(backend);
    server.bind(args[1], Integer.parseInt(args[2]));
    CountDownLatch stopped = new CountDownLatch(1);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      server.shutdown();
      if (!store.isClosed()) store.close();
      stopped.countDown();
    }));
    System.out.println("serving " + args[0] + " on " + args[1] + ":" + args[2]);
    stopped.await();
  }
}
