import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import java.lang.management.ManagementFactory;
import java.util.Random;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The workloads `steady` and `churn` on the JVM: Netty's HashedWheelTimer (512 buckets, ticks of 1 ms) and the JDK's
 * ScheduledThreadPoolExecutor (a binary heap that knows indexes, with removal on cancel). CPU time of the whole process a step, as in the
 * Node children: the wheel's worker thread and the collector are in it.
 */
public final class TimerBench {
  interface Timers<H> {
    H start(int delayMs);

    void cancel(H handle);

    void stop();
  }

  static final class Netty implements Timers<Timeout> {
    private final HashedWheelTimer timer = new HashedWheelTimer(1, TimeUnit.MILLISECONDS, 512);

    public Timeout start(int delayMs) {
      return timer.newTimeout(timeout -> {}, delayMs, TimeUnit.MILLISECONDS);
    }

    public void cancel(Timeout handle) {
      handle.cancel();
    }

    public void stop() {
      timer.stop();
    }
  }

  static final class Jdk implements Timers<ScheduledFuture<?>> {
    private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1);

    Jdk() {
      executor.setRemoveOnCancelPolicy(true);
    }

    public ScheduledFuture<?> start(int delayMs) {
      return executor.schedule(() -> {}, delayMs, TimeUnit.MILLISECONDS);
    }

    public void cancel(ScheduledFuture<?> handle) {
      handle.cancel(false);
    }

    public void stop() {
      executor.shutdownNow();
    }
  }

  private static long cpuNs() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
  }

  private static <H> void run(String name, Timers<H> timers, int size, int steps) {
    Random random = new Random(1);
    int[] delays = random.ints(1 << 16, 1_000, 30_001).toArray();
    Object[] handles = new Object[size];
    for (int index = 0; index < size; index++) handles[index] = timers.start(1_000 + random.nextInt(59_001));
    double steady = 0;
    double churn = 0;
    // The first round is for the compilers.
    for (int round = 0; round < 2; round++) {
      long start = cpuNs();
      for (int index = 0; index < steps; index++) {
        int oldest = index % size;
        @SuppressWarnings("unchecked")
        H handle = (H) handles[oldest];
        timers.cancel(handle);
        handles[oldest] = timers.start(delays[index & 0xffff]);
      }
      steady = (double) (cpuNs() - start) / steps;
      start = cpuNs();
      for (int index = 0; index < steps; index++) timers.cancel(timers.start(delays[index & 0xffff]));
      churn = (double) (cpuNs() - start) / steps;
    }
    timers.stop();
    System.out.printf("| %-33s | %,9d | %7.0f ns | %7.0f ns |%n", name, size, steady, churn);
  }

  public static void main(String[] arguments) {
    int size = Integer.parseInt(arguments[1]);
    int steps = 2_000_000;
    if (arguments[0].equals("netty")) run("Netty HashedWheelTimer", new Netty(), size, steps);
    else run("JDK ScheduledThreadPoolExecutor", new Jdk(), size, steps);
    System.exit(0);
  }
}
