import de.bwaldvogel.mongo.MongoDatabase;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.AbstractMongoBackend;
import de.bwaldvogel.mongo.backend.Utils;
import de.bwaldvogel.mongo.bson.Document;
import io.netty.channel.Channel;
import java.util.List;

/** All databases of a storage. What a command changed is durable before it is answered, as write concern `majority` has it. */
final class StandInBackend extends AbstractMongoBackend {
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

  private final Storage storage;

  StandInBackend(Storage storage) {
    this.storage = storage;
    version(new ReportedVersion());
    for (String namespace : storage.namespaces()) resolveDatabase(Utils.firstFragment(namespace));
  }

  @Override
  protected MongoDatabase openOrCreateDatabase(String name) {
    return new StandInDatabase(name, storage, getCursorRegistry());
  }

  @Override
  public Document handleCommand(Channel channel, String databaseName, String command, Document query) {
    storage.takePosition();
    try {
      return super.handleCommand(channel, databaseName, command, query);
    } finally {
      DurableReplies.holdNext(channel, storage, storage.takePosition());
    }
  }
}
