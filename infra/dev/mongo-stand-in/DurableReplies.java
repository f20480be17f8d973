import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;

/**
 * Holds the answer to a command until what the command changed is on the disk. The thread goes on with other connections
 * meanwhile, so that many of them share one wait for the disk.
 */
final class DurableReplies extends ChannelOutboundHandlerAdapter {
  private final Storage storage;
  private long position;

  private DurableReplies(Storage storage) {
    this.storage = storage;
  }

  /** @param position in the journal that the connection's next answer waits for; 0 for none */
  static void holdNext(Channel channel, Storage storage, long position) {
    if (position == 0) return;
    DurableReplies replies = channel.pipeline().get(DurableReplies.class);
    if (replies == null) {
      replies = new DurableReplies(storage);
      channel.pipeline().addLast(replies);
    }
    replies.position = position;
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    long needed = position;
    position = 0;
    if (needed == 0) context.write(message, promise);
    else storage.whenDurable(needed, () -> context.writeAndFlush(message, promise));
  }
}
