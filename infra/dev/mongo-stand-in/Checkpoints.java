import java.io.IOException;

/**
 * Brings the data file up to date when the journal has grown, or has something in it for a while. When the load is over,
 * the memory that it took goes back to the machine.
 */
final class Checkpoints {
  private static final int LOOK_EVERY_MS = 100;
  private static final long AT_LEAST_EVERY_NS = 10_000_000_000L;
  private static final long LARGEST_JOURNAL = 12 << 20;
  private static final long USUAL_HEAP = 96 << 20;
  private static final int CANNOT_WRITE = 74;

  private final Storage storage;
  private final Thread thread = new Thread(this::run, "checkpoints");
  private boolean stopped;

  Checkpoints(Storage storage) {
    this.storage = storage;
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns once the last one is done. Not by an interrupt, which would close the file under it. */
  void stop() throws InterruptedException {
    synchronized (this) {
      stopped = true;
      notifyAll();
    }
    thread.join();
  }

  private void run() {
    long last = System.nanoTime();
    try {
      while (!pause()) {
        boolean due = System.nanoTime() - last > AT_LEAST_EVERY_NS;
        boolean full = storage.journalBytes() >= LARGEST_JOURNAL;
        if (!due && !full) continue;
        if (storage.journalBytes() > 0) storage.checkpoint();
        if (!full && Runtime.getRuntime().totalMemory() > USUAL_HEAP) System.gc();
        last = System.nanoTime();
      }
    } catch (IOException | RuntimeException | InterruptedException problem) {
      System.err.println("the data file cannot be written: " + problem);
      Runtime.getRuntime().halt(CANNOT_WRITE);
    }
  }

  private synchronized boolean pause() throws InterruptedException {
    if (!stopped) wait(LOOK_EVERY_MS);
    return stopped;
  }
}
