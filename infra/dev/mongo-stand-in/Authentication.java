import de.bwaldvogel.mongo.backend.Utils;
import de.bwaldvogel.mongo.bson.BinData;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerError;
import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * SCRAM-SHA-256 (RFC 5802, RFC 7677) for the one user of the stand-in. A connection that has not shown that it knows the
 * password is answered what a driver needs for that, and nothing else.
 */
final class Authentication {
  private static final String MECHANISM = "SCRAM-SHA-256";
  /** The fewest that drivers accept: the password is random and cannot be found by trying. */
  private static final int ITERATIONS = 4096;
  private static final Set<String> OPEN = Set.of("hello", "ismaster", "ping");
  private static final AttributeKey<Exchange> EXCHANGE = AttributeKey.valueOf("exchange");
  private static final AttributeKey<Boolean> AUTHENTICATED = AttributeKey.valueOf("authenticated");

  /** What the server remembers between the two messages of a client. */
  private static final class Exchange {
    final String channelBinding;
    final String user;
    final String nonce;
    /** The first message of each side, as both sign them. */
    final String signed;

    Exchange(String channelBinding, String user, String nonce, String signed) {
      this.channelBinding = channelBinding;
      this.user = user;
      this.nonce = nonce;
      this.signed = signed;
    }
  }

  private final SecureRandom random = new SecureRandom();
  private final String user;
  private final byte[] salt = new byte[28];
  private final byte[] storedKey;
  private final byte[] serverKey;

  Authentication(String user, String password) throws GeneralSecurityException {
    this.user = user;
    random.nextBytes(salt);
    PBEKeySpec spec = new PBEKeySpec(password.toCharArray(), salt, ITERATIONS, 256);
    byte[] salted = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded();
    storedKey = hash(hmac(salted, "Client Key"));
    serverKey = hmac(salted, "Server Key");
  }

  /** Answers the commands of authentication; null for any other that the connection may send. @throws code 13, 18 */
  Document answer(Channel channel, String database, String command, Document query) {
    String name = command.toLowerCase(Locale.ROOT);
    if (name.equals("saslstart")) return start(channel, query);
    if (name.equals("saslcontinue")) return proceed(channel, query);
    // A command to a database that is not there makes it.
    if (!OPEN.contains(name) || !database.equals("admin")) require(channel);
    return null;
  }

  /** @throws code 13 for a connection that has not authenticated */
  void require(Channel channel) {
    if (channel.attr(AUTHENTICATED).get() == null) {
      throw new MongoServerError(13, "Unauthorized", "this command requires authentication");
    }
  }

  /** Adds to the answer to `hello` what a driver asks in it. */
  static Document addMechanisms(Document query, Document answer) {
    if (query.containsKey("saslSupportedMechs")) answer.put("saslSupportedMechs", List.of(MECHANISM));
    return answer;
  }

  private Document start(Channel channel, Document query) {
    channel.attr(AUTHENTICATED).set(null);
    if (!MECHANISM.equals(query.get("mechanism"))) throw failed();
    // Such as `n,,n=user,r=nonce`.
    String[] parts = text(query).split(",", 4);
    if (parts.length != 4 || !parts[0].equals("n") || !parts[2].startsWith("n=") || !parts[3].startsWith("r=")) {
      throw failed();
    }
    byte[] own = new byte[24];
    random.nextBytes(own);
    String nonce = parts[3].substring(2) + encode(own);
    String first = "r=" + nonce + ",s=" + encode(salt) + ",i=" + ITERATIONS;
    String binding = encode((parts[0] + "," + parts[1] + ",").getBytes(StandardCharsets.UTF_8));
    String signed = parts[2] + "," + parts[3] + "," + first;
    channel.attr(EXCHANGE).set(new Exchange(binding, parts[2].substring(2), nonce, signed));
    return reply(first, false);
  }

  private Document proceed(Channel channel, Document query) {
    Exchange exchange = channel.attr(EXCHANGE).getAndSet(null);
    // A driver may send an empty message when all is said.
    if (exchange == null && channel.attr(AUTHENTICATED).get() != null) return reply("", true);
    if (exchange == null) throw failed();
    String message = text(query);
    int proofAt = message.lastIndexOf(",p=");
    String expected = "c=" + exchange.channelBinding + ",r=" + exchange.nonce;
    if (proofAt < 0 || !isEqual(message.substring(0, proofAt), expected)) throw failed();
    String signed = exchange.signed + "," + expected;
    byte[] clientKey = xor(decode(message.substring(proofAt + 3)), hmac(storedKey, signed));
    boolean isKnown = MessageDigest.isEqual(hash(clientKey), storedKey);
    if (!isKnown || !isEqual(exchange.user, user)) throw failed();
    channel.attr(AUTHENTICATED).set(Boolean.TRUE);
    return reply("v=" + encode(hmac(serverKey, signed)), true);
  }

  private static MongoServerError failed() {
    return new MongoServerError(18, "AuthenticationFailed", "Authentication failed.");
  }

  private static Document reply(String payload, boolean done) {
    Document reply = new Document("conversationId", 1);
    reply.put("done", done);
    reply.put("payload", new BinData(payload.getBytes(StandardCharsets.UTF_8)));
    Utils.markOkay(reply);
    return reply;
  }

  private static String text(Document query) {
    Object payload = query.get("payload");
    if (!(payload instanceof BinData)) throw failed();
    return new String(((BinData) payload).getData(), StandardCharsets.UTF_8);
  }

  private static boolean isEqual(String one, String other) {
    return MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
  }

  private static String encode(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  private static byte[] decode(String text) {
    try {
      return Base64.getDecoder().decode(text);
    } catch (IllegalArgumentException problem) {
      throw failed();
    }
  }

  private static byte[] xor(byte[] one, byte[] other) {
    if (one.length != other.length) throw failed();
    byte[] result = new byte[one.length];
    for (int index = 0; index < one.length; index += 1) result[index] = (byte) (one[index] ^ other[index]);
    return result;
  }

  private static byte[] hash(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (GeneralSecurityException missing) {
      throw new IllegalStateException(missing);
    }
  }

  private static byte[] hmac(byte[] key, String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException missing) {
      throw new IllegalStateException(missing);
    }
  }
}
