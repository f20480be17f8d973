import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * What was changed since the data file was last written, in the order it was changed. One thread writes what has come
 * together and waits for the disk once for all of it; who waits for a position is told when it is on the disk.
 */
final class Journal {
  private static final int CANNOT_WRITE = 74;

  private static final class Waiter {
    final long position;
    final Runnable action;

    Waiter(long position, Runnable action) {
      this.position = position;
      this.action = action;
    }
  }

  private final JournalFiles files;
  private final Object disk = new Object();
  private final ByteBuffer out = ByteBuffer.allocateDirect(256 * 1024);
  // Guarded by `disk`.
  private FileChannel file;
  private long number;
  // Guarded by this object.
  private List<ByteBuffer> pending = new ArrayList<>();
  private final ArrayDeque<Waiter> waiters = new ArrayDeque<>();
  private long appended;
  private long durable;
  private long fileBytes;

  Journal(JournalFiles files, long number) throws IOException {
    this.files = files;
    begin(number);
    Thread writer = new Thread(this::run, "journal");
    writer.setDaemon(true);
    writer.start();
  }

  /** @return the position to wait for */
  long append(ByteBuffer record) {
    ByteBuffer header = ByteBuffer.allocate(JournalFiles.HEADER_BYTES);
    header.putInt(record.remaining()).putInt(JournalFiles.checksum(record)).flip();
    synchronized (this) {
      pending.add(header);
      pending.add(record);
      fileBytes += header.remaining() + record.remaining();
      appended += 1;
      notifyAll();
      return appended;
    }
  }

  /** Runs the action once all up to the position is on the disk. */
  void whenDurable(long position, Runnable action) {
    synchronized (this) {
      if (position > durable) {
        waiters.add(new Waiter(position, action));
        return;
      }
    }
    action.run();
  }

  /** Bytes of the current file, written or not. */
  synchronized long bytes() {
    return fileBytes;
  }

  /** Goes on in a new file. Nothing may be appended meanwhile. @return the number of the file that is now complete */
  long rotate() throws IOException {
    synchronized (disk) {
      flush();
      file.close();
      long complete = number;
      begin(complete + 1);
      return complete;
    }
  }

  private void begin(long next) throws IOException {
    synchronized (disk) {
      file = FileChannel.open(files.path(next), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      number = next;
    }
    synchronized (this) {
      fileBytes = 0;
    }
  }

  private void run() {
    try {
      for (;;) {
        synchronized (this) {
          while (pending.isEmpty()) wait();
        }
        synchronized (disk) {
          flush();
        }
      }
    } catch (IOException | InterruptedException problem) {
      // What cannot be kept must not be acknowledged, as with mongod.
      System.err.println("the journal cannot be written: " + problem);
      Runtime.getRuntime().halt(CANNOT_WRITE);
    }
  }

  private void flush() throws IOException {
    List<ByteBuffer> records;
    long upTo;
    synchronized (this) {
      records = pending;
      pending = new ArrayList<>();
      upTo = appended;
    }
    if (records.isEmpty()) return;
    write(records);
    file.force(false);
    for (Waiter waiter : waitersUpTo(upTo)) waiter.action.run();
  }

  private void write(List<ByteBuffer> records) throws IOException {
    for (ByteBuffer record : records) {
      while (record.hasRemaining()) {
        if (!out.hasRemaining()) drain();
        int part = Math.min(record.remaining(), out.remaining());
        out.put(record.duplicate().limit(record.position() + part));
        record.position(record.position() + part);
      }
    }
    drain();
  }

  private void drain() throws IOException {
    out.flip();
    while (out.hasRemaining()) file.write(out);
    out.clear();
  }

  private synchronized List<Waiter> waitersUpTo(long position) {
    durable = position;
    List<Waiter> ready = new ArrayList<>();
    while (!waiters.isEmpty() && waiters.peek().position <= position) ready.add(waiters.poll());
    return ready;
  }
}
