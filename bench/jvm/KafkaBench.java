import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import javax.management.ObjectName;
import org.apache.kafka.server.purgatory.DelayedOperation;
import org.apache.kafka.server.purgatory.DelayedOperationKey;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;
import org.apache.kafka.server.util.timer.SystemTimer;
import org.apache.kafka.server.util.timer.TimerTask;

/**
 * Kafka's own timer and purgatory under the workloads of bench/: KafkaBench WORKLOAD SIZE prints its
 * figures as one line of JSON. Each workload is that of bench/ with the same name, and says only
 * where it differs.
 *
 * CPU is that of the whole process: the executor, the reaper and the collector are in it. It steps by
 * 10 ms, so what is measured takes many times as long. A pass is shorter, and takes the CPU of its own
 * thread.
 */
public final class KafkaBench {
  private static final int STEPS = 2_000_000;
  private static final int MASK = 0xffff;

  /** Operations that are completed, early or by their deadline, and those by their deadline. */
  private static final AtomicInteger done = new AtomicInteger();
  private static final AtomicInteger expired = new AtomicInteger();

  record Key(String keyLabel) implements DelayedOperationKey {}

  static final class Task extends TimerTask {
    Task(long delayMs) {
      super(delayMs);
    }

    @Override
    public void run() {}
  }

  static final class Operation extends DelayedOperation {
    volatile boolean isReady;

    Operation(long delayMs) {
      super(delayMs);
    }

    @Override
    public boolean tryComplete() {
      if (!isReady) return false;
      forceComplete(); // a boolean in Kafka 4.0 to 4.4, void in its trunk
      return true;
    }

    @Override
    public void onComplete() {
      done.incrementAndGet();
    }

    @Override
    public void onExpiration() {
      expired.incrementAndGet();
    }
  }

  public static void main(String[] arguments) throws Exception {
    int size = Integer.parseInt(arguments[1]);
    System.out.println(switch (arguments[0]) {
      case "steady" -> steady(size);
      case "churn" -> churn(size);
      case "due" -> due(size);
      case "park-complete" -> parkComplete(size);
      case "string-keys" -> stringKeys(size);
      case "scan" -> scan(size);
      case "vain" -> vain(size);
      case "load-max" -> loadMax(size);
      case "memory" -> memory(size);
      default -> throw new IllegalArgumentException("no workload " + arguments[0]);
    });
    System.exit(0);
  }

  private static String steady(int size) {
    SystemTimer timer = drivenTimer();
    Task[] tasks = resident(timer, size);
    int[] delays = delays(1 << 16, 1_000, 30_000);
    double step = 0;
    // The first round is for the compilers.
    for (int round = 0; round < 2; round++) {
      long start = cpuNs();
      for (int index = 0; index < STEPS; index++) {
        tasks[index % size].cancel();
        timer.add(tasks[index % size] = new Task(delays[index & MASK]));
      }
      step = (double) (cpuNs() - start) / STEPS;
    }
    return json("step", step);
  }

  private static String churn(int size) {
    SystemTimer timer = drivenTimer();
    Task[] tasks = resident(timer, size);
    int[] delays = delays(1 << 16, 1_000, 30_000);
    double step = 0;
    for (int round = 0; round < 2; round++) {
      long start = cpuNs();
      for (int index = 0; index < STEPS; index++) {
        Task task = new Task(delays[index & MASK]);
        timer.add(task);
        task.cancel();
      }
      step = (double) (cpuNs() - start) / STEPS;
    }
    if (tasks.length != size) throw new IllegalStateException();
    return json("step", step);
  }

  private static String due(int size) throws InterruptedException {
    SystemTimer timer = drivenTimer();
    int[] delays = delays(size, 1, 5_000);
    float[] latenessMs = new float[size];
    double ns = 0;
    for (int round = 0; round < 2; round++) {
      AtomicInteger ran = new AtomicInteger();
      long start = cpuNs();
      for (int index = 0; index < size; index++) {
        long dueNs = System.nanoTime() + delays[index] * 1_000_000L;
        timer.add(new TimerTask(delays[index]) {
          @Override
          public void run() {
            latenessMs[ran.getAndIncrement()] = (System.nanoTime() - dueNs) / 1e6f;
          }
        });
      }
      while (ran.get() < size) Thread.sleep(50);
      ns = (double) (cpuNs() - start) / size;
    }
    Arrays.sort(latenessMs);
    int early = 0;
    while (early < size && latenessMs[early] < 0) early++;
    return json("step", ns, "p50 lateness", latenessMs[size / 2], "early", 100.0 * early / size);
  }

  private static String parkComplete(int size) {
    DelayedOperationPurgatory<Operation> purgatory = purgatory();
    List<List<Key>> lists = keyLists(1 << 14);
    int[] delays = delays(1 << 16, 1_000, 30_000);
    Operation[] parked = new Operation[size];
    double step = 0;
    for (int index = 0; index < size; index++) {
      purgatory.tryCompleteElseWatch(parked[index] = new Operation(delays[index & MASK]), lists.get(index & 0x3fff));
    }
    for (int round = 0; round < 2; round++) {
      long start = cpuNs();
      for (int index = 0; index < STEPS; index++) {
        parked[index % size].forceComplete();
        Operation operation = parked[index % size] = new Operation(delays[index & MASK]);
        purgatory.tryCompleteElseWatch(operation, lists.get(index & 0x3fff));
      }
      step = (double) (cpuNs() - start) / STEPS;
    }
    return json("step", step);
  }

  private static String stringKeys(int size) {
    DelayedOperationPurgatory<Operation> purgatory = purgatory();
    List<List<Key>> keys = new ArrayList<>(size);
    for (int index = 0; index < size; index++) {
      keys.add(List.of(new Key("topic-" + (index >> 4) + "-partition-" + (index & 15))));
    }
    List<List<Key>> events = new ArrayList<>(keys);
    Collections.shuffle(events, new Random(1));
    int[] delays = delays(size, 1_000, 30_000);
    int rounds = Math.max(1, 3_000_000 / size);
    long parkNs = 0;
    long completeNs = 0;
    // Half of the rounds warm up.
    for (int round = -rounds; round < rounds; round++) {
      int before = done.get();
      long start = cpuNs();
      for (int index = 0; index < size; index++) {
        Operation operation = new Operation(delays[index]);
        purgatory.tryCompleteElseWatch(operation, keys.get(index));
        operation.isReady = true;
      }
      long middle = cpuNs();
      for (List<Key> key : events) purgatory.checkAndComplete(key.get(0));
      long end = cpuNs();
      if (done.get() - before != size) throw new IllegalStateException(done.get() - before + " of " + size);
      if (round < 0) continue;
      parkNs += middle - start;
      completeNs += end - middle;
    }
    return json("park", (double) parkNs / rounds / size, "complete", (double) completeNs / rounds / size);
  }

  /** One key, and an event when all are ready. */
  private static String scan(int size) {
    DelayedOperationPurgatory<Operation> purgatory = purgatory();
    List<Key> keys = List.of(new Key("orders"));
    int[] delays = delays(1 << 16, 1_000, 30_000);
    int rounds = Math.max(2, 3_000_000 / size);
    long ns = 0;
    for (int round = -rounds; round < rounds; round++) {
      for (int index = 0; index < size; index++) {
        Operation operation = new Operation(delays[index & MASK]);
        purgatory.tryCompleteElseWatch(operation, keys);
        operation.isReady = true;
      }
      long start = threadCpuNs();
      purgatory.checkAndComplete(keys.get(0));
      if (round >= 0) ns += threadCpuNs() - start;
    }
    return json("all", (double) ns / rounds / size);
  }

  /** One key, and events when none is ready. */
  private static String vain(int size) {
    DelayedOperationPurgatory<Operation> purgatory = purgatory();
    List<Key> keys = List.of(new Key("orders"));
    int[] delays = delays(1 << 16, 60_000, 600_000);
    for (int index = 0; index < size; index++) {
      purgatory.tryCompleteElseWatch(new Operation(delays[index & MASK]), keys);
    }
    long[] passes = new long[200];
    for (int pass = 0; pass < 2 * passes.length; pass++) {
      long start = threadCpuNs();
      purgatory.checkAndComplete(keys.get(0));
      passes[pass % passes.length] = threadCpuNs() - start;
    }
    Arrays.sort(passes);
    return json("pass", (double) passes[passes.length / 2] / size);
  }

  /** `size` is the number of keys, and always 100. */
  private static String loadMax(int size) throws Exception {
    DelayedOperationPurgatory<Operation> purgatory = purgatory();
    List<List<Key>> lists = keyLists(1 << 14);
    double[] latencies = logNormals(1 << 16, 20, 60);
    List<ArrayDeque<Operation>> completions = new ArrayList<>();
    for (int ms = 0; ms < 256; ms++) completions.add(new ArrayDeque<>());
    int parked = 0;
    long completedMs = System.nanoTime() / 1_000_000;
    double rate = 0;
    for (int round = 0; round < 2; round++) {
      int before = done.get();
      long start = cpuNs();
      for (long end = System.nanoTime() + 3_000_000_000L; System.nanoTime() < end; ) {
        for (int left = 100; left > 0; left--, parked++) {
          double nowMs = System.nanoTime() / 1e6;
          Operation operation = new Operation(200);
          purgatory.tryCompleteElseWatch(operation, lists.get(parked & 0x3fff));
          double latencyMs = latencies[parked & MASK];
          if (latencyMs < 200) completions.get((int) Math.ceil(nowMs + latencyMs) & 255).add(operation);
        }
        long nowMs = System.nanoTime() / 1_000_000;
        for (; completedMs < nowMs; completedMs++) {
          ArrayDeque<Operation> ready = completions.get((int) (completedMs + 1) & 255);
          for (Operation operation; (operation = ready.poll()) != null; ) operation.forceComplete();
        }
      }
      rate = (done.get() - before) * 1e9 / (cpuNs() - start);
    }
    return json("operations/s", rate, "MB resident", residentMb());
  }

  private static String memory(int size) throws Exception {
    SystemTimer timer = drivenTimer();
    int[] delays = delays(size, 60_000, 600_000);
    Task[] tasks = new Task[size];
    long before = liveBytes();
    for (int index = 0; index < size; index++) timer.add(tasks[index] = new Task(delays[index]));
    double perTask = (double) (liveBytes() - before) / tasks.length;

    DelayedOperationPurgatory<Operation> purgatory = purgatory();
    List<List<Key>> lists = keyLists(1 << 14);
    Operation[] operations = new Operation[size];
    before = liveBytes();
    for (int index = 0; index < size; index++) {
      operations[index] = new Operation(delays[index]);
      purgatory.tryCompleteElseWatch(operations[index], lists.get(index & 0x3fff));
    }
    double perOperation = (double) (liveBytes() - before) / operations.length;
    return json("task", perTask, "operation", perOperation);
  }

  /** A timer whose clock is advanced by a thread of its own, as a purgatory's reaper does it. */
  private static SystemTimer drivenTimer() {
    SystemTimer timer = new SystemTimer("bench");
    Thread reaper = new Thread(() -> {
      try {
        while (true) timer.advanceClock(200);
      } catch (InterruptedException end) {
        Thread.currentThread().interrupt();
      }
    });
    reaper.setDaemon(true);
    reaper.start();
    return timer;
  }

  private static DelayedOperationPurgatory<Operation> purgatory() {
    return new DelayedOperationPurgatory<>("bench", 0);
  }

  private static Task[] resident(SystemTimer timer, int size) {
    int[] delays = delays(size, 1_000, 60_000);
    Task[] tasks = new Task[size];
    for (int index = 0; index < size; index++) timer.add(tasks[index] = new Task(delays[index]));
    return tasks;
  }

  private static int[] delays(int count, int low, int high) {
    return new Random(1).ints(count, low, high + 1).toArray();
  }

  /** Lists of 3 different keys out of 100. */
  private static List<List<Key>> keyLists(int count) {
    Random random = new Random(1);
    Key[] keys = new Key[100];
    for (int index = 0; index < keys.length; index++) keys[index] = new Key("topic-" + index);
    List<List<Key>> lists = new ArrayList<>(count);
    while (lists.size() < count) {
      Set<Key> list = new LinkedHashSet<>();
      while (list.size() < 3) list.add(keys[random.nextInt(keys.length)]);
      lists.add(List.copyOf(list));
    }
    return lists;
  }

  private static double[] logNormals(int count, double p50, double p75) {
    Random random = new Random(1);
    double sigma = Math.log(p75 / p50) / 0.6744897501960817;
    double[] values = new double[count];
    for (int index = 0; index < count; index++) values[index] = p50 * Math.exp(sigma * random.nextGaussian());
    return values;
  }

  private static long cpuNs() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
  }

  private static long threadCpuNs() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  /** The bytes of all live objects, by the histogram of their classes. Collects first. */
  private static long liveBytes() throws Exception {
    Object histogram = ManagementFactory.getPlatformMBeanServer().invoke(
        new ObjectName("com.sun.management:type=DiagnosticCommand"),
        "gcClassHistogram",
        new Object[] {new String[0]},
        new String[] {String[].class.getName()});
    // The last line: Total, instances, bytes.
    String[] total = histogram.toString().strip().split("\\s+");
    return Long.parseLong(total[total.length - 1]);
  }

  private static double residentMb() throws Exception {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) return Long.parseLong(line.replaceAll("\\D", "")) / 1024.0;
    }
    return Double.NaN;
  }

  private static String json(Object... namesAndValues) {
    StringBuilder text = new StringBuilder();
    for (int index = 0; index < namesAndValues.length; index += 2) {
      double value = ((Number) namesAndValues[index + 1]).doubleValue();
      text.append(String.format(Locale.ROOT, "%s\"%s\":%.3f", index == 0 ? "{" : ",", namesAndValues[index], value));
    }
    return text.append("}").toString();
  }
}
