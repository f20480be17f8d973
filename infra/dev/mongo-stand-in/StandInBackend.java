import de.bwaldvogel.mongo.MongoDatabase;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.AbstractMongoBackend;
import de.bwaldvogel.mongo.backend.QueryResult;
import de.bwaldvogel.mongo.backend.Utils;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerException;
import de.bwaldvogel.mongo.wire.message.MongoQuery;
import io.netty.channel.Channel;
import java.util.List;

/**
 * All databases of a storage. What a command changed is durable before it is answered, as write concern `majority` has it;
 * a command that asks for `w: 1` and no journal is answered at once, as by mongod.
 */
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
  private final Authentication authentication;

  StandInBackend(Storage storage, Authentication authentication) {
    this.storage = storage;
    this.authentication = authentication;
    version(new ReportedVersion());
    for (String namespace : storage.namespaces()) resolveDatabase(Utils.firstFragment(namespace));
  }

  @Override
  protected MongoDatabase openOrCreateDatabase(String name) {
    return new StandInDatabase(name, storage, getCursorRegistry());
  }

  @Override
  public Document handleCommand(Channel channel, String databaseName, String command, Document query) {
    Document answer = authentication.answer(channel, databaseName, command, query);
    if (answer != null) return answer;
    storage.takePosition();
    try {
      answer = super.handleCommand(channel, databaseName, command, query);
      return Authentication.addMechanisms(query, answer);
    } finally {
      long position = storage.takePosition();
      if (isToBeDurable(query)) DurableReplies.holdNext(channel, storage, position);
    }
  }

  /** Queries of the old protocol, which are no commands. */
  @Override
  public QueryResult handleQuery(MongoQuery query) {
    authentication.require(query.getChannel());
    return super.handleQuery(query);
  }

  /** The old protocol asks for it past the commands, where nobody knows which connection asks. */
  @Override
  public Document getServerStatus() {
    throw new MongoServerException("the stand-in tells no status");
  }

  private static boolean isToBeDurable(Document query) {
    Object concern = query.get("writeConcern");
    if (!(concern instanceof Document)) return true;
    Object members = ((Document) concern).getOrDefault("w", "majority");
    boolean isOne = members instanceof Number && ((Number) members).intValue() <= 1;
    return !isOne || Utils.isTrue(((Document) concern).get("j"));
  }
}
