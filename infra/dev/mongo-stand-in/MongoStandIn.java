import de.bwaldvogel.mongo.MongoServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * Serves the MongoDB protocol from one H2 file and its journal, for machines where no mongod can be had.
 * Usage: MongoStandIn DATA_FILE HOST PORT, with the name and the password of its one user in the variables
 * MONGO_STAND_IN_USER and MONGO_STAND_IN_PASSWORD.
 */
public final class MongoStandIn {
  private MongoStandIn() {}

  public static void main(String[] args) throws Exception {
    String user = System.getenv("MONGO_STAND_IN_USER");
    String password = System.getenv("MONGO_STAND_IN_PASSWORD");
    if (args.length != 3 || user == null || password == null || password.length() < 32) {
      System.err.println("usage: MongoStandIn DATA_FILE HOST PORT, and a user with a password of at least 32 characters");
      System.exit(2);
    }
    Storage storage = open(Path.of(args[0]));
    Checkpoints checkpoints = new Checkpoints(storage);
    MongoServer server = new MongoServer(new StandInBackend(storage, new Authentication(user, password)));
    server.bind(args[1], Integer.parseInt(args[2]));
    CountDownLatch stopped = new CountDownLatch(1);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      server.shutdown();
      close(storage, checkpoints);
      stopped.countDown();
    }));
    System.out.println("serving " + args[0] + " on " + args[1] + ":" + args[2]);
    stopped.await();
  }

  private static Storage open(Path file) throws IOException {
    try {
      return new Storage(file);
    } catch (IllegalStateException refused) {
      System.err.println(refused.getMessage());
      System.exit(3);
      throw refused;
    }
  }

  private static void close(Storage storage, Checkpoints checkpoints) {
    try {
      checkpoints.stop();
      storage.close();
    } catch (IOException | InterruptedException problem) {
      System.err.println("the data file could not be closed: " + problem);
    }
  }
}
